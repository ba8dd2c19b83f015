import type { Redact } from '../../foreign/redact.js';
import { type GuardContext, violationOf } from '../policy-guard.js';
import { Composer, type Member } from './compose.js';
import type { Draft } from './draft.js';
import { type Evaluation, entryOf, type Listed } from './evaluation.js';
import type { Explained } from './inhibition.js';
import { passReason } from './passing.js';
import { remedyIntent } from './remedy-intents.js';
import { type RemedySession, type RemedyState, remedyState } from './remedy-state.js';
import { MAX_EXPLAINS } from './slot.js';
import { wireSymptom } from './wire.js';

export interface PlanInput {
  readonly evaluation: Evaluation;
  readonly explained: ReadonlyMap<string, Explained>;
  /** Keys that an operator silenced. */
  readonly silenced: ReadonlySet<string>;
  readonly session: RemedySession;
  readonly guard: GuardContext;
  readonly redact: Redact;
}

/** Steps 4 to 6 of one evaluation, symptom by symptom in list order (spec 05 A.12.2, 04 §13.3 and §13.4). */
export class Plan {
  readonly #composer: Composer;
  readonly #followers = new Map<string, Listed[]>();
  /** Keys that some alert has named since they appeared. */
  readonly #named: ReadonlySet<string>;

  constructor(private readonly input: PlanInput) {
    const { evaluation, explained } = input;
    this.#composer = new Composer(input.redact, evaluation.config.max_recovers_per_tick);
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
    const state = remedyState(evaluation, item, session, this.#composer.prunedNow);
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
    return reason && this.#composer.compose(item, state, reason, { members, followers });
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
    return this.#composer.compose(item, state, 'remedy', { explainedBy: why.rootKey });
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
    const intent = remedyIntent(
      state.action,
      wireSymptom(item.symptom, this.input.redact),
      this.input.redact,
    );
    return intent !== undefined && violationOf(intent, this.input.guard) === undefined;
  }

  /** True when a HIGH symptom that this one explains was named by no alert since it appeared (spec 04 §13.3). */
  #explainsUnnamed(item: Listed, followers: readonly Listed[]): boolean {
    const { evaluation, silenced } = this.input;
    if (entryOf(evaluation.slot, item.key).explained.length >= MAX_EXPLAINS) return false;
    return followers.some(
      ({ key, symptom }) => symptom.severity === 'high' && !silenced.has(key) && !this.#named.has(key),
    );
  }
}
