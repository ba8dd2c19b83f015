import { moveExternalPaths } from '../guard/path-containment.js';
import type { Intent } from '../intents.js';
import { type GuardContext, violationOf } from '../policy-guard.js';
import type { Draft, PlannedIntent } from './draft.js';

/** An intent that the guard kept back, by the host's rule id. */
export type DroppedIntent = { readonly intent_type: string; readonly rule: string };

/** A planned intent with what became of it. */
export interface SentIntent {
  readonly planned: PlannedIntent;
  readonly intent: Intent;
  /** The rule that it broke; undefined: it goes out. */
  readonly rule: string | undefined;
}

/** A draft after the guard. */
export interface Sent {
  readonly draft: Draft;
  readonly intents: readonly SentIntent[];
}

/** Step 9: builds the intents, moves paths that the host would deny, and drops what breaks a rule (spec 01 §4.1). */
export function sendDraft(draft: Draft, guard: GuardContext, warn: (message: string) => void): Sent {
  return {
    draft,
    intents: draft.intents.map((planned) => ({ planned, ...sendIntent(planned.build(), guard, warn) })),
  };
}

/** One intent through the guard. */
export function sendIntent(
  built: Intent,
  guard: GuardContext,
  warn: (message: string) => void,
): { intent: Intent; rule: string | undefined } {
  const intent = moveExternalPaths(built, guard.sessionDir);
  const violation = violationOf(intent, guard);
  if (violation !== undefined) warn(`dropped ${intent.intent_type} (${violation.rule}): ${violation.reason}`);
  return { intent, rule: violation?.rule };
}

/** The intents that go out. */
export function passed(intents: readonly SentIntent[]): Intent[] {
  return intents.filter(({ rule }) => rule === undefined).map(({ intent }) => intent);
}

/** What the guard kept back. */
export function droppedOf(intents: readonly SentIntent[]): DroppedIntent[] {
  return intents.flatMap(({ intent, rule }) =>
    rule === undefined ? [] : [{ intent_type: intent.intent_type, rule }],
  );
}
