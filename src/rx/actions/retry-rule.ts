import type { ActionSpec, Config, Verdict } from '../types.js';
import { configKey } from './patch.js';

/** An attempt as the retry rule remembers it. */
export interface TriedAction {
  readonly action_id: string;
  readonly config: Config;
  readonly verdict: Verdict;
}

/** Whether an action may be tried on a configuration, given what was tried. */
export type RetryRule = (action: ActionSpec, config: Config, tried: readonly TriedAction[]) => boolean;

/** The reference's: once per whole configuration (06 C.1). */
export const oncePerConfiguration: RetryRule = (action, config, tried) => {
  const key = configKey(config);
  return !tried.some((past) => past.action_id === action.action_id && configKey(past.config) === key);
};

/**
 * Ours (06 F.7.9): besides, an action that showed nothing (`inert`, `futile`) waits until its own knob or one that acts on
 * the same class has changed since.
 *
 * @param actions the whole catalogue
 */
export function retryWhenRelatedKnobChanged(actions: readonly ActionSpec[]): RetryRule {
  return (action, config, tried) => {
    if (!oncePerConfiguration(action, config, tried)) return false;
    const last = tried.findLast((past) => past.action_id === action.action_id);
    if (last === undefined || (last.verdict !== 'inert' && last.verdict !== 'futile')) return true;
    return relatedKnobs(action, actions).some((knob) => last.config[knob] !== config[knob]);
  };
}

function relatedKnobs(action: ActionSpec, actions: readonly ActionSpec[]): string[] {
  return actions
    .filter((other) => other === action || other.targets.some((target) => action.targets.includes(target)))
    .map((other) => other.knob);
}
