import { type Json, type JsonObject, objectOr } from '../../../foreign/json.js';
import { trimPython } from '../../../foreign/python-space.js';
import type { BusRow } from '../../bus.js';
import { payloadOf, topicOf } from '../../shared/bus-row.js';
import { isSoftFailure } from '../../shared/soft-failure.js';
import type { Symptom } from '../../symptom.js';
import type { EventConfig } from './config.js';

interface Tally {
  count: number;
  soft: number;
  lastFailure: JsonObject;
  hadSuccess: boolean;
}

type Verdict = 'failed' | 'soft_failure' | 'succeeded';

/** Action families that keep failing, in first-seen order (spec 03 §7.2, event-6, event-7). */
export function delegatedFailures(bus: readonly BusRow[], config: EventConfig): Symptom[] {
  const tallies = new Map<string, Tally>();
  for (const row of bus) {
    const payload = payloadOf(row);
    if (topicOf(row) !== 'delegated_result' || !payload) continue;
    const family = trimmedName(payload['family']) ?? trimmedName(payload['kind']);
    const verdict = verdictOf(row, payload);
    if (family === undefined || verdict === undefined) continue;
    const tally = tallies.get(family) ?? { count: 0, soft: 0, lastFailure: {}, hadSuccess: false };
    if (verdict === 'succeeded') {
      if (!config.failure_resets_on_success) continue;
      Object.assign(tally, { count: 0, soft: 0, lastFailure: {}, hadSuccess: true });
    } else {
      tally.count += 1;
      if (verdict === 'soft_failure') tally.soft += 1;
      tally.lastFailure = failureOf(payload, verdict);
    }
    tallies.set(family, tally);
  }
  return [...tallies].flatMap(([family, tally]) => symptomOf(family, tally, config) ?? []);
}

function verdictOf(row: BusRow, payload: JsonObject): Verdict | undefined {
  if (payload['state'] === 'failed') return 'failed';
  if (payload['state'] !== 'succeeded') return undefined;
  return isSoftFailure(row) ? 'soft_failure' : 'succeeded';
}

function failureOf(payload: JsonObject, verdict: Verdict): JsonObject {
  const error = payload['error'] ?? null;
  const inner = verdict === 'soft_failure' ? objectOr(payload['result'])['error'] : undefined;
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
  const isHigh = tally.count >= config.delegated_failure_prune_threshold;
  if (!isHigh && tally.count < config.delegated_failure_threshold) return undefined;
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
