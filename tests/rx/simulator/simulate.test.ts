import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { SimulatorStreams } from '../../../src/rx/simulator/draws.js';
import {
  DEFAULT_CONFIG,
  DEFAULT_PLAN,
  simulate,
  simulateMetrics,
} from '../../../src/rx/simulator/simulate.js';
import { isFailure } from '../../../src/rx/trace/event.js';
import { formatTraceEvent } from '../../../src/rx/trace/format-event.js';
import type { Metrics, RunConfig } from '../../../src/rx/types.js';
import { pairedVectors, referenceMetrics } from '../../support/rx-metrics.js';

const CLASSES = ['coordination_failure', 'agent_error', 'information_lag', 'environment_constraint'];
const REPAIRED: RunConfig = {
  planner_consistency: 0.95,
  navigator_retries: 1,
  timeout_ms: 1600,
  friction_rate: 0.2,
};

describe('reference streams', () => {
  it('write the reference trace byte for byte', () => {
    const golden = referenceMetrics().trace_default;
    const text = simulate(DEFAULT_CONFIG, { ...DEFAULT_PLAN, streams: 'reference' })
      .map(formatTraceEvent)
      .join('');
    expect(Buffer.byteLength(text)).toBe(golden.bytes);
    expect(createHash('sha256').update(text).digest('hex')).toBe(golden.sha256);
  });

  it.each(pairedVectors())('give the failures per run of attempt $index, class by class', (vector) => {
    const control = block(vector.control_config, 'reference', 1000, 40);
    const treatment = block(vector.treatment_config, 'reference', 1000, 40);
    expect(control.map((run) => run.failures)).toEqual(vector.control_failures_per_run);
    expect(treatment.map((run) => run.failures)).toEqual(vector.treatment_failures_per_run);
    const before = classCounts(control);
    const difference = classCounts(treatment).map((count, i) => count - (before[i] ?? 0));
    expect(difference).toEqual(vector.class_difference_treatment_minus_control);
  });

  it('give the confirmation block', () => {
    expect(failures(block(DEFAULT_CONFIG, 'reference', 1_001_000, 200))).toBe(5874);
    expect(failures(block(REPAIRED, 'reference', 1_001_000, 200))).toBe(1709);
  });
});

describe('independent streams', () => {
  it('give the golden discovery and confirmation counts', () => {
    const golden = referenceMetrics().independent_streams;
    const discovery = block(DEFAULT_CONFIG, 'independent', 42, 12);
    expect(failures(discovery)).toBe(golden.discovery_failures_seed_42);
    expect(classCounts(discovery)).toEqual(golden.discovery_class_counts);
    expect(failures(block(DEFAULT_CONFIG, 'independent', 1_001_000, 200))).toBe(5863);
    expect(failures(block(REPAIRED, 'independent', 1_001_000, 200))).toBe(1777);
  });

  it.each([
    ['planner_consistency', 0.95, 'coordination_failure'],
    ['navigator_retries', 2, 'agent_error'],
    ['timeout_ms', 3000, 'information_lag'],
  ] as const)('leave every other class alone when %s changes', (knob, value, own) => {
    const before = block(DEFAULT_CONFIG, 'independent', 500, 30);
    const after = block({ ...DEFAULT_CONFIG, [knob]: value }, 'independent', 500, 30);
    before.forEach((run, i) => {
      const { [own]: _ownBefore, ...restBefore } = run.by_class;
      const { [own]: _ownAfter, ...restAfter } = after[i]?.by_class ?? {};
      expect(restAfter).toEqual(restBefore);
    });
    expect(failures(after)).toBeLessThan(failures(before));
  });
});

describe.each(['reference', 'independent'] as const)('%s streams', (streams) => {
  it('give the same counts as events and as metrics', () => {
    const events = simulate(DEFAULT_CONFIG, { runs: 7, turns: 13, seed: 9, streams });
    expect(events).toHaveLength(3 * 7 * 13);
    expect(events.filter(isFailure)).toHaveLength(failures(block(DEFAULT_CONFIG, streams, 9, 7, 13)));
    expect(new Set(events.map((event) => event.event_id)).size).toBe(events.length);
  });

  it('have the long-run failure rates of the specification', () => {
    const rate = (config: RunConfig): number => failures(block(config, streams, 70_000, 1500)) / (1500 * 60);
    // Run-to-run standard errors are about 0.3 and 0.15 points here.
    expect(Math.abs(rate(DEFAULT_CONFIG) - 0.4883)).toBeLessThan(0.012);
    expect(Math.abs(rate(REPAIRED) - 0.1456)).toBeLessThan(0.006);
  });

  it('treat a second retry like the first', () => {
    const once = block({ ...DEFAULT_CONFIG, navigator_retries: 1 }, streams, 300, 20);
    expect(block({ ...DEFAULT_CONFIG, navigator_retries: 2 }, streams, 300, 20)).toEqual(once);
  });

  it('give nothing for no runs', () => {
    expect(simulate(DEFAULT_CONFIG, { runs: 0, turns: 20, seed: 1, streams })).toEqual([]);
    expect(simulateMetrics(DEFAULT_CONFIG, streams, 1, 0)).toEqual({ actions: 0, failures: 0, by_class: {} });
  });
});

function block(
  config: RunConfig,
  streams: SimulatorStreams,
  seed: number,
  runs: number,
  turns = 20,
): Metrics[] {
  return Array.from({ length: runs }, (_, i) => simulateMetrics(config, streams, seed + i, turns));
}

function failures(runs: readonly Metrics[]): number {
  return runs.reduce((sum, run) => sum + run.failures, 0);
}

function classCounts(runs: readonly Metrics[]): number[] {
  return CLASSES.map((name) => runs.reduce((sum, run) => sum + (run.by_class[name] ?? 0), 0));
}
