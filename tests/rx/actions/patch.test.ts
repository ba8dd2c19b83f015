import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DEFAULT_ACTIONS, DEFAULT_CATALOGUE, targetsIncident } from '../../../src/rx/actions/catalogue.js';
import { applyPatch, configKey, patchOf } from '../../../src/rx/actions/patch.js';
import { oncePerConfiguration, retryWhenRelatedKnobChanged } from '../../../src/rx/actions/retry-rule.js';
import { DEFAULT_CONFIG } from '../../../src/rx/simulator/simulate.js';
import type { ActionSpec, Config, Verdict } from '../../../src/rx/types.js';

const named = (id: string): ActionSpec => {
  const action = DEFAULT_ACTIONS.find(({ action_id }) => action_id === id);
  if (action === undefined) throw new Error(`no action ${id}`);
  return action;
};
const raise = named('raise_planner_consistency');
const retry = named('add_navigator_retry');
const timeout = named('raise_timeout');

const to = (action: ActionSpec, config: Config): unknown => patchOf(action, config)?.to;

describe('patches of the default catalogue', () => {
  it.each([
    [raise, 'planner_consistency', [0.45, 0.55, 0.9, 0.95], [0.8, 0.9, 0.95, undefined]],
    [retry, 'navigator_retries', [0, 1, -3], [1, 2, 1]],
    [timeout, 'timeout_ms', [600, 800, 1600, 3000], [1200, 1600, 3000, undefined]],
    [named('acknowledge_environment'), 'friction_rate', [0.2], [undefined]],
  ] as const)('$0.action_id', (action, knob, values, expected) => {
    expect(values.map((value) => to(action, { ...DEFAULT_CONFIG, [knob]: value }))).toEqual(expected);
  });

  it('never lower what they are meant to raise', () => {
    expect(patchOf(raise, { ...DEFAULT_CONFIG, planner_consistency: 0.97 })).toBeNull();
    expect(patchOf(timeout, { ...DEFAULT_CONFIG, timeout_ms: 4000 })).toBeNull();
  });

  it('round to three decimals like the reference', () => {
    expect(to(raise, { ...DEFAULT_CONFIG, planner_consistency: 0.479 })).toBe(0.829);
  });
});

describe('patches in general', () => {
  it('set a knob of any type, and only with its type', () => {
    const set = (value: ActionSpec['value']): ActionSpec => ({ ...raise, knob: 'k', op: 'set', value });
    expect(to(set('fast'), { k: 'slow' })).toBe('fast');
    expect(to(set(false), { k: true })).toBe(false);
    expect(patchOf(set('slow'), { k: 'slow' })).toBeNull();
    expect(patchOf({ ...raise, knob: 'k' }, { k: 'slow' })).toBeNull();
  });

  it('do nothing to an unknown knob', () => {
    expect(patchOf({ ...raise, knob: 'nowhere' }, DEFAULT_CONFIG)).toBeNull();
  });

  it('change their knob only, stay within bounds and say what they did', () => {
    const config = fc.record({ a: fc.double({ noNaN: true, min: -1e6, max: 1e6 }), b: fc.constant('text') });
    const action = fc.record({
      op: fc.constantFrom('add' as const, 'multiply' as const, 'set' as const),
      value: fc.double({ noNaN: true, min: -1e3, max: 1e3 }),
    });
    fc.assert(
      fc.property(config, action, (before, { op, value }) => {
        const spec: ActionSpec = { ...raise, knob: 'a', op, value, min: -10, max: 10, round_decimals: 2 };
        const patch = patchOf(spec, before);
        if (patch === null) return true;
        const after = applyPatch(before, patch);
        const result = Number(after['a']);
        return patch.from === before.a && after['b'] === 'text' && result >= -10 && result <= 10;
      }),
    );
  });

  it('identify a configuration whatever the order of its keys', () => {
    expect(configKey({ a: 1, b: 'x' })).toBe(configKey({ b: 'x', a: 1 }));
    expect(configKey({ a: 1 })).not.toBe(configKey({ a: '1' }));
  });
});

describe('targets', () => {
  const incident = { failure_classification: 'agent_error', pattern_id: 'navigator-move-agent_error-none' };

  it('are a classification or a pattern', () => {
    expect(targetsIncident(retry, incident)).toBe(true);
    expect(targetsIncident(raise, incident)).toBe(false);
    expect(targetsIncident({ ...raise, targets: [incident.pattern_id] }, incident)).toBe(true);
  });
});

describe('retry rules', () => {
  const tried = (action: ActionSpec, verdict: Verdict, config: Config = DEFAULT_CONFIG) => [
    { action_id: action.action_id, verdict, config },
  ];
  const mayTry = retryWhenRelatedKnobChanged(DEFAULT_ACTIONS);
  const elsewhere = { ...DEFAULT_CONFIG, timeout_ms: 1600 };

  it("the reference's: once per configuration", () => {
    expect(oncePerConfiguration(retry, DEFAULT_CONFIG, tried(retry, 'rejected'))).toBe(false);
    expect(oncePerConfiguration(retry, elsewhere, tried(retry, 'inert'))).toBe(true);
    expect(oncePerConfiguration(raise, DEFAULT_CONFIG, tried(retry, 'inert'))).toBe(true);
  });

  it('ours waits after inert and futile for a change that could matter', () => {
    for (const verdict of ['inert', 'futile'] as const) {
      expect(mayTry(retry, elsewhere, tried(retry, verdict))).toBe(false);
      expect(mayTry(retry, { ...DEFAULT_CONFIG, navigator_retries: 2 }, tried(retry, verdict))).toBe(true);
    }
    for (const verdict of ['rejected', 'harmful', 'invalid'] as const) {
      expect(mayTry(retry, elsewhere, tried(retry, verdict))).toBe(true);
      expect(mayTry(retry, DEFAULT_CONFIG, tried(retry, verdict))).toBe(false);
    }
  });

  it('ours counts every knob that acts on the same class', () => {
    const second: ActionSpec = { ...timeout, action_id: 'other', targets: ['agent_error'] };
    const rule = retryWhenRelatedKnobChanged([...DEFAULT_CATALOGUE.actions, second]);
    expect(rule(retry, elsewhere, tried(retry, 'inert'))).toBe(true);
  });
});
