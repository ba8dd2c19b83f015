import { cutCodePoints } from '../../../foreign/hygiene.js';
import { type Json, type JsonObject, objectOr } from '../../../foreign/json.js';
import { trimPython } from '../../../foreign/python-space.js';
import type { BusRow } from '../../bus.js';
import { payloadOf, stampOf, topicOf } from '../../shared/bus-row.js';
import { isSoftFailure, softFailureText } from '../../shared/soft-failure.js';
import type { Symptom } from '../../symptom.js';
import type { EventConfig } from './config.js';

interface Tally {
  count: number;
  soft: number;
  lastFailure: JsonObject;
  hadSuccess: boolean;
  /** Of the newest failure, unix s; undefined where it is not known. */
  lastUnix: number | undefined;
  /** How many of the newest failures said the same. */
  alike: number;
  saying: string | undefined;
  /** All rows came with what had been asked for, so that they can be told apart. */
  isMeasured: boolean;
}

/**
 * Failures that have nothing in common count half: exploring means that some variants fail, each for its own reason. They count
 * a third in a family that has worked before, where four in a row are chance once in a few sessions.
 */
const UNALIKE_FACTOR = 2;
const UNALIKE_FACTOR_OF_PROVEN = 3;
const SAYING_LENGTH = 120;

const NOTHING = {
  count: 0,
  soft: 0,
  lastFailure: {},
  lastUnix: undefined,
  alike: 0,
  saying: undefined,
  isMeasured: true,
};

type Verdict = 'failed' | 'soft_failure' | 'succeeded';

/**
 * Action families that keep failing, in first-seen order (spec 03 §7.2, event-6, event-7). Where it is known what was asked
 * for, failures count in full only when they say the same.
 */
export function delegatedFailures(bus: readonly BusRow[], config: EventConfig, nowUnix: number): Symptom[] {
  const tallies = new Map<string, Tally>();
  for (const row of bus) {
    const payload = payloadOf(row);
    if (topicOf(row) !== 'delegated_result' || !payload) continue;
    const family = trimmedName(payload['family']) ?? trimmedName(payload['kind']);
    const verdict = verdictOf(row, payload);
    if (family === undefined || verdict === undefined) continue;
    const tally = tallies.get(family) ?? { ...NOTHING, hadSuccess: false };
    if (verdict === 'succeeded') {
      if (!config.failure_resets_on_success) continue;
      Object.assign(tally, { ...NOTHING, hadSuccess: true });
    } else {
      tally.count += 1;
      if (verdict === 'soft_failure') tally.soft += 1;
      tally.lastFailure = failureOf(row, payload, verdict);
      tally.lastUnix = stampOf(row, nowUnix);
      noteSaying(tally, row, tally.lastFailure);
    }
    tallies.set(family, tally);
  }
  const maxAgeS = config.delegated_failure_max_age_s;
  const isOver = ({ lastUnix }: Tally) =>
    maxAgeS > 0 && lastUnix !== undefined && nowUnix - lastUnix > maxAgeS;
  return [...tallies].flatMap(([family, tally]) =>
    isOver(tally) ? [] : (symptomOf(family, tally, config) ?? []),
  );
}

/** What a failure says, without the numbers and names that differ from one to the next. */
function noteSaying(tally: Tally, { row }: BusRow, failure: JsonObject): void {
  const error = typeof failure['error'] === 'string' ? failure['error'] : '';
  const saying = normalised(error);
  tally.alike = saying === tally.saying ? tally.alike + 1 : 1;
  tally.saying = saying;
  tally.isMeasured &&= row['task_params'] !== undefined && saying !== '';
}

function normalised(error: string): string {
  return cutCodePoints(
    error
      .toLowerCase()
      .replace(/(["'`])(?:(?!\1).){0,200}\1|\d[\da-f]*/g, '#')
      .replace(/\s+/g, ' ')
      .trim(),
    SAYING_LENGTH,
  );
}

function verdictOf(row: BusRow, payload: JsonObject): Verdict | undefined {
  if (payload['state'] === 'failed') return 'failed';
  if (payload['state'] !== 'succeeded') return undefined;
  return isSoftFailure(row) ? 'soft_failure' : 'succeeded';
}

function failureOf(row: BusRow, payload: JsonObject, verdict: Verdict): JsonObject {
  const error = payload['error'] ?? null;
  const inner =
    verdict === 'soft_failure' ? (objectOr(payload['result'])['error'] ?? softFailureText(row)) : undefined;
  return {
    task_id: payload['task_id'] ?? null,
    kind: payload['kind'] ?? null,
    error: error ?? inner ?? null,
  };
}

function trimmedName(value: Json | undefined): string | undefined {
  if (typeof value !== 'string') return undefined;
  return trimPython(value) || undefined;
}

function symptomOf(family: string, tally: Tally, config: EventConfig): Symptom | undefined {
  const unalike = tally.hadSuccess ? UNALIKE_FACTOR_OF_PROVEN : UNALIKE_FACTOR;
  // Among failures for other reasons two of a kind are chance; with nothing else in between they are a pattern.
  const isPure = tally.alike === tally.count;
  const reaches = (limit: number): boolean =>
    tally.isMeasured
      ? tally.alike >= (isPure ? limit : limit + 1) || tally.count >= limit * unalike
      : tally.count >= limit;
  const isHigh = reaches(config.delegated_failure_prune_threshold);
  if (!isHigh && !reaches(config.delegated_failure_threshold)) return undefined;
  const threshold = isHigh ? config.delegated_failure_prune_threshold : config.delegated_failure_threshold;
  return {
    name: 'repeated_failure',
    severity: isHigh ? 'high' : 'medium',
    summary: `${family} failed ${tally.count} times (threshold ${threshold})`,
    evidence: {
      family,
      count: tally.count,
      last_failure: tally.lastFailure,
      soft_failures: tally.soft,
      ...(tally.hadSuccess && { since_last_success: true }),
    },
    subject: { family },
    source: 'coordinator_events',
    suggestion: `Prune the family ${family}.`,
  };
}
