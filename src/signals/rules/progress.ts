import type { ConfigFields, ConfigValues } from '../../foreign/config-field.js';
import { objectOr } from '../../foreign/json.js';
import { roundHalfEven } from '../../foreign/round.js';
import type { ReactorContext, SharedState } from '../../reactor/context.js';
import type { Snapshot } from '../../sources/snapshot.js';
import { defineRule } from '../rule.js';
import type { Symptom } from '../symptom.js';
import { type ProgressState, parseProgressState, withSample, withSince } from './progress/history.js';

/** Kinds of running tasks that may still find something (spec 03 progress-6). */
const LEVER_KINDS: ReadonlySet<string> = new Set([
  'kernel_opt',
  'integrate',
  'integrate_patch',
  'specialist',
  'gemm_tuning',
]);

/** Sums of decimal gains are exact to this much. */
const TOLERANCE = 1e-9;

const fields = {
  progress_gain_window_ticks: {
    type: 'integer',
    default: 6,
    unit: 'ticks',
    minimum: 1,
    doc: 'Samples over which the gain must be flat.',
  },
  progress_gain_window_min_minutes: {
    type: 'number',
    default: 30,
    unit: 'min',
    doc: 'Time that those samples must span; 0 = any.',
  },
  progress_gain_epsilon_pct: {
    type: 'number',
    default: 0.5,
    unit: '% points',
    doc: 'Spread of the gain up to which it is flat.',
  },
  progress_no_levers_min_minutes: {
    type: 'number',
    default: 45,
    unit: 'min',
    doc: 'Elapsed time from which an empty stack means that nothing was found.',
  },
  progress_no_levers_min_ticks: {
    type: 'integer',
    default: 8,
    unit: 'ticks',
    doc: 'Ticks from which an empty stack means that nothing was found.',
  },
  budget_productive_gain_pct: {
    type: 'number',
    default: 0.5,
    unit: '% gain',
    doc: 'Validated gain from which a run counts as productive.',
  },
  progress_patience_share: {
    type: 'number',
    default: 0.4,
    minimum: 0,
    maximum: 1,
    unit: 'share of the budget',
    doc: 'So much of the budget must have passed without any gain before that is worth a word; 0 = off.',
  },
  progress_patience_min_minutes: {
    type: 'number',
    default: 120,
    unit: 'min',
    doc: 'The same at least, however short the budget.',
  },
  progress_patience_unlimited_minutes: {
    type: 'number',
    default: 480,
    unit: 'min',
    doc: 'The same for a run without a budget.',
  },
} as const satisfies ConfigFields;

type ProgressConfig = ConfigValues<typeof fields>;

/** Gain that no longer grows, or that never came (spec 03 §14). */
export const progress = defineRule({
  name: 'progress',
  configSlot: 'progress',
  needs: [],
  config: fields,
  state: { slot: 'progress', parse: parseProgressState },
  symptoms: {
    gain_plateau: {
      severities: ['medium'],
      subjectKeys: [],
      nature: 'state',
      meaning: 'The validated gain has been flat over a whole window.',
      action: 'Propose the report to lock the gain in, or close out when there is none.',
    },
    no_levers_found: {
      severities: ['medium'],
      subjectKeys: [],
      nature: 'state',
      meaning: 'After exploring for a while nothing has been found that helps.',
      action: 'Skip to close, or report the attempted candidates.',
    },
  },
  evaluate({ context, snapshot, config, state }) {
    const shared = context.shared_state;
    if (shared.closing_phase || shared.stop_reason !== '') return { symptoms: [] };
    const sampled = withSample(state, shared, context.now_unix, config.progress_gain_window_ticks);
    const next = withSince(sampled, shared, context.now_unix, config.progress_gain_epsilon_pct);
    const patienceS = patienceOf(shared, snapshot, config);
    const isOver = (since: number | null) =>
      patienceS === 0 || (since !== null && context.now_unix - since >= patienceS);
    const found = [
      isOver(next.flat_since) ? gainPlateau(next, context, config) : undefined,
      isOver(next.explore_since) ? noLevers(shared, snapshot, config) : undefined,
    ];
    return { symptoms: found.filter((symptom) => symptom !== undefined), state: next };
  },
});

/**
 * How long a run may look for gain before its lack means anything, s. Most variants bring nothing and each takes its time, so
 * that what is long depends on what there is. 0 for snapshots that no collector of ours took (spec 03 G-13).
 */
function patienceOf(
  { budget_minutes: budget }: SharedState,
  snapshot: Snapshot,
  config: ProgressConfig,
): number {
  if (snapshot.collectors === undefined || config.progress_patience_share === 0) return 0;
  const minutes =
    budget > 0
      ? Math.max(config.progress_patience_min_minutes, budget * config.progress_patience_share)
      : config.progress_patience_unlimited_minutes;
  return minutes * 60;
}

function gainPlateau(
  state: ProgressState,
  context: ReactorContext,
  config: ProgressConfig,
): Symptom | undefined {
  const size = config.progress_gain_window_ticks;
  const window = state.gain_history.slice(-size);
  const [first, last] = [window[0], window.at(-1)];
  if (size < 1 || window.length < size || first === undefined || last === undefined) return undefined;
  if (context.shared_state.optimization_stack_size === 0) return undefined;
  const epsilon = config.progress_gain_epsilon_pct;
  const delta = Math.max(...window) - Math.min(...window);
  if (delta > epsilon + TOLERANCE || last - first > epsilon / 2 + TOLERANCE) return undefined;
  if (!spans(state.gain_times.at(-size) ?? null, context.now_unix, config.progress_gain_window_min_minutes)) {
    return undefined;
  }
  const isProductive = last >= config.budget_productive_gain_pct;
  return {
    name: 'gain_plateau',
    severity: 'medium',
    summary:
      `The gain is flat at ${roundHalfEven(last, 3)} %: it moved ${roundHalfEven(delta, 3)} points over ` +
      `${size} ticks (limit ${epsilon})`,
    evidence: {
      window_ticks: size,
      history: window.map((gain) => roundHalfEven(gain, 3)),
      delta_pct: roundHalfEven(delta, 3),
      epsilon_pct: epsilon,
      current_tick: context.shared_state.tick,
    },
    subject: {},
    source: 'local',
    suggestion: isProductive
      ? 'The search space is exhausted: propose the report to lock the gain in.'
      : 'Still nothing after a full window: skip to close, or report.',
  };
}

/** Ticks are not time: a window of quick ticks says nothing about a plateau (spec 03 progress-1). */
function spans(firstUnix: number | null, now: number, minMinutes: number): boolean {
  if (minMinutes === 0) return true;
  return firstUnix !== null && now - firstUnix >= minMinutes * 60;
}

function noLevers(shared: SharedState, snapshot: Snapshot, config: ProgressConfig): Symptom | undefined {
  if (shared.optimization_stack_size > 0) return undefined;
  if (shared.cumulative_gain_validated >= config.budget_productive_gain_pct) return undefined;
  if (kernelWorkPending(shared, snapshot) || shared.has_keep_pending_integrate) return undefined;
  if (!shared.explore_started) return undefined;
  if (shared.elapsed_minutes < config.progress_no_levers_min_minutes) return undefined;
  if (shared.tick < config.progress_no_levers_min_ticks) return undefined;
  return {
    name: 'no_levers_found',
    severity: 'medium',
    summary:
      `After ${roundHalfEven(shared.elapsed_minutes, 1)} min and ${shared.tick} ticks the optimization stack ` +
      'is empty and there is no gain',
    evidence: {
      elapsed_minutes: shared.elapsed_minutes,
      tick: shared.tick,
      optimization_stack_size: 0,
      cumulative_gain_validated: shared.cumulative_gain_validated,
      kernel_opt_attempts_count: shared.kernel_opt_attempts_count,
      has_keep_pending_integrate: shared.has_keep_pending_integrate,
      min_observation_minutes: config.progress_no_levers_min_minutes,
      min_observation_ticks: config.progress_no_levers_min_ticks,
    },
    subject: {},
    source: 'local',
    suggestion:
      'Skip to close, or report the attempted candidates; decision_trace.json lists what was tried.',
  };
}

/** Whether kernel work may still bring something: by what runs now, else by what was ever attempted. */
function kernelWorkPending(shared: SharedState, snapshot: Snapshot): boolean {
  const running = objectOr(snapshot.local_task_progress)['running_kinds'];
  if (!Array.isArray(running)) return shared.kernel_opt_attempts_count > 0;
  return running.some((kind) => typeof kind === 'string' && LEVER_KINDS.has(kind));
}
