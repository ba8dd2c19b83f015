import type { ConfigFields, ConfigValues } from '../../foreign/config-field.js';
import {
  finiteNumber,
  integer,
  type JsonObject,
  nonBlank,
  objectOr,
  storedInteger,
} from '../../foreign/json.js';
import { truncate } from '../../foreign/round.js';
import { defineRule, type RuleOutcome } from '../rule.js';
import { logNumberIn } from '../shared/log-patterns.js';
import { mayAdvance } from '../shared/tick-gate.js';
import type { Symptom } from '../symptom.js';

const fields = {
  aiter_jit_cold_so_count: {
    type: 'integer',
    default: 20,
    unit: 'files',
    doc: 'Compiled kernels up to which the cache counts as cold.',
  },
  aiter_jit_regression_ratio: {
    type: 'number',
    default: 0.8,
    unit: 'ratio',
    exclusiveMinimum: 0,
    maximum: 1,
    doc: 'Share of the largest count below which the cache counts as shrunk.',
  },
  aiter_jit_stale_build_threshold: {
    type: 'integer',
    default: 1,
    unit: 'files',
    doc: 'Build entries above which an unchanged count is suspect; only without lock data.',
  },
  aiter_jit_stale_build_persist_ticks: {
    type: 'integer',
    default: 5,
    unit: 'repeats',
    doc: 'Repeats of an unchanged count from which the build counts as stuck; only without lock data.',
  },
  aiter_jit_stuck_min_age_s: {
    type: 'number',
    default: 300,
    unit: 's',
    doc: 'Age of the oldest lock from which a build without compiler counts as stuck.',
  },
} as const satisfies ConfigFields;

type AiterConfig = ConfigValues<typeof fields>;

type AiterState = JsonObject & {
  readonly last_so_count: number | null;
  readonly last_build_count: number;
  readonly stale_build_streak: number;
  readonly high_water_so_count: number | null;
  readonly jit_dir: string | null;
  readonly last_tick: number;
};

/** aiter's cache of compiled kernels (spec 03 §13). */
export const aiterJit = defineRule({
  name: 'aiter_jit',
  configSlot: 'aiter_jit',
  needs: ['aiter'],
  config: fields,
  state: { slot: 'aiter_jit', parse: parseState },
  symptoms: {
    aiter_jit_regressed: {
      severities: ['high'],
      subjectKeys: [],
      nature: 'state',
      meaning:
        'The cache of compiled kernels was warm and is cold: the next start compiles for up to an hour.',
      action:
        'Skip the next baseline, or raise `INFERENCE_OPTIMIZER_COLD_START_TIMEOUT_SEC`; do not simply relaunch.',
    },
    aiter_jit_build_stuck: {
      severities: ['medium'],
      subjectKeys: [],
      nature: 'state',
      meaning: 'A build of kernels was left unfinished: its lock is there, its compiler is not.',
      action: 'Keep an eye on it; if it stays, empty the build directory between runs.',
      explains: [{ row: 28, explains: ['log_error_pattern'], when: logNumberIn(42) }],
    },
  },
  evaluate({ context, snapshot, config, state }): RuleOutcome<AiterState> {
    const slot = objectOr(snapshot.local_aiter_jit);
    const soCount = integer(slot['so_count']);
    if (soCount === undefined) return { symptoms: [] };

    const jitDir = nonBlank(slot['jit_dir']) ?? null;
    const advances = mayAdvance(context.shared_state.tick, state.last_tick);
    const build = judgeBuild(slot, state, advances, config);
    const highWater = highWaterOf(state, soCount, jitDir);
    const regressed = isRegressed(soCount, highWater, config)
      ? [regressedSymptom(soCount, highWater, state.last_so_count, jitDir, config)]
      : [];
    return {
      symptoms: [...(build.evidence ? [stuckSymptom(build.evidence, jitDir)] : []), ...regressed],
      undecided: build.isUnknown ? ['aiter_jit_build_stuck'] : [],
      state: {
        last_so_count: soCount,
        last_build_count: truncate(finiteNumber(slot['build_count']) ?? 0),
        stale_build_streak: build.streak,
        high_water_so_count: Math.max(highWater ?? soCount, soCount),
        jit_dir: jitDir ?? state.jit_dir,
        last_tick: context.shared_state.tick,
      },
    };
  },
});

interface BuildVerdict {
  readonly streak: number;
  /** Present when the build is stuck. */
  readonly evidence?: JsonObject;
  readonly isUnknown?: boolean;
}

function judgeBuild(
  slot: JsonObject,
  state: AiterState,
  advances: boolean,
  config: AiterConfig,
): BuildVerdict {
  return slot['lock_count'] === undefined
    ? judgeByCount(slot, state, advances, config)
    : judgeByLocks(slot, state, advances, config);
}

/** Only for sources that do not look for locks: finished files stay, so an unchanged count proves little. */
function judgeByCount(
  slot: JsonObject,
  state: AiterState,
  advances: boolean,
  config: AiterConfig,
): BuildVerdict {
  const count = integer(slot['build_count']) ?? 0;
  const isUnchanged = count > config.aiter_jit_stale_build_threshold && count === state.last_build_count;
  const streak = isUnchanged ? state.stale_build_streak + (advances ? 1 : 0) : 0;
  if (streak < config.aiter_jit_stale_build_persist_ticks) return { streak };
  return {
    streak,
    evidence: {
      build_count: count,
      stale_ticks: streak,
      stale_build_threshold: config.aiter_jit_stale_build_threshold,
    },
  };
}

/** Stuck means a lock that is old and no living compiler (spec 03 aiter_jit-2). */
function judgeByLocks(
  slot: JsonObject,
  state: AiterState,
  advances: boolean,
  config: AiterConfig,
): BuildVerdict {
  const locks = integer(slot['lock_count']);
  const ageS = finiteNumber(slot['oldest_lock_age_s']);
  const compilers = integer(slot['live_compilers']);
  if (locks === undefined) return { streak: 0, isUnknown: true };
  if (locks < 1) return { streak: 0 };
  if (ageS === undefined || compilers === undefined) return { streak: 0, isUnknown: true };
  if (ageS < config.aiter_jit_stuck_min_age_s || compilers !== 0) return { streak: 0 };
  const streak = state.stale_build_streak + (advances ? 1 : 0);
  return {
    streak,
    evidence: {
      build_count: integer(slot['build_count']) ?? 0,
      stale_ticks: Math.max(1, streak),
      stale_build_threshold: config.aiter_jit_stale_build_threshold,
      lock_count: locks,
      oldest_lock_age_s: ageS,
    },
  };
}

/** The largest count seen in this directory; another directory is another cache (spec 03 aiter_jit-1). */
function highWaterOf(state: AiterState, soCount: number, jitDir: string | null): number | null {
  if (jitDir !== null && state.jit_dir !== null && jitDir !== state.jit_dir) return soCount;
  return state.high_water_so_count ?? state.last_so_count;
}

function isRegressed(soCount: number, highWater: number | null, config: AiterConfig): highWater is number {
  if (highWater === null) return false;
  const cold = config.aiter_jit_cold_so_count;
  return highWater > cold && soCount <= cold && soCount < highWater * config.aiter_jit_regression_ratio;
}

function regressedSymptom(
  soCount: number,
  highWater: number,
  lastSoCount: number | null,
  jitDir: string | null,
  config: AiterConfig,
): Symptom {
  return {
    name: 'aiter_jit_regressed',
    severity: 'high',
    summary:
      `The aiter kernel cache went from ${highWater} to ${soCount} files (cold up to ` +
      `${config.aiter_jit_cold_so_count}): the next cold start compiles for up to 60 min`,
    evidence: {
      previous_so_count: highWater,
      current_so_count: soCount,
      cold_so_count_threshold: config.aiter_jit_cold_so_count,
      regression_ratio: config.aiter_jit_regression_ratio,
      jit_dir: jitDir,
      last_so_count: lastSoCount,
    },
    subject: {},
    source: 'local',
    suggestion:
      'Skip the next baseline or raise INFERENCE_OPTIMIZER_COLD_START_TIMEOUT_SEC; do not simply relaunch.',
  };
}

function stuckSymptom(evidence: JsonObject, jitDir: string | null): Symptom {
  return {
    name: 'aiter_jit_build_stuck',
    severity: 'medium',
    summary:
      `The aiter build directory is stuck: ${evidence['build_count']} entries, unchanged for ` +
      `${evidence['stale_ticks']} consecutive ticks; hipcc probably crashed`,
    evidence: { ...evidence, jit_dir: jitDir },
    subject: {},
    source: 'local',
    suggestion: 'Keep an eye on it; if it stays, someone should empty the build directory between runs.',
  };
}

function parseState(raw: JsonObject): AiterState {
  return {
    last_so_count: storedCount(raw['last_so_count']),
    last_build_count: Math.max(0, storedInteger(raw['last_build_count'], 0)),
    stale_build_streak: Math.max(0, storedInteger(raw['stale_build_streak'], 0)),
    high_water_so_count: storedCount(raw['high_water_so_count']),
    jit_dir: nonBlank(raw['jit_dir']) ?? null,
    last_tick: storedInteger(raw['last_tick'], 0),
  };
}

/** A count that serves as baseline: only a number will do (spec 03 §13 "Restore"). */
function storedCount(value: unknown): number | null {
  const number = finiteNumber(value);
  return number === undefined ? null : truncate(number);
}
