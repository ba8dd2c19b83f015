import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { objectOr } from '../../src/foreign/json.js';
import { type ClassifyInput, classify } from '../../src/signals/classify.js';
import { RULES } from '../../src/signals/registry.js';
import { defineRule, type Rule } from '../../src/signals/rule.js';
import type { Severity, Symptom } from '../../src/signals/symptom.js';
import { type ContextSketch, contextOf, type SnapshotSketch, snapshotOf } from '../support/rule-tester.js';

const symptom = (
  name: string,
  severity: Severity = 'medium',
  subject: Record<string, string> = {},
  more: Partial<Symptom> = {},
): Symptom => ({
  name,
  severity,
  subject,
  summary: `${name} is there`,
  evidence: {},
  source: 'local',
  suggestion: '',
  ...more,
});

function ruleOf(name: string, symptoms: () => readonly Symptom[]): Rule {
  return defineRule({
    name,
    configSlot: name,
    needs: [],
    config: {},
    symptoms: {
      x: { severities: ['medium'], subjectKeys: [], nature: 'state', meaning: '', action: '' },
    },
    state: { slot: name, parse: (raw) => raw },
    evaluate: ({ state }) => ({ symptoms: symptoms(), state: { ...state, seen: true } }),
  });
}

function inputOf(context: ContextSketch = {}, snapshot: SnapshotSketch = {}): ClassifyInput {
  return { context: contextOf(context), snapshot: snapshotOf(snapshot), config: {}, loadSlot: () => ({}) };
}

const settled = { isSettled: () => true };
const names = (symptoms: readonly Symptom[]) => symptoms.map(({ name }) => name);

describe('folding and order', () => {
  it('keeps the first of equal symptoms and replaces it by a more severe one', () => {
    const raw = [
      symptom('x', 'medium', { a: '1' }),
      symptom('x', 'high', { a: '1' }),
      symptom('x', 'low', { a: '1' }),
    ];
    const found = classify(inputOf(), { rules: [ruleOf('r', () => raw)] }).symptoms;
    expect(found).toEqual([raw[1]]);
  });

  it('lets the earlier rule win at equal severity', () => {
    const rules = ['first', 'second'].map((name) =>
      ruleOf(name, () => [symptom('x', 'high', {}, { evidence: { by: name } })]),
    );
    expect(classify(inputOf(), { rules }).symptoms[0]?.evidence).toEqual({ by: 'first' });
  });

  it('sorts by severity, name and subject, by code point (spec 03 §17)', () => {
    const raw = [
      symptom('a', 'low'),
      symptom('b', 'high', { k: '2' }),
      symptom('b', 'high', { k: '10' }),
      symptom('Z', 'high'),
      symptom('b', 'high'),
      symptom('b', 'high', { a: '9', k: '1' }),
      symptom('é', 'high'),
      symptom('_', 'high'),
    ];
    const found = classify(inputOf(), { rules: [ruleOf('r', () => raw)] }).symptoms;
    expect(found.map(({ name, subject }) => [name, subject])).toEqual([
      ['Z', {}],
      ['_', {}],
      ['b', {}],
      ['b', { a: '9', k: '1' }],
      ['b', { k: '10' }],
      ['b', { k: '2' }],
      ['é', {}],
      ['a', {}],
    ]);
  });
});

describe('isolation', () => {
  const broken = ruleOf('broken', () => {
    throw new RangeError('bad datum');
  });
  const rules = [ruleOf('before', () => [symptom('x')]), broken, ruleOf('after', () => [symptom('y')])];

  it('loses nothing but the failing rule, and says what failed', () => {
    const found = classify(inputOf(), { rules });
    expect(names(found.symptoms)).toEqual(['x', 'y']);
    expect(found.failures).toEqual([{ rule: 'broken', errorClass: 'RangeError', message: 'bad datum' }]);
  });

  it('leaves the slot of the failing rule as it was and saves the others', () => {
    expect(classify(inputOf(), { rules }).finalStates(settled).slots).toEqual({
      before: { seen: true },
      after: { seen: true },
    });
  });

  it('counts what a failing rule could have said as undecided', () => {
    expect(classify(inputOf(), { rules: [broken] }).undecided).toEqual(['x']);
  });

  it('tells later rules which earlier ones failed', () => {
    let seen: unknown;
    const witness = defineRule({
      name: 'witness',
      configSlot: 'witness',
      needs: [],
      config: {},
      symptoms: {},
      evaluate: ({ failedRules }) => {
        seen = failedRules;
        return { symptoms: [] };
      },
    });
    classify(inputOf(), { rules: [broken, witness] });
    expect(seen).toEqual([{ rule: 'broken', errorClass: 'RangeError', message: 'bad datum' }]);
  });

  it('isolates a slot that cannot be loaded, an extra evaluator and what is no Error', () => {
    const extraEvaluators = [
      {
        name: 'extra',
        evaluate: () => {
          throw 'words';
        },
      },
      { name: 'good', evaluate: () => [symptom('z')] },
    ];
    const input: ClassifyInput = {
      ...inputOf(),
      loadSlot: () => {
        throw new TypeError('no store');
      },
    };
    const found = classify(input, { rules: [ruleOf('r', () => [symptom('x')])], extraEvaluators });
    expect(names(found.symptoms)).toEqual(['z']);
    expect(found.failures.map(({ rule, errorClass }) => [rule, errorClass])).toEqual([
      ['r', 'TypeError'],
      ['extra', 'string'],
    ]);
  });

  it('isolates the saving of state', () => {
    const latch = defineRule({
      name: 'latch',
      configSlot: 'latch',
      needs: [],
      config: {},
      symptoms: {},
      state: { slot: 'latch', parse: (raw) => raw },
      evaluate: () => ({ symptoms: [] }),
      settle: () => {
        throw new Error('no');
      },
    });
    const { slots, failures } = classify(inputOf(), { rules: [latch, ruleOf('r', () => [])] }).finalStates(
      settled,
    );
    expect(slots).toEqual({ r: { seen: true } });
    expect(failures).toEqual([{ rule: 'latch', errorClass: 'Error', message: 'no' }]);
  });
});

describe('cleaning', () => {
  it('masks, strips and caps what symptoms say, in evidence, subject and summary', () => {
    const dirty = symptom(
      'x',
      'medium',
      { url: 'http://u:secret@h/x?api_key=abcdefgh&n=1' },
      {
        summary: 'a\u202eb\u0000c',
        evidence: {
          line: `\u001b[31m${'z'.repeat(3000)}`,
          list: Array(60).fill(1),
          half: '\ud800',
          keep: 'a\tb\nc',
        },
      },
    );
    const [found] = classify(inputOf(), { rules: [ruleOf('r', () => [dirty])] }).symptoms;
    expect(found?.subject['url']).not.toContain('secret');
    expect(found?.subject['url']).not.toContain('abcdefgh');
    expect(found?.subject['url']).toContain('n=1');
    expect(found?.summary).toBe('abc');
    expect(found?.evidence).toMatchObject({ half: '\ufffd', keep: 'a\tb\nc', _truncated: true });
    expect(found?.evidence['list']).toHaveLength(50);
    expect(String(found?.evidence['line'])).toHaveLength(2000);
  });
});

describe('a rule that reports thousands', () => {
  const many = Array.from({ length: 1000 }, (_, i) =>
    symptom('x', i === 900 ? 'high' : 'low', { i: `${i}` }),
  );

  it('keeps a bounded number, the most severe ones, and says how many are missing', () => {
    const found = classify(inputOf(), { rules: [ruleOf('r', () => many)] });
    expect(found.symptoms).toHaveLength(64);
    expect(found.symptoms[0]?.subject).toEqual({ i: '900' });
    expect(found.overflows).toEqual([{ rule: 'r', count: 936 }]);
    expect(found.undecided).toEqual(['x']);
  });
});

describe('undecided symptoms', () => {
  const report = (status: string) => ({ status, reason: '', ms: 1, detail: '' });

  it('are those whose collector gave no answer', () => {
    const found = classify(
      inputOf({}, { collectors: { disk: report('timeout'), gpu: report('ok'), ray: report('empty') } }),
    );
    expect(found.undecided).toEqual(expect.arrayContaining(['disk_pressure', 'shm_pressure']));
    expect(found.undecided).not.toContain('ray_head_dead');
    expect(found.undecided).not.toContain('gpu_thermal_high');
  });

  it.each(['unknown', 'timeout', 'error', 'skipped'])('include a collector that is %s', (status) => {
    expect(classify(inputOf({}, { collectors: { disk: report(status) } })).undecided).toContain(
      'disk_pressure',
    );
  });

  it('are left out when the snapshot carries no reports, as recordings do not', () => {
    expect(classify(inputOf()).undecided).not.toContain('disk_pressure');
  });
});

describe('the whole registry', () => {
  it('decides the worked example of spec 03 §17', () => {
    const input = inputOf(
      {
        phase: 'EXPLORE',
        phase_budget: [{ phase: 'EXPLORE', elapsed_sec: 570, cap_sec: 600, used_pct: 95 }],
        conversation_progress: {
          ticks_without_progress: 15,
          threshold: 12,
          severity: 'high',
          last_progress_tick: 7,
        },
        shared_state: {
          crash_count: 5,
          budget_minutes: 360,
          elapsed_minutes: 356,
          remaining_minutes: 4,
          tick: 20,
          explore_started: true,
        },
      },
      {
        coordinator_events: [
          { agent: 'critic', ts: 9600 },
          { agent: 'orchestration', ts: 8000 },
        ],
        local_gpu: { gpus: [{ gpu_id: 0, util_mem_pct: 99.5, temperature_c: 95 }] },
      },
    );
    const found = classify({ ...input, config: { gpu_leak_min_consecutive_ticks: 1, gpu_temp_warn_c: 90 } });
    expect(found.symptoms.map(({ name, severity }) => `${severity} ${name}`)).toEqual([
      'high agent_stall',
      'high conversation_no_progress',
      'high crash_count_high',
      'high deadline_hard_cutoff',
      'high deadline_imminent',
      'high gpu_memory_leaked',
      'medium agent_stall',
      'medium gpu_thermal_high',
      'medium no_levers_found',
      'medium phase_budget_nearly_exhausted',
    ]);
    expect(found.failures).toEqual([]);
  });

  it('never fails, whatever the snapshot and the state hold, and reports only plain JSON', () => {
    const anything = fc.oneof(
      { weight: 3, arbitrary: fc.jsonValue({ depthSize: 'small' }) },
      { weight: 2, arbitrary: likely() },
    );
    const slots = Object.keys(snapshotOf());
    const snapshots = fc.record(Object.fromEntries(slots.map((slot) => [slot, anything])), {
      requiredKeys: [],
    });
    fc.assert(
      fc.property(snapshots, anything, fc.integer({ min: -1, max: 30 }), (slotValues, state, tick) => {
        const found = classify({
          context: contextOf({ shared_state: { tick, optimization_stack_size: 1 } }),
          snapshot: { ...snapshotOf(), ...slotValues },
          config: {},
          loadSlot: () => objectOr(state),
        });
        expect(found.failures).toEqual([]);
        const { slots: saved, failures } = found.finalStates({ isSettled: () => tick % 2 === 0 });
        expect(failures).toEqual([]);
        expect(oddities([found.symptoms, saved])).toEqual([]);
      }),
      { numRuns: 1500 },
    );
  });

  it('runs rows 1 to 10 first, in the order of the contract', () => {
    expect(RULES.slice(0, 10).map(({ name }) => name)).toEqual([
      'stall',
      'crash',
      'event',
      'local_health',
      'gpu_leak',
      'budget',
      'phase_budget',
      'conversation_progress',
      'aiter_jit',
      'progress',
    ]);
  });
});

/** Objects and lists of objects with the keys that rules read, and values that are sometimes what they expect. */
function likely() {
  const value = fc.oneof(
    fc.constantFrom(
      null,
      true,
      false,
      0,
      -1,
      1e16,
      1e308,
      9999,
      '',
      'x',
      'failed',
      'recover',
      'critic',
      [],
      {},
    ),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
  );
  const keys = [
    'agent topic payload ts id msg_id reachable fail_streak error gpus holders error_kind vram_used_mb vram_total_mb',
    'util_mem_pct temperature_c pattern line new oom used_pct free_gb healthy pid so_count build_count lock_count',
    'by_agent critic last_progress_unix running_kinds coordinator started_unix samples cmd is_server session_owned',
  ]
    .join(' ')
    .split(' ');
  const { node } = fc.letrec((tie) => ({
    node: fc.oneof(
      { depthSize: 'small' },
      value,
      fc.dictionary(fc.constantFrom(...keys), tie('node'), { maxKeys: 6 }),
      fc.array(tie('node'), { maxLength: 4 }),
    ),
  }));
  return node;
}

/** Whatever JSON could not carry. */
function oddities(value: unknown): unknown[] {
  if (typeof value === 'object' && value !== null) return Object.values(value).flatMap(oddities);
  if (typeof value === 'number') return Number.isFinite(value) ? [] : [value];
  return ['string', 'boolean', 'undefined', 'object'].includes(typeof value) ? [] : [value];
}
