import { finiteNumber, type JsonObject, listOr } from '../../foreign/json.js';
import { truncate } from '../../foreign/round.js';
import type { ReactorContext } from '../../reactor/context.js';
import type { Snapshot } from '../../sources/snapshot.js';
import { defineRule } from '../rule.js';
import type { Severity, Symptom } from '../symptom.js';

/** Crashes older than this no longer count, s. */
const WINDOW_S = 86_400;
/** A sample of an unchanged count is taken this often, s. */
const SAMPLE_INTERVAL_S = 3600;
const MAX_SAMPLES = 64;

/** Unix s, and the session's total at that time. */
type Sample = readonly [number, number];

type CrashState = JsonObject & { readonly samples: readonly Sample[] };

interface Tier {
  readonly name: string;
  readonly severity: Severity;
  readonly suggestion: string;
}

/** The session's crash counter, judged over the last day (spec 03 §6, crash-1). */
export const crash = defineRule({
  name: 'crash',
  configSlot: 'crash',
  needs: [],
  config: {
    crash_medium_threshold: {
      type: 'integer',
      default: 2,
      unit: 'crashes',
      doc: 'Crashes of the last day from which the count is reported at all.',
    },
    crash_high_threshold: {
      type: 'integer',
      default: 5,
      unit: 'crashes',
      doc: 'Crashes of the last day from which the count is urgent.',
    },
    crash_emergency_threshold: {
      type: 'integer',
      default: 10,
      unit: 'crashes',
      doc: 'Crashes of the last day from which the session should stop.',
    },
  },
  state: { slot: 'crash', parse: (raw): CrashState => ({ samples: parseSamples(raw['samples']) }) },
  symptoms: {
    crash_count_rising: {
      severities: ['medium'],
      subjectKeys: ['agent'],
      nature: 'state',
      meaning: 'The session crashed several times within a day.',
      action: 'Delegate a recover, or change the strategy if the crashes follow one action.',
    },
    crash_count_high: {
      severities: ['high'],
      subjectKeys: ['agent'],
      nature: 'state',
      meaning: 'The session crashed often within a day.',
      action: 'Change the strategy and go back to the baseline configuration.',
    },
    crash_count_emergency: {
      severities: ['high'],
      subjectKeys: ['agent'],
      nature: 'state',
      meaning: 'The session nears the number of crashes at which the Coordinator stops it.',
      action: 'Change the strategy with a stop hint before the emergency stop does it.',
    },
  },
  evaluate({ context, snapshot, config, state }) {
    const count = context.shared_state.crash_count;
    const isRestarted = count < (state.samples.at(-1)?.[1] ?? count);
    const samples = isRestarted ? [] : knownSamples(state.samples, context, snapshot);
    const base = samples.findLast(([unix]) => context.now_unix - unix >= WINDOW_S)?.[1] ?? 0;
    const recent = count - base;
    const nextState = { samples: withSample(samples, context.now_unix, count) };
    if (recent < config.crash_medium_threshold) return { symptoms: [], state: nextState };

    const action = context.shared_state.current_action;
    const tier = tierOf(recent, config.crash_high_threshold, config.crash_emergency_threshold);
    const symptom: Symptom = {
      name: tier.name,
      severity: tier.severity,
      summary:
        `The session crashed ${recent} times in the last 24 h (${count} in all, reported from ` +
        `${config.crash_medium_threshold} on); current action: ${action || '(idle)'}`,
      evidence: {
        crash_count: count,
        current_action: action,
        recent_crash_count: recent,
        window_s: WINDOW_S,
      },
      subject: { agent: 'session' },
      source: 'shared_state',
      suggestion: tier.suggestion,
    };
    return { symptoms: [symptom], state: nextState };
  },
});

/**
 * The samples, or at first sight of a session that is more than a day old its total as that of a day ago: nobody knows when
 * those crashes were, and what is unknown accuses nobody. Only for snapshots that our collectors took (spec 03 G-13).
 */
function knownSamples(
  samples: readonly Sample[],
  { now_unix: now, shared_state: shared }: ReactorContext,
  snapshot: Snapshot,
): readonly Sample[] {
  const isFirstSight = samples.length === 0 && snapshot.collectors !== undefined;
  const isOld = shared.elapsed_minutes * 60 >= WINDOW_S;
  return isFirstSight && isOld ? [[now - WINDOW_S, shared.crash_count]] : samples;
}

function tierOf(recent: number, highFrom: number, emergencyFrom: number): Tier {
  if (recent >= emergencyFrom) {
    return {
      name: 'crash_count_emergency',
      severity: 'high',
      suggestion: 'Escalate a strategy change with the hint to stop: the emergency stop is near.',
    };
  }
  if (recent >= highFrom) {
    return {
      name: 'crash_count_high',
      severity: 'high',
      suggestion: 'Escalate a strategy change that proposes to revert to the baseline configuration.',
    };
  }
  return {
    name: 'crash_count_rising',
    severity: 'medium',
    suggestion: 'Delegate recover, or escalate a strategy change if one action keeps crashing.',
  };
}

function parseSamples(value: unknown): Sample[] {
  return listOr(value).flatMap((item) => {
    const [unix, count] = listOr(item).map(finiteNumber);
    return unix === undefined || count === undefined ? [] : [[unix, truncate(count)] as const];
  });
}

/** The newest samples, and always the newest one that is older than the window, because it is the base. */
function withSample(samples: readonly Sample[], now: number, count: number): Sample[] {
  const last = samples.at(-1);
  const isDue = !last || last[1] !== count || now - last[0] >= SAMPLE_INTERVAL_S;
  const all: Sample[] = isDue ? [...samples, [now, count]] : [...samples];
  if (all.length <= MAX_SAMPLES) return all;
  const kept = all.slice(-MAX_SAMPLES);
  const base = all.findLast(([unix]) => now - unix >= WINDOW_S);
  return base && !kept.includes(base) ? [base, ...kept] : kept;
}
