import type { Json } from '../../foreign/json.js';
import type { Redact } from '../../foreign/redact.js';
import { alert, type Intent, pruneBranch, sendMessage } from '../intents.js';
import { type GuardContext, violationOf } from '../policy-guard.js';
import { inTableOrder, type LadderField } from './config.js';
import type { Draft, PlannedIntent } from './draft.js';
import { type Evaluation, entryOf, type Listed } from './evaluation.js';
import type { Explained } from './inhibition.js';
import { type PassReason, passReason } from './passing.js';
import { RecoverQueue, recoverIntent } from './recovers.js';
import { type RemedySession, type RemedyState, remedyState } from './remedy-state.js';
import { MAX_EXPLAINS } from './slot.js';
import { detailOf, type WireSymptom, wireLine, wireSubject, wireSymptom } from './wire.js';

export interface PlanInput {
  readonly evaluation: Evaluation;
  readonly explained: ReadonlyMap<string, Explained>;
  /** Keys that an operator silenced. */
  readonly silenced: ReadonlySet<string>;
  readonly session: RemedySession;
  readonly guard: GuardContext;
  readonly redact: Redact;
}

/** An explained symptom whose destructive intent goes out with its root's alert. */
interface Member {
  readonly item: Listed;
  readonly state: RemedyState;
}

/** Steps 4 to 6 of one evaluation, symptom by symptom in list order (spec 05 A.12.2, 04 §13.3 and §13.4). */
export class Plan {
  readonly #recovers: RecoverQueue;
  readonly #prunedNow = new Set<string>();
  readonly #followers = new Map<string, Listed[]>();
  /** Keys that some alert has named since they appeared. */
  readonly #named: ReadonlySet<string>;

  constructor(private readonly input: PlanInput) {
    const { evaluation, explained } = input;
    this.#recovers = new RecoverQueue(evaluation.config.max_recovers_per_tick);
    const { named, entries } = evaluation.slot;
    this.#named = new Set([
      ...[...named.values()].flat(),
      ...[...entries.values()].flatMap((entry) => entry.explained),
    ]);
    for (const item of evaluation.listed) {
      const root = explained.get(item.key)?.rootKey;
      if (root !== undefined) this.#followers.set(root, [...(this.#followers.get(root) ?? []), item]);
    }
  }

  /** What the symptom sends; undefined when it sends nothing by itself. */
  draft(item: Listed): Draft | undefined {
    const state = this.#stateOf(item);
    const why = this.input.explained.get(item.key);
    if (why !== undefined) return this.#draftExplained(item, why, state);
    if (this.input.silenced.has(item.key)) return undefined;
    return this.#draftPlain(item, state);
  }

  #stateOf(item: Listed): RemedyState | undefined {
    const { evaluation, session } = this.input;
    const state = remedyState(evaluation, item, session, this.#prunedNow);
    const entry = entryOf(evaluation.slot, item.key);
    if (state?.verdict.kind === 'held' && entry.remedy !== 'sent') entry.remedy = 'held';
    return state;
  }

  #draftPlain(item: Listed, state: RemedyState | undefined): Draft | undefined {
    const { evaluation } = this.input;
    const followers = this.#followers.get(item.key) ?? [];
    const members = this.#membersOf(followers);
    const isOwnDue = this.#isDue(item, state) && entryOf(evaluation.slot, item.key).remedy === 'held';
    const reason = passReason(evaluation, item, {
      remedyDue: isOwnDue || members.some((member) => this.#isMemberDue(member)),
      explainsUnnamed: this.#explainsUnnamed(item, followers),
    });
    return reason && this.#build(item, state, reason, { members, followers });
  }

  /** Explained by something that sends no alert of its own now: a destructive intent that is kept goes out by itself. */
  #draftExplained(item: Listed, why: Explained, state: RemedyState | undefined): Draft | undefined {
    const { evaluation, silenced } = this.input;
    const entry = entryOf(evaluation.slot, item.key);
    const isReady = state?.verdict.kind === 'ready';
    if (why.destructive === 'dropped') {
      if (isReady && entry.remedy !== 'sent') entry.remedy = 'held';
      return undefined;
    }
    const isRootHeard = why.isRootListed && !silenced.has(why.rootKey);
    if (isRootHeard || silenced.has(item.key) || !isReady) return undefined;
    if (!this.#isMemberDue({ item, state })) return undefined;
    return this.#build(item, state, 'remedy', { explainedBy: why.rootKey });
  }

  #membersOf(followers: readonly Listed[]): Member[] {
    const { explained, silenced } = this.input;
    return followers.flatMap((item) => {
      if (explained.get(item.key)?.destructive !== 'kept' || silenced.has(item.key)) return [];
      const state = this.#stateOf(item);
      return state === undefined ? [] : [{ item, state }];
    });
  }

  #isMemberDue({ item, state }: Member): boolean {
    return this.#isDue(item, state) && entryOf(this.input.evaluation.slot, item.key).remedy !== 'sent';
  }

  /** Ready, and nothing that the guard would drop: otherwise the key would be released for it in every evaluation. */
  #isDue(item: Listed, state: RemedyState | undefined): boolean {
    if (state?.verdict.kind !== 'ready') return false;
    const wire = wireSymptom(item.symptom, this.input.redact);
    const intent =
      state.action.kind === 'recover'
        ? recoverIntent(state.action, wire)
        : this.#prune(state.action.family, wire);
    return intent !== undefined && violationOf(intent, this.input.guard) === undefined;
  }

  /** True when a HIGH symptom that this one explains was named by no alert since it appeared (spec 04 §13.3). */
  #explainsUnnamed(item: Listed, followers: readonly Listed[]): boolean {
    const { slot } = this.input.evaluation;
    if (entryOf(slot, item.key).explained.length >= MAX_EXPLAINS) return false;
    return followers.some(({ key, symptom }) => symptom.severity === 'high' && !this.#named.has(key));
  }

  #build(
    item: Listed,
    state: RemedyState | undefined,
    reason: PassReason,
    links: { members?: readonly Member[]; followers?: readonly Listed[]; explainedBy?: string },
  ): Draft {
    const { members = [], followers = [], explainedBy } = links;
    const wire = wireSymptom(item.symptom, this.input.redact);
    const own = state && this.#remedy(item, state, wire);
    const others = members.map((member) =>
      this.#remedy(member.item, member.state, wireSymptom(member.item.symptom, this.input.redact)),
    );
    const pending = [own, ...others].find((remedy) => remedy?.pending !== undefined);
    const listedFollowers = followers.slice(0, MAX_EXPLAINS);
    const isInhibiting = followers.length > 0 || explainedBy !== undefined;
    const policy = inTableOrder([
      ...this.#releasedBy(reason, state),
      ...(isInhibiting ? (['inhibition_enabled'] as const) : []),
      ...[own, ...others].flatMap((remedy) => remedy?.policy ?? []),
    ]);
    const detail = detailOf(wire, {
      policy: policy.length > 0 ? policy : undefined,
      pending_action: pending?.pending,
      ...own?.detail,
      explains:
        listedFollowers.length > 0 ? listedFollowers.map((follower) => this.#reference(follower)) : undefined,
      explained_by: explainedBy,
    });
    const first: PlannedIntent = { carries: [], build: () => report(wire, detail) };
    return {
      item,
      wire,
      reason,
      intents: [first, ...[own, ...others].flatMap((remedy) => remedy?.intent ?? [])],
      policy,
      explains: listedFollowers.map(({ key }) => key),
      ...(state?.holdback && { holdback: state.holdback }),
    };
  }

  #reference({ symptom }: Listed): Json {
    return {
      symptom: symptom.name,
      severity: symptom.severity,
      subject: wireSubject(symptom.subject, this.input.redact),
    };
  }

  /** The field that let a muted key through. */
  #releasedBy(reason: PassReason, state: RemedyState | undefined): LadderField[] {
    if (reason === 'escalation') return ['escalation_bypasses_cooldown'];
    if (reason === 'time') return ['cooldown_release_s'];
    if (reason === 'explains') return ['inhibition_enabled'];
    if (reason !== 'remedy' || state === undefined) return [];
    if (state.confirmations === state.needed) return ['destructive_confirmations'];
    return state.action.kind === 'recover' ? ['recover_backoff_ticks'] : [];
  }

  /** What becomes of a destructive intent in an alert that goes out. */
  #remedy(item: Listed, state: RemedyState, wire: WireSymptom): RemedyParts {
    const { action, verdict } = state;
    if (verdict.kind === 'off') {
      const family = action.kind === 'prune' ? wireLine(action.family, this.input.redact) : undefined;
      const key = verdict.by === 'protected_families' ? 'protected' : 'already_pruned';
      return { policy: [verdict.by], detail: { [key]: family } };
    }
    if (verdict.kind === 'held') {
      const policy = verdict.by === 'closing_phase' ? [] : [verdict.by];
      return { policy, detail: {}, pending: pendingAction(state, verdict, this.input.redact) };
    }
    if (action.kind === 'prune') {
      this.#prunedNow.add(action.family);
      const intent = this.#prune(action.family, wire);
      if (intent === undefined) return { policy: [], detail: {} };
      const effect = { kind: 'prune', family: action.family } as const;
      return { policy: [], detail: {}, intent: { carries: [item.key], effect, build: () => intent } };
    }
    const added = this.#recovers.add(item.key, action, wire);
    if ('mergedInto' in added) {
      return { policy: ['max_recovers_per_tick'], detail: { merged_into: added.mergedInto.idempotencyKey } };
    }
    const { carries, build } = added.own;
    return { policy: [], detail: {}, intent: { carries, effect: { kind: 'recover' }, build } };
  }

  #prune(family: string, wire: WireSymptom): Intent | undefined {
    const built = pruneBranch({ family: wireLine(family, this.input.redact), reason: wire.summary });
    return built.ok ? built.intent : undefined;
  }
}

interface RemedyParts {
  readonly policy: readonly LadderField[];
  readonly detail: Readonly<Record<string, Json | undefined>>;
  readonly pending?: Json;
  readonly intent?: PlannedIntent;
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
