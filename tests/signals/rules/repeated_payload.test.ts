import { describe, expect, it } from 'vitest';
import type { Json, JsonObject } from '../../../src/foreign/json.js';
import { project } from '../../../src/signals/rules/repeated_payload/projection.js';
import { repeatedPayload } from '../../../src/signals/rules/repeated_payload.js';
import { runRule, type Sight, testRule } from '../../support/rule-tester.js';

/** Result rows, oldest first, as our collector delivers them. */
function results(...payloads: readonly JsonObject[]): Json[] {
  return payloads.map((payload, index) => ({
    id: index + 1,
    agent: 'coordinator',
    topic: 'delegated_result',
    payload,
  }));
}

function seen(...payloads: readonly JsonObject[]): Sight {
  return { snapshot: { coordinator_events: results(...payloads) } };
}

function times(count: number, make: (index: number) => JsonObject): JsonObject[] {
  return Array.from({ length: count }, (_, index) => make(index));
}

const failed = { kind: 'explore', state: 'failed', params: { variant: 'fp8-kv', tp: 4 } };
const succeeded = { kind: 'explore', state: 'succeeded', params: { variant: 'fp8-kv', tp: 4 } };
const loop = { name: 'same_payload_loop', severity: 'high', subject: { family: 'explore' } } as const;

/** Three failures as our collector reads them, the last one so many seconds before now. */
function ago(seconds: number): Sight {
  const now = 1_900_000_000;
  const rows = results(failed, failed, failed).map((row, index) => ({
    ...(row as JsonObject),
    to_agent: '*',
    ts: new Date((now - seconds - (2 - index) * 600) * 1000).toISOString(),
  }));
  return { context: { now_unix: now }, snapshot: { coordinator_events: rows } };
}

testRule(repeatedPayload, {
  valid: [
    { why: 'nobody has tried for an hour and a half: the loop is over', ...ago(5401) },
    { why: 'two equal failures are one retry', ...seen(failed, failed) },
    {
      why: 'the value alternates, so nothing is repeated in a row',
      ...seen(...times(8, (i) => ({ ...failed, params: { x: i % 2 } }))),
    },
    {
      why: 'a success after old failures ends the loop, whatever came before',
      ...seen(failed, failed, failed, succeeded),
    },
    {
      why: 'success is recognised in any letter case',
      ...seen(failed, failed, failed, { ...failed, state: ' SUCCEEDED ' }),
    },
    {
      why: 'queued, running, cancelled and nameless states are no failures',
      ...seen(...['queued', 'running', 'cancelled', '', 'CANCELLED'].map((state) => ({ ...failed, state })), {
        kind: 'explore',
        params: failed.params,
      }),
    },
    {
      why: 'a number is not a boolean',
      ...seen(
        { ...failed, params: { x: 1 } },
        { ...failed, params: { x: true } },
        { ...failed, params: { x: 1 } },
      ),
    },
    {
      why: 'the bus carries no params and no task was found: three failures of a kind are not comparable',
      ...seen(...times(3, (i) => ({ kind: 'explore', state: 'failed', error: `reason ${i}` }))),
    },
    {
      why: 'params of null are unknown params',
      ...seen(...times(3, () => ({ kind: 'explore', state: 'failed', params: null }))),
    },
    {
      why: 'none of the projected paths is present',
      ...seen(...times(3, () => ({ kind: 'sweep', state: 'failed', params: { note: 'same' } }))),
    },
    {
      why: 'rows without a family cannot be attributed',
      ...seen(...times(3, () => ({ state: 'failed', params: { x: 1 } }))),
    },
    {
      why: 'payloads that are no objects are skipped',
      snapshot: {
        coordinator_events: times(3, (i) => ({ id: i + 1, topic: 'delegated_result', payload: 'failed' })),
      },
    },
    {
      why: 'other topics are not results',
      snapshot: {
        coordinator_events: times(3, (i) => ({ id: i + 1, topic: 'proposal', payload: failed })),
      },
    },
    {
      why: 'a threshold of zero needs a failure all the same',
      ...seen(succeeded),
      config: { repeated_payload_streak_threshold: 0 },
    },
    {
      why: 'one task that is reported twice, on the bus and in the inbox, failed once',
      snapshot: {
        coordinator_events: results({ ...failed, task_id: 't1' }, { ...failed, task_id: 't2' }),
      },
      context: {
        inbox: [{ seq: 2, topic: 'delegated_result', payload: { ...failed, task_id: 't2' } }],
      },
    },
    {
      why: 'params nested beyond reason are not compared',
      ...seen(...times(3, () => ({ ...failed, params: { deep: nested(80) } }))),
    },
    {
      why: 'the look-back keeps the newest results',
      ...seen(failed, failed, failed, { ...failed, params: { x: 2 } }, { ...failed, params: { x: 2 } }),
      config: { repeated_payload_lookback_events: 3 },
    },
  ],
  invalid: [
    { why: 'the last failure is an hour and a half ago', ...ago(5400), symptoms: [loop] },
    {
      why: 'three equal failures in a row',
      ...seen(
        { kind: 'a', state: 'failed', params: { x: 1 }, task_id: 't0', error_class: 'Xerr' },
        { kind: 'a', state: 'failed', params: { x: 1 }, task_id: 't1', error_class: 'Yerr' },
        { kind: 'a', state: 'failed', params: { x: 1 }, task_id: 't2', error_class: 'Yerr' },
      ),
      symptoms: [
        {
          name: 'same_payload_loop',
          severity: 'high',
          subject: { family: 'a' },
          source: 'coordinator_events',
          evidence: {
            family: 'a',
            count: 3,
            streak_threshold: 3,
            last_task_id: 't2',
            last_error: '',
            last_error_class: 'Yerr',
            top_error_class: 'Yerr',
            error_class_distribution: { Xerr: 1, Yerr: 2 },
            fingerprint_fields: ['params'],
          },
          summaryMentions: ['a failed 3 times', 'limit 3', 'Yerr'],
          suggestionMentions: ['Prune a', 'idempotency key', 'report'],
        },
      ],
    },
    {
      why: 'an old success does not excuse the failures after it',
      ...seen(succeeded, failed, failed, failed),
      symptoms: [loop],
    },
    {
      why: 'a failed run that calls itself succeeded counts as a failure',
      ...seen(failed, failed, { ...failed, state: 'succeeded', result: { state: 'Timeout' } }),
      symptoms: [{ ...loop, evidenceWith: { count: 3 } }],
    },
    {
      why: 'a neutral row neither extends nor ends the run',
      ...seen(failed, { ...failed, state: 'cancelled' }, failed, { ...failed, state: 'queued' }, failed),
      symptoms: [{ ...loop, evidenceWith: { count: 3 } }],
    },
    {
      why: 'every word for failure counts',
      ...seen(
        ...['failure', 'ERROR', 'timeout', 'timed_out', 'needs_review'].map((state) => ({
          ...failed,
          state,
        })),
      ),
      symptoms: [{ ...loop, evidenceWith: { count: 5 } }],
    },
    {
      why: 'what the projection leaves out may change',
      ...seen(
        ...times(3, (i) => ({
          kind: 'validate_stack',
          state: 'failed',
          params: { config_path: '/c.yaml', note: `attempt ${i}` },
        })),
      ),
      symptoms: [
        {
          name: 'same_payload_loop',
          evidenceWith: {
            fingerprint_fields: [
              'params.optimization_stack',
              'params.config_path',
              'params.benchmark_script',
              'params.result_dir',
            ],
          },
        },
      ],
    },
    {
      why: 'ids, times and directories that differ per attempt are ignored',
      ...seen(
        ...times(3, (i) => ({
          ...failed,
          params: { tp: 4, task_id: i, out: [{ ts: i, run_dir: `/r/${i}`, keep: 1 }], workspace: `/w/${i}` },
        })),
      ),
      symptoms: [loop],
    },
    {
      why: 'the params come from the task when the bus does not repeat them',
      snapshot: {
        coordinator_events: times(3, (i) => ({
          id: i + 1,
          topic: 'delegated_result',
          payload: { kind: 'explore', state: 'failed', task_id: `t${i}` },
          task_params: { tp: 8 },
        })),
      },
      symptoms: [loop],
    },
    {
      why: 'empty params are known params',
      ...seen(...times(3, () => ({ kind: 'explore', state: 'failed', params: {} }))),
      symptoms: [loop],
    },
    {
      why: '1 and 1.0 are one value',
      ...seen(...times(3, () => ({ ...failed, params: JSON.parse('{"x":1.0}') }))),
      symptoms: [loop],
    },
    {
      why: 'family goes before kind, blanks do not matter, odd errors are shown as text',
      ...seen(
        ...times(3, () => ({
          kind: 'k',
          family: ' fam ',
          state: 'failed',
          params: { x: 1 },
          error: { a: 1 },
          task_id: 7,
        })).map((payload, index) => ({ ...payload, task_id: 7 + index })),
      ),
      symptoms: [
        {
          name: 'same_payload_loop',
          subject: { family: 'fam' },
          evidenceWith: { last_task_id: 9, last_error: "{'a': 1}", top_error_class: '' },
          summaryMentions: ['without an error class'],
        },
      ],
    },
    {
      why: 'the action name stands in for the kind',
      ...seen(...times(3, () => ({ action_name: 'k', state: 'failed', params: { x: 1 } }))),
      symptoms: [{ name: 'same_payload_loop', subject: { family: 'k' } }],
    },
    {
      why: 'equally frequent error classes: the first seen is shown',
      ...seen(...['Berr', 'Aerr', 'Aerr', 'Berr'].map((error_class) => ({ ...failed, error_class }))),
      symptoms: [
        {
          ...loop,
          evidenceWith: { top_error_class: 'Berr', error_class_distribution: { Berr: 2, Aerr: 2 } },
        },
      ],
    },
    {
      why: 'only the newest 80 results are judged',
      ...seen(...times(100, () => failed)),
      symptoms: [{ ...loop, evidenceWith: { count: 80 } }],
    },
    {
      why: 'a look-back of zero judges all',
      ...seen(...times(100, () => failed)),
      config: { repeated_payload_lookback_events: 0 },
      symptoms: [{ ...loop, evidenceWith: { count: 100 } }],
    },
    {
      why: 'without the need for params, unknown ones are taken as equal',
      ...seen(...times(3, () => ({ kind: 'explore', state: 'failed' }))),
      config: { repeated_payload_requires_params: false },
      symptoms: [loop],
    },
    {
      why: 'long error texts are cut between characters',
      ...seen(...times(3, () => ({ ...failed, error: '😀'.repeat(300) }))),
      symptoms: [{ ...loop, evidenceWith: { last_error: '😀'.repeat(240) } }],
    },
    {
      why: 'two families loop side by side, in first-seen order',
      ...seen(...times(3, () => failed).flatMap((row) => [{ ...row, kind: 'zeta' }, row])),
      symptoms: [
        { name: 'same_payload_loop', subject: { family: 'zeta' } },
        { name: 'same_payload_loop', subject: { family: 'explore' } },
      ],
    },
  ],
});

describe('what of a payload is compared', () => {
  it('takes the listed paths of a known family, null for what is missing', () => {
    const projection = project('sweep', {
      params: { grid: { b: [1, true, null], a: 'é', task_id: 'x' }, extra_envs: {}, note: 'no' },
    });
    expect(projection?.fingerprint).toBe(
      '{"params.config_path": null, "params.extra_envs": {}, "params.grid": {"a": "\\u00e9", "b": [1, true, null]}}',
    );
  });

  it('takes all params of other families, without volatile keys at any depth', () => {
    const projection = project('kernel_opt', { params: { x: 1, ts: 9, nested: [{ task_id: 1, y: 2 }] } });
    expect(projection?.fingerprint).toBe('{"params": {"nested": [{"y": 2}], "x": 1}}');
  });

  it('does not mistake inherited names for families or params', () => {
    expect(project('constructor', { params: 1 })?.fields).toEqual(['params']);
    expect(project('sweep', { params: {} })?.saysAnything).toBe(false);
  });

  it('keeps a result directory where the table asks for it', () => {
    const at = (dir: string) => project('baseline', { params: { result_dir: dir } })?.fingerprint;
    expect(at('/a')).not.toBe(at('/b'));
  });
});

it('survives a payload as deep as a stack', () => {
  const run = runRule(
    repeatedPayload,
    seen(...times(3, () => ({ ...failed, params: { deep: nested(3000) } }))),
  );
  expect(run.symptoms).toEqual([]);
});

function nested(levels: number): Json {
  let value: Json = 1;
  for (let i = 0; i < levels; i += 1) value = [value];
  return value;
}
