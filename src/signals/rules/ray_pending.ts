import { finiteNumber, integer, type JsonObject, objectOr, storedInteger } from '../../foreign/json.js';
import { isTruthy } from '../../foreign/python-truth.js';
import { truncate } from '../../foreign/round.js';
import { defineRule } from '../rule.js';
import { mayAdvance } from '../shared/tick-gate.js';

/** So many evaluations in a row without an answer from Ray end a streak (spec 04 ray_pending-1). */
const MAX_UNKNOWN = 4;

type State = {
  readonly consecutive_hits: number;
  /** Value judged last. */
  readonly last_pending: number;
  readonly unknown_streak: number;
  readonly last_tick: number;
  /** When the streak began, unix s; null without one. */
  readonly first_hit_unix: number | null;
};

const NAME = 'ray_pending_starvation';

/** When queued Ray work waits for resources that never come (spec 04 §7). */
export const rayPending = defineRule({
  name: 'ray_pending',
  configSlot: 'kernel_pipeline',
  needs: ['ray'],
  symptoms: {
    [NAME]: {
      severities: ['high'],
      subjectKeys: [],
      nature: 'state',
      meaning: 'Ray keeps queued work pending over several evaluations: a resource it waits for is wedged.',
      action: 'Prune `kernel_opt` until Ray clears, reduce concurrency, or wait.',
    },
  },
  config: {
    kernel_pipeline_pending_count_threshold: {
      type: 'integer',
      unit: 'tasks',
      default: 1,
      signed: true,
      doc: 'More pending tasks than this count as waiting.',
    },
    kernel_pipeline_min_pending_ticks: {
      type: 'integer',
      unit: 'ticks',
      default: 3,
      doc: 'Evaluations in a row with waiting work before it is reported.',
    },
    kernel_pipeline_min_pending_minutes: {
      type: 'number',
      unit: 'min',
      default: 45,
      doc: 'Work must also have waited this long; 0 switches the condition off.',
    },
    kernel_pipeline_pending_may_fall: {
      type: 'boolean',
      default: false,
      doc: 'Whether a streak goes on although fewer tasks wait than before; by default that counts as progress.',
    },
  },
  state: { slot: 'ray_pending', parse: parseState },
  evaluate({ context, snapshot, config, state }) {
    const ray = objectOr(snapshot.local_ray);
    const last_tick = context.shared_state.tick;
    if (Object.keys(ray).length === 0) {
      return { symptoms: [], state: { ...withoutAnswer(state), last_tick }, undecided: [NAME] };
    }
    const answered = { ...state, unknown_streak: 0, last_tick };
    if (!isTruthy(ray['healthy'])) {
      return { symptoms: [], state: { ...answered, consecutive_hits: 0, first_hit_unix: null } };
    }
    const tasks = integer(ray['pending_tasks']);
    const groups = integer(ray['pending_placement_groups']);
    const pending = tasks === undefined ? undefined : tasks + (groups ?? 0);
    if (pending === undefined || pending <= config.kernel_pipeline_pending_count_threshold) {
      return {
        symptoms: [],
        state: { ...answered, consecutive_hits: 0, last_pending: 0, first_hit_unix: null },
      };
    }

    const fell =
      !config.kernel_pipeline_pending_may_fall && state.consecutive_hits > 0 && pending < state.last_pending;
    const advanced = state.consecutive_hits + (mayAdvance(last_tick, state.last_tick) ? 1 : 0);
    const hits = fell ? 1 : advanced;
    const now = context.now_unix;
    const since = hits > 0 ? (fell ? now : Math.min(state.first_hit_unix ?? now, now)) : null;
    const after = { ...answered, consecutive_hits: hits, last_pending: pending, first_hit_unix: since };
    const waited = since === null ? 0 : now - since;
    const isLong = waited >= config.kernel_pipeline_min_pending_minutes * 60;
    if (hits < config.kernel_pipeline_min_pending_ticks || !isLong) return { symptoms: [], state: after };

    const groupsText = groups === undefined ? '' : ` (${groups} of them placement groups)`;
    return {
      state: after,
      symptoms: [
        {
          name: NAME,
          severity: 'high',
          subject: {},
          source: 'local',
          summary:
            `${pending} Ray requests pending${groupsText} for ${hits} evaluations in a row (limit ` +
            `${config.kernel_pipeline_min_pending_ticks}): the quota they wait for looks wedged`,
          suggestion: 'Prune kernel_opt until Ray clears, reduce concurrency, or wait.',
          evidence: {
            pending_tasks: tasks,
            consecutive_ticks: hits,
            threshold: config.kernel_pipeline_min_pending_ticks,
            pending_seconds: truncate(waited),
            ...(groups !== undefined && { pending_placement_groups: groups }),
          },
        },
      ],
    };
  },
});

function parseState(raw: JsonObject): State {
  return {
    consecutive_hits: count(raw['consecutive_hits']),
    last_pending: count(raw['last_pending']),
    unknown_streak: count(raw['unknown_streak']),
    last_tick: storedInteger(raw['last_tick'], 0),
    first_hit_unix: finiteNumber(raw['first_hit_unix']) ?? null,
  };
}

function count(value: unknown): number {
  return Math.max(0, storedInteger(value, 0));
}

/** Silence is no recovery, but it cannot hold a streak for ever. */
function withoutAnswer(state: State): State {
  const unknown_streak = state.unknown_streak + 1;
  if (unknown_streak < MAX_UNKNOWN) return { ...state, unknown_streak };
  return { ...state, unknown_streak, consecutive_hits: 0, first_hit_unix: null };
}
