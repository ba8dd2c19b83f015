import { describe, expect, it } from 'vitest';
import { Mt19937 } from '../../src/stats/mt19937.js';
import { regressionGuard } from '../../src/stats/regression-guard.js';
import { type GateDecision, SequentialGate } from '../../src/stats/sequential-gate.js';
import type { PairCounts } from '../../src/stats/sign-flip-test.js';

const SETTINGS = { alpha: 0.00625, minEffect: 0.005, maxPairs: 40 };

describe('sequential gate', () => {
  it('accepts early on steady improvement, at E of 2/alpha', () => {
    const { gate, decision } = decide(() => [30, 20]);
    expect(decision).toBe('accept');
    expect(gate.pairs.length).toBeLessThan(12);
    expect(gate.logE).toBeGreaterThanOrEqual(Math.log(320));
    expect(() => gate.push(pair(1, 1))).toThrow(RangeError);
  });

  it('does not accept what is real but too small', () => {
    const { gate, decision } = decide(() => [3000, 2990], { ...SETTINGS, minEffect: 0.01 }, 10_000);
    expect(decision).toBe('futile');
    expect(gate.pairs).toHaveLength(10);
    expect(gate.effect).toBeCloseTo(0.001, 12);
  });

  it('looks for futility at 10, 15, 20, … only', () => {
    // A slight harm under noise: the bound falls below the smallest effect at pair 22, which is no look.
    const { gate, decision } = decide((i) => (i % 3 === 0 ? [20, 23] : [21, 20]));
    expect(decision).toBe('futile');
    expect(gate.pairs).toHaveLength(25);
  });

  it('decides by the exact test at the last pair', () => {
    const late = (i: number): [number, number] => (i < 33 ? [20, 20] : [29, 20]);
    const seven = decide(late, { ...SETTINGS, alpha: 0.016, minEffect: 0 });
    expect(seven.decision).toBe('accept');
    expect(seven.gate.pExact).toBe(1 / 128);
    expect(decide(late, { ...SETTINGS, alpha: 0.0156, minEffect: 0 }).decision).toBe('rejected');
  });

  it('decides on what there is when pairs are lost for good', () => {
    const gate = new SequentialGate(SETTINGS, new Mt19937(1));
    gate.push(pair(20, 18));
    expect(gate.finish()).toBe('rejected');
    expect(new SequentialGate(SETTINGS, new Mt19937(1)).finish()).toBe('rejected');
  });

  it('compares rates when runs differ in length', () => {
    const gate = new SequentialGate(SETTINGS, new Mt19937(1));
    let decision: GateDecision | null = null;
    // Twice as many actions and failures under treatment: the same rate, whatever the counts say.
    for (let i = 0; decision === null; i += 1) {
      const c = 20 + (i % 3);
      decision = gate.push({
        controlFailures: c,
        controlActions: 60,
        treatmentFailures: 2 * c,
        treatmentActions: 120,
      });
    }
    expect(decision).toBe('futile');
    expect(gate.effect).toBe(0);
  });

  it('accepts falsely less often than alpha under heavy dependence inside runs: seeded simulation', () => {
    const random = new Mt19937(17);
    // A run is either good or bad as a whole: the worst clustering there is.
    const run = (): number => (random.random() < 0.3 ? 45 : 5) + random.below(4);
    let accepted = 0;
    for (let i = 0; i < 3000; i += 1) {
      if (decide(() => [run(), run()], { ...SETTINGS, alpha: 0.05 }).decision === 'accept') accepted += 1;
    }
    expect(accepted / 3000).toBeLessThanOrEqual(0.05);
    expect(accepted / 3000).toBeGreaterThan(0.01);
  });
});

describe('regression guard', () => {
  it('shows a class safe that did not move, and one that moved within the margin', () => {
    const result = guard({ still: () => [6, 6], slight: (i) => [12, i % 10 === 0 ? 13 : 12] }, 40);
    expect(result).toMatchObject({ blocked: false, allSafe: true });
    expect(result.classes[0]?.margin).toBeCloseTo(0.01, 12);
    expect(result.classes[1]?.margin).toBeCloseTo(0.02, 12);
    expect(result.classes[0]).toMatchObject({ class: 'still', p_harm: 1, upper: 0, safe: true });
  });

  it('blocks a class that got worse, at 0.05 over the number of classes', () => {
    const worse = guard({ a: () => [5, 9], b: () => [5, 5] }, 6);
    expect(worse.blocked).toBe(true);
    expect(worse.classes[0]?.p_harm).toBe(1 / 64);
    expect(guard({ a: () => [5, 9], b: () => [5, 5], c: () => [1, 1], d: () => [1, 1] }, 6).blocked).toBe(
      false,
    );
  });

  it('never shows a class safe on one pair, and is content with no class', () => {
    expect(guard({ a: () => [5, 5] }, 1).allSafe).toBe(false);
    expect(guard({}, 5)).toEqual({ classes: [], blocked: false, allSafe: true });
  });

  it('blocks an untouched system in at most 5 %: seeded simulation', () => {
    const random = new Mt19937(23);
    const noise = (): [number, number] => [random.below(12), random.below(12)];
    let blocked = 0;
    for (let i = 0; i < 1000; i += 1) {
      if (guard({ a: noise, b: noise, c: noise, d: noise }, 20).blocked) blocked += 1;
    }
    expect(blocked / 1000).toBeLessThan(0.05 + 4 * Math.sqrt((0.05 * 0.95) / 1000));
    expect(blocked).toBeGreaterThan(5);
  });
});

type Failures = (index: number) => [number, number];

function pair(control: number, treatment: number, actions = 60): PairCounts {
  return {
    controlFailures: control,
    controlActions: actions,
    treatmentFailures: treatment,
    treatmentActions: actions,
  };
}

function decide(
  failures: Failures,
  settings = SETTINGS,
  actions = 60,
): { readonly gate: SequentialGate; readonly decision: GateDecision } {
  const gate = new SequentialGate(settings, new Mt19937(1));
  for (let i = 0; ; i += 1) {
    const [control, treatment] = failures(i);
    const decision = gate.push(pair(control, treatment, actions));
    if (decision !== null) return { gate, decision };
  }
}

function guard(classes: Readonly<Record<string, Failures>>, pairs: number) {
  const byClass = Object.entries(classes).map(
    ([name, failures]) => [name, Array.from({ length: pairs }, (_, i) => pair(...failures(i)))] as const,
  );
  return regressionGuard(new Map(byClass), new Mt19937(1));
}
