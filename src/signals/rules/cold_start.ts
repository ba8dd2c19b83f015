import { finiteNumber, integer, isObject, listOr, objectOr } from '../../foreign/json.js';
import { looseNumber } from '../../foreign/loose-number.js';
import type { ReactorContext } from '../../reactor/context.js';
import type { Snapshot } from '../../sources/snapshot.js';
import { defineRule } from '../rule.js';

/** Length of one cold compile when neither configuration nor environment says, minutes. */
const DEFAULT_COLD_START_MINUTES = 60;

/** Seconds that the Coordinator allows a cold start; whoever builds the configuration reads it. */
export const COLD_START_VARIABLE = 'INFERENCE_OPTIMIZER_COLD_START_TIMEOUT_SEC';

/**
 * Minutes of a cold start that the environment names; 60 when it is unset, unreadable, not finite or not positive (spec 04
 * §5, cold_start-2). Value of `preflight_cold_start_minutes` where the configuration leaves it null.
 */
export function coldStartMinutesFrom(env: Readonly<Record<string, string | undefined>>): number {
  const seconds = looseNumber(env[COLD_START_VARIABLE]);
  return seconds !== undefined && seconds > 0 ? seconds / 60 : DEFAULT_COLD_START_MINUTES;
}

/** When the JIT cache is cold and the time left is shorter than one cold compile (spec 04 §5). */
export const coldStart = defineRule({
  name: 'cold_start',
  configSlot: 'cold_start',
  needs: ['aiter'],
  symptoms: {
    cold_start_budget_exhausted: {
      severities: ['high'],
      subjectKeys: [],
      nature: 'state',
      meaning: 'The kernel cache is cold and the next baseline would be killed while it still compiles.',
      action:
        'Skip the next baseline and use the cached best, or extend the cold start time-out; retrying alone cannot help.',
    },
  },
  config: {
    preflight_cold_start_so_count: {
      type: 'integer',
      unit: 'files',
      default: 20,
      doc: 'A kernel cache with fewer compiled modules counts as cold.',
    },
    preflight_cold_start_minutes: {
      type: 'number',
      unit: 'min',
      nullable: true,
      default: null,
      doc: `Length of a cold compile; null takes ${COLD_START_VARIABLE} (seconds), else 60.`,
    },
    preflight_cold_start_min_budget_minutes: {
      type: 'number',
      unit: 'min',
      default: 30,
      doc: 'Shorter sessions are not judged.',
    },
  },
  evaluate({ context, snapshot, config }) {
    const { shared_state: state } = context;
    const cache = objectOr(snapshot.local_aiter_jit);
    const soCount = integer(cache['so_count']);
    const needed = config.preflight_cold_start_minutes ?? DEFAULT_COLD_START_MINUTES;
    const left = state.remaining_minutes;
    if (state.budget_minutes < config.preflight_cold_start_min_budget_minutes) return { symptoms: [] };
    if (state.closing_phase || state.stop_reason !== '') return { symptoms: [] };
    if (soCount === undefined || soCount >= config.preflight_cold_start_so_count) return { symptoms: [] };
    if (left <= 0 || left >= needed) return { symptoms: [] };
    if (baselineIsDone(context, snapshot)) return { symptoms: [] };
    return {
      symptoms: [
        {
          name: 'cold_start_budget_exhausted',
          severity: 'high',
          subject: {},
          source: 'local',
          summary:
            `The kernel cache holds ${soCount} compiled modules (cold below ${config.preflight_cold_start_so_count}) and ` +
            `${left.toFixed(1)} minutes are left, while a cold start takes about ${needed.toFixed(0)}: ` +
            'the next baseline would be killed while compiling',
          suggestion:
            `Skip the next baseline and use the cached best, or extend ${COLD_START_VARIABLE}; ` +
            'do not simply retry.',
          evidence: {
            so_count: soCount,
            cold_so_count_threshold: config.preflight_cold_start_so_count,
            remaining_minutes: left,
            cold_start_minutes: needed,
            jit_dir: cache['jit_dir'] ?? null,
          },
        },
      ],
    };
  },
});

/** A baseline exists, and none is under way or about to be (spec 04 cold_start-1). */
function baselineIsDone({ shared_state: state }: ReactorContext, snapshot: Snapshot): boolean {
  if ((finiteNumber(state.baseline_tput) ?? 0) <= 0) return false;
  if (state.current_action.trim().toLowerCase() === 'baseline') return false;
  const progress = snapshot.local_task_progress;
  return !(isObject(progress) && listOr(progress['running_kinds']).includes('baseline'));
}
