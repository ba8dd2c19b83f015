import type { SimulatorStreams } from '../simulator/draws.js';
import { simulateMetrics, simulateRun } from '../simulator/simulate.js';
import type { Config, RunConfig } from '../types.js';
import type { FailedRun, MeasuredRun, SystemUnderTest, TracedRun } from './system.js';

/** The bundled simulator as a system under test; equal seeds give equal luck. */
export function simulatorSystem(streams: SimulatorStreams, turns: number): SystemUnderTest {
  return {
    async measure({ config, seed }): Promise<MeasuredRun> {
      const knobs = parseRunConfig(config);
      if (!knobs.ok) return knobs;
      return { ok: true, metrics: simulateMetrics(knobs.config, streams, seed, turns) };
    },
    async trace({ config, seed }, place): Promise<TracedRun> {
      const knobs = parseRunConfig(config);
      if (!knobs.ok) return knobs;
      return { ok: true, events: simulateRun(knobs.config, streams, seed, turns, place) };
    },
  };
}

/** The simulator's four knobs out of any configuration, or which one is missing or wrong (06 A.3). */
export function parseRunConfig(
  config: Config,
): { readonly ok: true; readonly config: RunConfig } | FailedRun {
  const { planner_consistency, navigator_retries, timeout_ms, friction_rate } = config;
  if (!isNumber(planner_consistency)) return wrong('planner_consistency', 'a probability');
  if (!isNumber(navigator_retries)) return wrong('navigator_retries', 'a whole number');
  if (!isNumber(timeout_ms)) return wrong('timeout_ms', 'milliseconds');
  if (!isNumber(friction_rate)) return wrong('friction_rate', 'a probability');
  return { ok: true, config: { planner_consistency, navigator_retries, timeout_ms, friction_rate } };
}

function isNumber(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value);
}

function wrong(knob: string, expected: string): FailedRun {
  return { ok: false, reason: `the simulator needs the knob ${knob} as ${expected}` };
}
