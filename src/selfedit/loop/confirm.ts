import { bootstrapMean } from '../../stats/bootstrap.js';
import { Mt19937 } from '../../stats/mt19937.js';
import type { Case } from '../cases/case.js';
import { Confirmation, type PriorEvidence } from '../gate/confirmation.js';
import type { GateRules } from '../gate/rules.js';
import { meanOr0 } from '../numbers.js';
import type { PairRow } from '../store/run-store.js';
import { mapLimited } from './pool.js';
import type { ConfirmReport, SideUsage } from './report.js';
import { unitResult } from './units.js';

/** What a confirmation needs besides the gate. */
export interface ConfirmPlan {
  readonly units: readonly (readonly Case[])[];
  readonly replicates: number;
  readonly alpha: number;
  readonly epoch: number;
  readonly power: number;
  readonly rules: GateRules;
  /** Of an extension: what an earlier confirmation has left. */
  readonly prior?: PriorEvidence;
  readonly seed: number;
  readonly parallelism: number;
  /** Pairs that an interrupted run has already made. */
  readonly known: readonly PairRow[];
  /** Makes one pair; it is kept before the promise resolves. */
  readonly makePair: (testCase: Case, replicate: number) => Promise<PairRow>;
  /** Told after each look. */
  readonly onLook: (confirmation: Confirmation) => void;
}

export interface ConfirmOutcome {
  readonly confirmation: Confirmation;
  readonly pairs: readonly PairRow[];
  readonly report: ConfirmReport;
}

/**
 * Runs a confirmation: just the units up to the next look side by side, then the look in planned order, so that neither
 * parallelism nor the order in which calls end changes a count. After a pass the remaining units are run for the segment
 * guard (spec 08 §24.4).
 */
export async function confirm(plan: ConfirmPlan): Promise<ConfirmOutcome> {
  const confirmation = new Confirmation({
    alpha: plan.alpha,
    planned: plan.units.length,
    rules: plan.rules,
    ...(plan.prior && { prior: plan.prior }),
  });
  const known = new Map(plan.known.map((pair) => [`${pair.case_id} ${pair.replicate}`, pair]));
  const pairs: PairRow[] = [];
  const deltas: number[] = [];
  const run = (units: readonly (readonly Case[])[]): Promise<PairRow[][]> =>
    mapLimited(units, plan.parallelism, (unit) => runUnit(unit, plan, known));

  while (confirmation.verdict === null) {
    const next = plan.units.slice(confirmation.units, confirmation.units + confirmation.unitsToLook);
    const results = await run(next);
    for (const [index, own] of results.entries()) {
      const result = unitResult(next[index] ?? [], own);
      if (result.delta !== null) deltas.push(result.delta);
      pairs.push(...own);
      confirmation.push(result);
    }
    plan.onLook(confirmation);
  }
  const report = reportOf(confirmation, deltas, pairs, plan);
  if (confirmation.verdict === 'stat_pass') {
    pairs.push(...(await run(plan.units.slice(confirmation.units))).flat());
  }
  return { confirmation, pairs, report };
}

async function runUnit(
  unit: readonly Case[],
  { replicates, makePair }: ConfirmPlan,
  known: ReadonlyMap<string, PairRow>,
): Promise<PairRow[]> {
  const pairs: PairRow[] = [];
  for (const testCase of unit) {
    for (let replicate = 0; replicate < replicates; replicate += 1) {
      pairs.push(known.get(`${testCase.case_id} ${replicate}`) ?? (await makePair(testCase, replicate)));
    }
  }
  return pairs;
}

function reportOf(
  confirmation: Confirmation,
  deltas: readonly number[],
  pairs: readonly PairRow[],
  plan: ConfirmPlan,
): ConfirmReport {
  const interval =
    confirmation.verdict === 'invalid_run' ? null : bootstrapMean(deltas, { random: new Mt19937(plan.seed) });
  // The statistics of a test whose level is given back stay unknown (spec 08 §24.4).
  const known = !confirmation.isVoid;
  return {
    alpha: plan.alpha,
    epoch: plan.epoch,
    planned: plan.units.length,
    power: plan.power,
    verdict: confirmation.verdict ?? 'inconclusive',
    n: confirmation.n,
    wins: known ? confirmation.wins : 0,
    losses: known ? confirmation.losses : 0,
    p_sign: known ? confirmation.pSign : 1,
    log_e: known ? confirmation.logE : 0,
    mean_delta: known ? confirmation.meanDelta : 0,
    low: interval?.low ?? null,
    high: interval?.high ?? null,
    error_share: confirmation.errorShare,
    looks: confirmation.looks,
    usage: { before: usageOf(pairs, 'a'), after: usageOf(pairs, 'b') },
  };
}

function usageOf(pairs: readonly PairRow[], side: 'a' | 'b'): SideUsage {
  return {
    tokens: meanOr0(pairs.map((pair) => pair[`tokens_${side}`])),
    usd: meanOr0(pairs.map((pair) => pair[`cost_${side}`])),
    latency_ms: meanOr0(pairs.map((pair) => pair[`latency_${side}`])),
    violations: pairs.filter((pair) => pair[`violation_${side}`] === 1).length,
  };
}
