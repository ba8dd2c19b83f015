import { nonBlank, objectsOf } from '../../../foreign/json.js';
import { isTruthy } from '../../../foreign/python-truth.js';
import { usableUnixSeconds } from '../../../foreign/timestamps.js';
import type { Snapshot } from '../../../sources/snapshot.js';
import type { BusRow } from '../../bus.js';
import { payloadOf, topicOf, trimmedText } from '../../shared/bus-row.js';

/** Proposals that the critic has left unanswered for at least the stall timeout. */
export interface WaitingProposals {
  readonly count: number;
  /** Age of the oldest one, s; 0 without any. */
  readonly oldestAgeS: number;
}

/**
 * What waits for the critic; undefined when the rows carry no message ids, so that nothing can be said (spec 03 stall-5).
 * A proposal without id cannot be matched with a verdict and never counts as waiting.
 */
export function waitingProposals(
  snapshot: Snapshot,
  bus: readonly BusRow[],
  lastSeenUnix: number,
  now: number,
  timeoutS: number,
): WaitingProposals | undefined {
  const rows = objectsOf(snapshot.coordinator_events);
  if (!rows.some((row) => nonBlank(row['msg_id']) !== undefined)) return undefined;

  const answered = answeredIds(bus);
  const ages = rows.flatMap((row) => {
    const messageId = nonBlank(row['msg_id']);
    if (row['topic'] !== 'proposal' || messageId === undefined || answered.has(messageId)) return [];
    if (trimmedText(row['agent']) === 'critic') return [];
    const unix = usableUnixSeconds(isTruthy(row['ts']) ? row['ts'] : row['timestamp'], now);
    if (unix === undefined || unix <= lastSeenUnix || now - unix < timeoutS) return [];
    return [now - unix];
  });
  return { count: ages.length, oldestAgeS: ages.reduce((oldest, age) => Math.max(oldest, age), 0) };
}

function answeredIds(bus: readonly BusRow[]): Set<string> {
  const ids = new Set<string>();
  for (const row of bus) {
    if (topicOf(row) !== 'review_verdict') continue;
    const targets = [
      payloadOf(row)?.['target_proposal_msg_id'],
      payloadOf(row)?.['in_reply_to'],
      row.row['in_reply_to'],
    ];
    for (const target of targets) {
      const id = nonBlank(target);
      if (id !== undefined) ids.add(id);
    }
  }
  return ids;
}
