import type { JsonObject } from '../../foreign/json.js';
import { type Slots, slotOf } from '../../reactor/store/slots.js';

/** Slot of the detector state that remembers what was said about prompts of ours. */
export const SELFEDIT_SLOT = 'selfedit';

/** What to say now, and what to remember; both absent when nothing changed. */
export interface SaidOnce {
  readonly slot?: JsonObject;
  readonly warning?: string;
}

/**
 * A doubt about a promoted prompt is told with the first tick that meets it, not with every one (spec 08 §26.10); told anew
 * when it is another, or comes back after it was gone.
 */
export function saidOnce(slots: Slots, promptId: string, problem: string | undefined): SaidOnce {
  const told = slotOf(slots, SELFEDIT_SLOT);
  const before = told[promptId];
  if (problem === undefined) return before === undefined ? {} : { slot: { ...told, [promptId]: undefined } };
  if (before === problem) return {};
  return {
    slot: { ...told, [promptId]: problem },
    warning: `the built-in prompt ${promptId} is used, not the promoted one: ${problem}`,
  };
}
