import type { Mt19937 } from '../../stats/mt19937.js';
import type { PairCounts } from '../../stats/sign-flip-test.js';
import {
  type Arm,
  type MeasuredRun,
  type RunRequest,
  type SystemUnderTest,
  withOneRetry,
} from '../adapters/system.js';
import type { Config, Metrics } from '../types.js';

/** Both arms of one seed. */
export interface CompletePair {
  readonly seed: number;
  readonly control: Metrics;
  readonly treatment: Metrics;
}

/** A seed of which at least one arm failed twice. */
export interface LostPair {
  readonly seed: number;
  readonly lostBy: 'control' | 'treatment' | 'both';
  readonly reason: string;
}

export type PairOutcome =
  | { readonly ok: true; readonly pair: CompletePair }
  | { readonly ok: false; readonly lost: LostPair };

/** The two configurations of an experiment and what their runs are called. */
export interface Arms {
  readonly control: Config;
  readonly treatment: Config;
  /** How the runs are labelled; `control` and `treatment` by default. */
  readonly label?: Arm;
}

/** Runs both arms of one seed, one right after the other, in random order against drift (06 F.8). */
export async function runPair(
  system: SystemUnderTest,
  arms: Arms,
  seed: number,
  order: Mt19937,
): Promise<PairOutcome> {
  const control = { config: arms.control, seed, arm: arms.label ?? 'control' } as const;
  const treatment = { config: arms.treatment, seed, arm: arms.label ?? 'treatment' } as const;
  if (order.bits(1) === 0) {
    const early = await measureTwice(system, control);
    return joinArms(seed, early, await measureTwice(system, treatment));
  }
  const early = await measureTwice(system, treatment);
  return joinArms(seed, await measureTwice(system, control), early);
}

/**
 * Runs one configuration against itself: the first run of the pair is the control. In a harness that keeps nothing between
 * runs the two are exchangeable (06 F.8).
 */
export async function runAaPair(system: SystemUnderTest, config: Config, seed: number): Promise<PairOutcome> {
  const request = { config, seed, arm: 'aa' } as const;
  const first = await measureTwice(system, request);
  return joinArms(seed, first, await measureTwice(system, request));
}

function measureTwice(system: SystemUnderTest, request: RunRequest): Promise<MeasuredRun> {
  return withOneRetry(() => system.measure(request));
}

/** All failures of the two arms, as the tests take them. */
export function pairCounts(pair: CompletePair): PairCounts {
  return {
    controlFailures: pair.control.failures,
    controlActions: pair.control.actions,
    treatmentFailures: pair.treatment.failures,
    treatmentActions: pair.treatment.actions,
  };
}

/** Failures of one class in the two arms, out of all actions. */
export function classCounts(pair: CompletePair, name: string): PairCounts {
  return {
    controlFailures: pair.control.by_class[name] ?? 0,
    controlActions: pair.control.actions,
    treatmentFailures: pair.treatment.by_class[name] ?? 0,
    treatmentActions: pair.treatment.actions,
  };
}

/** Classes that occur in either arm, in order of first appearance. */
export function classesOf(pairs: readonly CompletePair[]): string[] {
  const names = new Set<string>();
  for (const { control, treatment } of pairs) {
    for (const arm of [control, treatment]) {
      for (const [name, count] of Object.entries(arm.by_class)) if (count > 0) names.add(name);
    }
  }
  return [...names];
}

/** Both arms agree in every count. */
export function armsAgree(pair: CompletePair): boolean {
  const { control, treatment } = pair;
  if (control.actions !== treatment.actions || control.failures !== treatment.failures) return false;
  return classesOf([pair]).every((name) => (control.by_class[name] ?? 0) === (treatment.by_class[name] ?? 0));
}

function joinArms(seed: number, control: MeasuredRun, treatment: MeasuredRun): PairOutcome {
  if (control.ok && treatment.ok) {
    return { ok: true, pair: { seed, control: control.metrics, treatment: treatment.metrics } };
  }
  const reasons = [control, treatment].flatMap((run) => (run.ok ? [] : [run.reason]));
  const lostBy = control.ok ? 'treatment' : treatment.ok ? 'control' : 'both';
  return { ok: false, lost: { seed, lostBy, reason: reasons.join('; ') } };
}
