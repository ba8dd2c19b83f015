import { patchOf } from '../actions/patch.js';
import type { RetryRule, TriedAction } from '../actions/retry-rule.js';
import type {
  ActionSpec,
  Catalogue,
  Config,
  LoopIncident,
  PastAttempt,
  Patch,
  Proposal,
  Propose,
  RankedIncident,
} from '../types.js';

/** The attempt that an iteration makes. */
export interface ChosenAttempt<I> {
  readonly incident: I;
  readonly priority: number;
  readonly proposal: Proposal;
  readonly action: ActionSpec;
  readonly patch: Patch;
}

/** What a choice depends on besides the ranking. */
export interface ChoiceContext<I extends LoopIncident> {
  readonly catalogue: Catalogue;
  readonly config: Config;
  readonly tried: readonly TriedAction[];
  readonly history: readonly PastAttempt[];
  readonly mayTry: RetryRule;
  readonly propose: Propose<I>;
}

/** The first proposal, in rank order, that changes the configuration and may be tried; null when none is left (06 C.1). */
export async function chooseAttempt<I extends LoopIncident>(
  ranked: readonly RankedIncident<I>[],
  context: ChoiceContext<I>,
): Promise<ChosenAttempt<I> | null> {
  const { catalogue, config, tried, history, mayTry, propose } = context;
  for (const { incident, priority } of ranked) {
    const open = catalogue.actions.filter(
      (action) => patchOf(action, config) !== null && mayTry(action, config, tried),
    );
    if (open.length === 0) return null;
    for (const proposal of await propose(incident, { config, actions: open, history })) {
      const action = open.find(({ action_id }) => action_id === proposal.action_id);
      const patch = action === undefined ? null : patchOf(action, config);
      if (action !== undefined && patch !== null) return { incident, priority, proposal, action, patch };
    }
  }
  return null;
}
