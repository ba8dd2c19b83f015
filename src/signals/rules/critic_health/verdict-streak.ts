import { type Json, type JsonObject, nonBlank, objectsOf } from '../../../foreign/json.js';
import { pythonText } from '../../../foreign/python-text.js';
import { isTruthy } from '../../../foreign/python-truth.js';
import type { BusRow } from '../../bus.js';
import { payloadOf, topicOf } from '../../shared/bus-row.js';
import type { Symptom } from '../../symptom.js';
import { isOldTurn, type TurnAge } from './turn-age.js';

const FALLBACK = 'critic_unavailable';
const LISTED_TARGETS = 5;

interface Streak {
  readonly count: number;
  readonly targets: readonly string[];
}

/** The newest verdicts all come from the critic's fallback (spec 04 §6, critic_health-1 and -2). */
export function verdictStreak(
  rows: readonly BusRow[],
  critic: JsonObject,
  { minVerdicts, ...age }: TurnAge & { readonly minVerdicts: number },
): Symptom | undefined {
  const verdicts = rows.filter((row) => topicOf(row) === 'review_verdict');
  const payloads = verdicts.map(payloadOf).filter((payload) => payload !== undefined);
  const namesSource = payloads.some((payload) => nonBlank(payload['source']) !== undefined);
  const streak = namesSource
    ? streakOf(payloads.toReversed(), 'source')
    : streakOf(
        objectsOf(critic['recent_judges']).filter((turn) => !isOldTurn(turn, age)),
        'emit_source',
      );
  if (streak.count === 0 || streak.count < minVerdicts) return undefined;
  return {
    name: 'critic_unavailable_streak',
    severity: 'high',
    subject: {},
    source: 'coordinator_events',
    summary:
      `The last ${streak.count} verdicts came from the critic's fallback (limit ${minVerdicts}): ` +
      'nobody reviews the proposals',
    suggestion:
      'Use the mock critic, and look into the judge bundle of the newest turn for the context that is missing.',
    evidence: {
      consecutive_verdicts: streak.count,
      threshold: minVerdicts,
      sample_targets: streak.targets,
    },
  };
}

/** Fallback answers, newest first, up to the first from elsewhere; those that name no source neither count nor end it. */
function streakOf(newestFirst: readonly JsonObject[], key: string): Streak {
  let count = 0;
  const targets: string[] = [];
  for (const answer of newestFirst) {
    const source = answer[key];
    if (nonBlank(source) === undefined) continue;
    if (source !== FALLBACK) break;
    count += 1;
    const target: Json | undefined = answer['target_proposal_msg_id'];
    if (isTruthy(target) && targets.length < LISTED_TARGETS) targets.push(pythonText(target));
  }
  return { count, targets };
}
