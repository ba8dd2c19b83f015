import { cutCodePoints } from '../../foreign/hygiene.js';
import type { JsonObject } from '../../foreign/json.js';
import { trimPython } from '../../foreign/python-space.js';
import { pythonText } from '../../foreign/python-text.js';
import { isTruthy } from '../../foreign/python-truth.js';
import { defineRule } from '../rule.js';
import { payloadOf, topicOf } from '../shared/bus-row.js';
import { sameSubject } from '../shared/explain.js';
import type { Symptom } from '../symptom.js';
import { finalRuns, type Run } from './repeated_payload/runs.js';

const ERROR_LENGTH = 240;

/** When one action family is retried with the same parameters and never succeeds (spec 04 §1). */
export const repeatedPayload = defineRule({
  name: 'repeated_payload',
  configSlot: 'repeated_payload',
  needs: ['events'],
  symptoms: {
    same_payload_loop: {
      severities: ['high'],
      subjectKeys: ['family'],
      nature: 'event',
      meaning: 'One action family keeps failing with exactly the same parameters.',
      action:
        'Prune that family, change the parameters themselves rather than only the idempotency key, or propose `report`.',
      explains: [
        { row: 18, explains: ['repeated_failure'], when: sameSubject('family'), destructive: 'dropped' },
        {
          row: 18,
          explains: ['idempotency_replay'],
          when: (explainer, explained) => explained.subject['action_name'] === explainer.subject['family'],
        },
      ],
    },
  },
  config: {
    repeated_payload_streak_threshold: {
      type: 'integer',
      unit: 'results',
      default: 3,
      doc: 'Failures in a row with the same parameters before they are reported.',
    },
    repeated_payload_lookback_events: {
      type: 'integer',
      unit: 'results',
      default: 80,
      signed: true,
      doc: 'Only so many of the newest results are judged; 0 or less: all.',
    },
    repeated_payload_requires_params: {
      type: 'boolean',
      default: true,
      doc: 'Whether results whose parameters are unknown are left out instead of counting as equal.',
    },
    repeated_payload_max_age_s: {
      type: 'number',
      unit: 's',
      default: 5400,
      doc: 'A loop whose last failure is older is over: nobody tries any more; 0 = never.',
    },
  },
  evaluate({ context, bus, config }) {
    const results = bus.eventsFirst.filter(
      (row) => topicOf(row) === 'delegated_result' && payloadOf(row) !== undefined,
    );
    const lookback = config.repeated_payload_lookback_events;
    const judged = lookback > 0 ? results.slice(-lookback) : results;
    const threshold = config.repeated_payload_streak_threshold;
    const now = context.now_unix;
    const maxAgeS = config.repeated_payload_max_age_s;
    const isOver = (lastUnix: number | undefined) =>
      maxAgeS > 0 && lastUnix !== undefined && now - lastUnix > maxAgeS;
    const loops = finalRuns(judged, config.repeated_payload_requires_params, now).filter(
      ({ payloads, lastUnix }) => payloads.length >= Math.max(1, threshold) && !isOver(lastUnix),
    );
    return { symptoms: loops.map((run) => loopSymptom(run, threshold)) };
  },
});

function loopSymptom({ family, fields, payloads }: Run, threshold: number): Symptom {
  const last: JsonObject = payloads.at(-1) ?? {};
  const classes = countClasses(payloads);
  const [topClass = ''] = [...classes].toSorted(([, a], [, b]) => b - a)[0] ?? [];
  return {
    name: 'same_payload_loop',
    severity: 'high',
    subject: { family },
    source: 'coordinator_events',
    summary:
      `${family} failed ${payloads.length} times in a row with the same parameters (limit ${threshold}), ` +
      (topClass === '' ? 'without an error class' : `most often with ${topClass}`),
    suggestion: `Prune ${family}, change its parameters and not only the idempotency key, or propose the report action to wind down.`,
    evidence: {
      family,
      count: payloads.length,
      streak_threshold: threshold,
      last_task_id: last['task_id'] ?? null,
      last_error: isTruthy(last['error']) ? cutCodePoints(pythonText(last['error']), ERROR_LENGTH) : '',
      last_error_class: last['error_class'] ?? null,
      top_error_class: topClass,
      error_class_distribution: Object.fromEntries(classes),
      fingerprint_fields: fields,
    },
  };
}

/** How often each error class occurs, in first-seen order. */
function countClasses(payloads: readonly JsonObject[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const payload of payloads) {
    const value = payload['error_class'];
    const name = isTruthy(value) ? trimPython(pythonText(value)) : '';
    if (name !== '') counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return counts;
}
