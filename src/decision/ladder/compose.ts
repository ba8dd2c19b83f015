import type { Json } from '../../foreign/json.js';
import type { Redact } from '../../foreign/redact.js';
import { alert, type Intent, sendMessage } from '../intents.js';
import { inTableOrder, type LadderField } from './config.js';
import type { Draft, PlannedIntent } from './draft.js';
import type { Listed } from './evaluation.js';
import type { PassReason } from './passing.js';
import { RecoverQueue, remedyIntent } from './remedy-intents.js';
import type { RemedyState } from './remedy-state.js';
import { MAX_EXPLAINS } from './slot.js';
import { detailOf, type WireSymptom, wireLine, wireSubject, wireSymptom } from './wire.js';

/** An explained symptom whose destructive intent goes out with its root's alert. */
export interface Member {
  readonly item: Listed;
  readonly state: RemedyState;
}

/** How a symptom that passes is tied to others. */
export interface Links {
  readonly members?: readonly Member[];
  /** All that it explains. */
  readonly followers?: readonly Listed[];
  /** Key of what explains it, when that sends no alert of its own now. */
  readonly explainedBy?: string;
}

/** Puts together what passing symptoms send; it remembers the recovers and prunes of the evaluation (spec 05 A.12.2 step 6). */
export class Composer {
  readonly #recovers: RecoverQueue;
  readonly #prunedNow = new Set<string>();

  constructor(
    private readonly redact: Redact,
    maxRecoversPerTick: number,
  ) {
    this.#recovers = new RecoverQueue(maxRecoversPerTick);
  }

  /** Families pruned in this evaluation so far. */
  get prunedNow(): ReadonlySet<string> {
    return this.#prunedNow;
  }

  compose(item: Listed, state: RemedyState | undefined, reason: PassReason, links: Links): Draft {
    const { members = [], followers = [], explainedBy } = links;
    const wire = wireSymptom(item.symptom, this.redact);
    const own = state && this.#remedy(item, state, wire);
    const remedies = [
      ...(own ? [own] : []),
      ...members.map(({ item: other, state: its }) =>
        this.#remedy(other, its, wireSymptom(other.symptom, this.redact)),
      ),
    ];
    const named = followers.slice(0, MAX_EXPLAINS);
    const isInhibiting = named.length > 0 || explainedBy !== undefined;
    const policy = inTableOrder([
      ...releasedBy(reason, state),
      ...(isInhibiting ? (['inhibition_enabled'] as const) : []),
      ...remedies.flatMap((remedy) => remedy.policy),
    ]);
    const detail = detailOf(wire, {
      policy: policy.length > 0 ? policy : undefined,
      pending_action: remedies.find(({ pending }) => pending !== undefined)?.pending,
      ...own?.detail,
      explains: named.length > 0 ? named.map((follower) => this.#reference(follower)) : undefined,
      explained_by: explainedBy,
    });
    const told: PlannedIntent = { carries: [], build: () => report(wire, detail) };
    return {
      item,
      wire,
      reason,
      intents: [told, ...remedies.flatMap(({ intent }) => intent ?? [])],
      policy,
      explains: named.map(({ key }) => key),
      ...(state?.holdback && { holdback: state.holdback }),
    };
  }

  #reference({ symptom }: Listed): Json {
    return {
      symptom: symptom.name,
      severity: symptom.severity,
      subject: wireSubject(symptom.subject, this.redact),
    };
  }

  /** What becomes of a destructive intent in an alert that goes out. */
  #remedy(item: Listed, state: RemedyState, wire: WireSymptom): RemedyParts {
    const { action, verdict } = state;
    if (verdict.kind === 'off') {
      const family = action.kind === 'prune' ? wireLine(action.family, this.redact) : undefined;
      const key = verdict.by === 'protected_families' ? 'protected' : 'already_pruned';
      return { policy: [verdict.by], detail: { [key]: family } };
    }
    if (verdict.kind === 'held') {
      const policy = verdict.by === 'closing_phase' ? [] : [verdict.by];
      return { policy, detail: {}, pending: pendingAction(state, verdict, this.redact) };
    }
    if (action.kind === 'prune') {
      this.#prunedNow.add(action.family);
      const intent = remedyIntent(action, wire, this.redact);
      if (intent === undefined) return { policy: [], detail: {} };
      const effect = { kind: 'prune', family: action.family } as const;
      const policy: LadderField[] = state.isConfirmedByLower ? ['prune_lower_confirmations'] : [];
      return { policy, detail: {}, intent: { carries: [item.key], effect, build: () => intent } };
    }
    const added = this.#recovers.add(item.key, action, wire);
    if ('mergedInto' in added) {
      return { policy: ['max_recovers_per_tick'], detail: { merged_into: added.mergedInto.idempotencyKey } };
    }
    const { carries, build } = added.own;
    return { policy: [], detail: {}, intent: { carries, effect: { kind: 'recover' }, build } };
  }
}

/** A destructive intent as an alert tells of it. */
interface RemedyParts {
  readonly policy: readonly LadderField[];
  readonly detail: Readonly<Record<string, Json | undefined>>;
  readonly pending?: Json;
  readonly intent?: PlannedIntent;
}

/** The field that let a muted key through. */
function releasedBy(reason: PassReason, state: RemedyState | undefined): LadderField[] {
  if (reason === 'escalation') return ['escalation_bypasses_cooldown'];
  if (reason === 'time') return ['cooldown_release_s'];
  if (reason === 'explains') return ['inhibition_enabled'];
  if (reason !== 'remedy' || state === undefined) return [];
  if (state.confirmations === state.needed) return ['destructive_confirmations'];
  return state.action.kind === 'recover' ? ['recover_backoff_ticks'] : [];
}

function pendingAction(
  { action, confirmations, needed }: RemedyState,
  verdict: Extract<RemedyState['verdict'], { kind: 'held' }>,
  redact: Redact,
): Json {
  return {
    ...(action.kind === 'recover'
      ? { intent_type: 'delegate', action_name: 'recover' }
      : { intent_type: 'prune_branch', family: wireLine(action.family, redact) }),
    held_by: verdict.by,
    confirmations,
    needed,
    ...(verdict.untilTick === undefined ? {} : { until_tick: verdict.untilTick }),
  };
}

/** The alert, or at low severity the observation, that tells of a symptom (spec 05 A.4). */
function report(wire: WireSymptom, detail: ReturnType<typeof detailOf>): Intent {
  const { name, severity, summary } = wire;
  if (severity === 'low') {
    return sendMessage({ topic: 'observation', body_md: `${name}: ${summary}`, extras: { detail } });
  }
  const built = alert({ severity, summary, detail });
  if (!built.ok) throw new Error(built.message);
  return built.intent;
}
