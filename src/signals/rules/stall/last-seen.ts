import { objectOr, objectsOf } from '../../../foreign/json.js';
import { isTruthy } from '../../../foreign/python-truth.js';
import { usableUnixSeconds } from '../../../foreign/timestamps.js';
import type { ReactorContext } from '../../../reactor/context.js';
import type { Snapshot } from '../../../sources/snapshot.js';
import { trimmedText } from '../../shared/bus-row.js';
import { isUnanswered } from '../../shared/undecided.js';

/** When an agent last said something, and where that was seen. */
export interface LastSeen {
  /** Unix s. */
  readonly unix: number;
  readonly from: 'events' | 'inbox' | 'table';
}

/** The newest usable sign of life of an agent, of any topic (spec 03 §5 "Last seen", stall-1). */
export function lastSeenOf(agent: string, context: ReactorContext, snapshot: Snapshot): LastSeen | undefined {
  const now = context.now_unix;
  const events = objectsOf(snapshot.coordinator_events)
    .filter((row) => trimmedText(row['agent']) === agent)
    .map((row) => usableUnixSeconds(isTruthy(row['ts']) ? row['ts'] : row['timestamp'], now));
  const inbox = context.inbox
    .filter((item) => item.from_agent === agent)
    .map((item) => usableUnixSeconds(item.payload['ts'], now));
  const table = usableUnixSeconds(objectOr(snapshot.coordinator_last_seen)[agent], now);

  let newest: LastSeen | undefined;
  const consider = (unix: number | undefined, from: LastSeen['from']): void => {
    if (unix !== undefined && (!newest || unix > newest.unix)) newest = { unix, from };
  };
  for (const unix of events) consider(unix, 'events');
  for (const unix of inbox) consider(unix, 'inbox');
  consider(table, 'table');
  return newest;
}

/**
 * Start of the living Coordinator process, unix s: null = unknown, so a resume cannot be excluded; undefined = the source does
 * not measure it (spec 03 stall-3, G-13).
 */
export function coordinatorStart(snapshot: Snapshot, now: number): number | null | undefined {
  const coordinator = objectOr(objectOr(snapshot.local_state_integrity)['coordinator']);
  const started = coordinator['started_unix'];
  if (started === undefined) return isUnanswered(['state'], snapshot) ? null : undefined;
  return usableUnixSeconds(started, now) ?? null;
}
