import { Mt19937 } from '../../stats/mt19937.js';
import { type GuardResult, regressionGuard } from '../../stats/regression-guard.js';
import { type GateDecision, SequentialGate } from '../../stats/sequential-gate.js';
import type { SystemUnderTest } from '../adapters/system.js';
import type { Verdict } from '../types.js';
import {
  type Arms,
  armsAgree,
  type CompletePair,
  classCounts,
  classesOf,
  pairCounts,
  runPair,
} from './pair.js';
import { PairLog } from './pair-log.js';

/** What one paired experiment may use. */
export interface PairedPlan {
  /** Seeds firstSeed … firstSeed + maxPairs − 1. */
  readonly firstSeed: number;
  readonly maxPairs: number;
  readonly alpha: number;
  readonly minEffect: number;
}

/** A finished paired experiment, all its pairs included. */
export interface PairedExperiment {
  readonly verdict: Verdict;
  readonly reason: string;
  readonly pairs: readonly CompletePair[];
  readonly dropped: number;
  /** Complete pairs when the statistical decision fell. */
  readonly nDecision: number;
  readonly pExact: number;
  readonly logE: number;
  readonly logEPath: readonly number[];
  readonly guard: GuardResult;
}

const NO_GUARD: GuardResult = { classes: [], blocked: false, allSafe: true };

/**
 * One attempt under the default gate (06 F.3–F.5, F.8): pairs one by one until the sequential gate decides; an accept is
 * provisional until every guarded class is shown safe, for which the remaining pairs are run if need be.
 */
export async function runPairedExperiment(
  system: SystemUnderTest,
  arms: Arms,
  plan: PairedPlan,
): Promise<PairedExperiment> {
  const random = new Mt19937(plan.firstSeed);
  const order = new Mt19937(plan.firstSeed + 1);
  const gate = new SequentialGate(plan, random);
  const log = new PairLog(plan.maxPairs);
  const logEPath: number[] = [];
  const seeds = seedsOf(plan);
  let decision: GateDecision | null = null;
  while (decision === null && !log.hopeless) {
    const seed = seeds.shift();
    if (seed === undefined) {
      decision = gate.finish();
      break;
    }
    const outcome = await runPair(system, arms, seed, order);
    log.add(outcome);
    if (!outcome.ok) continue;
    decision = gate.push(pairCounts(outcome.pair));
    logEPath.push(gate.logE);
  }
  const nDecision = log.complete.length;
  const figures = { nDecision, pExact: gate.pExact, logE: gate.logE, logEPath };
  let guard = NO_GUARD;
  if (decision === 'accept') {
    guard = judgeGuard(log.complete, random);
    if (!guard.allSafe && seeds.length > 0) {
      await runRest(system, arms, seeds, order, log);
      guard = judgeGuard(log.complete, random);
    }
  }
  const { verdict, reason } = conclude(decision, log, guard);
  return { verdict, reason, pairs: log.complete, dropped: log.lost.length, guard, ...figures };
}

/** The guard on the pairs so far (06 F.5). */
export function judgeGuard(pairs: readonly CompletePair[], random: Mt19937): GuardResult {
  const byClass = new Map(
    classesOf(pairs).map((name) => [name, pairs.map((pair) => classCounts(pair, name))] as const),
  );
  return regressionGuard(byClass, random);
}

function seedsOf(plan: PairedPlan): number[] {
  return Array.from({ length: plan.maxPairs }, (_, i) => plan.firstSeed + i);
}

async function runRest(
  system: SystemUnderTest,
  arms: Arms,
  seeds: readonly number[],
  order: Mt19937,
  log: PairLog,
): Promise<void> {
  for (const seed of seeds) {
    if (log.hopeless) return;
    log.add(await runPair(system, arms, seed, order));
  }
}

function conclude(
  decision: GateDecision | null,
  log: PairLog,
  guard: GuardResult,
): { readonly verdict: Verdict; readonly reason: string } {
  const invalid = log.invalid;
  if (decision === null || invalid !== null) {
    return { verdict: 'invalid', reason: `Invalid: ${invalid ?? 'too many pairs were lost'}.` };
  }
  if (decision !== 'accept') return withoutAccept(decision, log.complete);
  const unsafe = guard.classes.filter(({ safe }) => !safe).map((guarded) => guarded.class);
  if (guard.blocked) {
    const worst = guard.classes.reduce((a, b) => (b.p_harm < a.p_harm ? b : a));
    return { verdict: 'harmful', reason: `The sum improved, but ${worst.class} got worse.` };
  }
  const caveat = unsafe.length === 0 ? '' : ` Not shown safe: ${unsafe.join(', ')}.`;
  return { verdict: 'accept', reason: `Fewer failures on the same seeds.${caveat}` };
}

function withoutAccept(
  decision: 'futile' | 'rejected',
  pairs: readonly CompletePair[],
): { readonly verdict: Verdict; readonly reason: string } {
  if (pairs.every(armsAgree)) return { verdict: 'inert', reason: 'No run changed in any class.' };
  if (decision === 'futile') {
    return { verdict: 'futile', reason: 'Even the upper bound of the gain is below what is worth having.' };
  }
  return { verdict: 'rejected', reason: 'The evidence did not suffice within the planned pairs.' };
}
