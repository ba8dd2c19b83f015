import { finiteNumber, isObject, type Json, type JsonObject, objectOr } from '../../foreign/json.js';
import { looseNumber } from '../../foreign/loose-number.js';
import { isTruthy } from '../../foreign/python-truth.js';
import { roundHalfEven } from '../../foreign/round.js';
import { defineRule } from '../rule.js';
import { newlySettled, standing } from '../shared/latch.js';
import type { Symptom } from '../symptom.js';

/** Profiles that cover less of the GPU time are not worth judging (spec 04 amdahl_ceiling-1). */
const MIN_COVERED_PCT = 50;
/** From here on a total counts as complete; rounding keeps real profiles a little below 100 (spec 04 amdahl_ceiling-2). */
const COMPLETE_PCT = 99;

type State = {
  /** Mtime of the newest profile that was judged and either said or found fine. */
  readonly fired_mtime: number | null;
  /** Whether that profile was said; what was found fine never stands. */
  readonly emitted: boolean;
};

/** When even a perfect effort on the optimisable kernels cannot gain much (spec 04 §4). */
export const amdahlCeiling = defineRule({
  name: 'amdahl_ceiling',
  configSlot: 'amdahl_ceiling',
  needs: ['breakdown'],
  symptoms: {
    amdahl_kernel_ceiling_low: {
      severities: ['high'],
      subjectKeys: [],
      nature: 'latched',
      meaning:
        'The profile shows that kernel optimisation can touch too little of the GPU time to pay, by Amdahl’s law.',
      action: 'Prune `kernel_opt` and spend the remaining budget on params and sweep.',
    },
  },
  config: {
    preflight_amdahl_single_kernel_speedup: {
      type: 'number',
      unit: 'ratio',
      default: 1.5,
      signed: true,
      doc: 'Speed-up assumed for every optimisable kernel; below 1 counts as 1.',
    },
    preflight_amdahl_min_e2e_ceiling_pct: {
      type: 'number',
      unit: '%',
      default: 5,
      doc: 'End-to-end gain that must at least be possible.',
    },
    preflight_amdahl_optimizable_tiers: {
      type: 'string_list',
      default: ['triton'],
      doc: 'Tiers of the kernel breakdown that kernel optimisation can touch.',
    },
  },
  state: {
    slot: 'preflight_amdahl',
    parse: (raw): State => ({
      fired_mtime: finiteNumber(raw['fired_mtime']) ?? null,
      emitted: raw['emitted'] !== false,
    }),
  },
  evaluate({ snapshot, config, state }) {
    const breakdown = objectOr(snapshot.local_kernel_breakdown);
    const mtime = finiteNumber(breakdown['mtime']);
    if (mtime === undefined) return { symptoms: [] };
    const known = mtime === state.fired_mtime;
    if (known && !state.emitted) return { symptoms: [] };
    const symptom = judge(breakdown, {
      tiers: config.preflight_amdahl_optimizable_tiers,
      speedup: config.preflight_amdahl_single_kernel_speedup,
      minCeilingPct: config.preflight_amdahl_min_e2e_ceiling_pct,
    });
    if (known) return { symptoms: symptom ? [standing(symptom)] : [] };
    if (symptom) return { symptoms: [symptom] };
    return { symptoms: [], state: { fired_mtime: mtime, emitted: false } };
  },
  settle(state, outcome, settlement, { snapshot }) {
    if (newlySettled(outcome, settlement).length === 0) return state;
    const mtime = finiteNumber(objectOr(snapshot.local_kernel_breakdown)['mtime']) ?? null;
    return { fired_mtime: mtime, emitted: true };
  },
});

interface Assumptions {
  readonly tiers: readonly string[];
  readonly speedup: number;
  readonly minCeilingPct: number;
}

function judge(breakdown: JsonObject, { tiers, speedup, minCeilingPct }: Assumptions): Symptom | undefined {
  const totalPct = finiteNumber(breakdown['total_gpu_pct']);
  const tierPcts = usableTiers(breakdown, totalPct);
  if (!tierPcts) return undefined;
  const optimizablePct = tiers.reduce((sum, tier) => sum + shareOf(tierPcts, tier), 0) * scaleFor(totalPct);
  const ceilingPct = amdahlCeilingPct(optimizablePct, speedup);
  if (ceilingPct >= minCeilingPct) return undefined;
  return {
    name: 'amdahl_kernel_ceiling_low',
    severity: 'high',
    subject: {},
    source: 'local',
    summary:
      `Kernel optimisation can touch ${optimizablePct.toFixed(1)}% of the GPU time: even with every such kernel ` +
      `${speedup}x as fast the run gains at most ${ceilingPct.toFixed(2)}%, below the ${minCeilingPct}% worth trying for`,
    suggestion:
      'Prune kernel_opt and spend the remaining budget on params and sweep; a new profile is judged again.',
    evidence: {
      tier_pcts: breakdown['tier_pcts'],
      optimizable_pct: roundHalfEven(optimizablePct, 3),
      single_kernel_speedup: speedup,
      e2e_ceiling_pct: roundHalfEven(ceilingPct, 3),
      min_e2e_ceiling_pct: minCeilingPct,
      kernel_breakdown_path: breakdown['kernel_breakdown_path'] ?? null,
      ...(totalPct !== undefined && { total_gpu_pct: totalPct }),
    },
  };
}

/**
 * Largest end-to-end gain, in percent, when a share of the time becomes `speedup` times as fast.
 * Amdahl 1967: S = 1 / ((1 − p) + p / s).
 */
export function amdahlCeilingPct(sharePct: number, speedup: number): number {
  const share = Math.min(1, Math.max(0, sharePct / 100));
  return (1 / (1 - share + share / Math.max(1, speedup)) - 1) * 100;
}

/** The tiers of a profile that says enough to judge by; an empty or failed one says nothing (spec 04 amdahl_ceiling-1). */
function usableTiers(breakdown: JsonObject, totalPct: number | undefined): JsonObject | undefined {
  const tiers = breakdown['tier_pcts'];
  if (!isObject(tiers) || !Object.values(tiers).some((value) => looseNumber(value) !== undefined))
    return undefined;
  const kernels = finiteNumber(breakdown['total_kernels']);
  if (kernels !== undefined && kernels < 1) return undefined;
  if (totalPct !== undefined && totalPct < MIN_COVERED_PCT) return undefined;
  return tiers;
}

function shareOf(tiers: JsonObject, tier: string): number {
  const value: Json | undefined = tiers[tier];
  return isTruthy(value) ? (looseNumber(value) ?? 0) : 0;
}

/** Factor that extends a partial profile to the whole GPU time (spec 04 amdahl_ceiling-2). */
function scaleFor(totalPct: number | undefined): number {
  return totalPct !== undefined && totalPct < COMPLETE_PCT ? 100 / totalPct : 1;
}
