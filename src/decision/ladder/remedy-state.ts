import { createHash } from 'node:crypto';
import { type Evaluation, entryOf, type Listed } from './evaluation.js';
import { type RemedyAction, remedyAction } from './remedies.js';
import type { Entry, RecoverMemory } from './slot.js';

/** A policy that keeps a destructive intent back. */
export type HeldBy = 'closing_phase' | 'destructive_confirmations' | 'recover_backoff_ticks';

/** An experiment on prunes: how likely this one was to wait, and whether it does (spec 06 F.10). */
export interface Holdback {
  readonly propensity: number;
  readonly held: boolean;
}

/** What becomes of a symptom's destructive intent in this evaluation (spec 05 A.12.2 step 4). */
export interface RemedyState {
  readonly action: RemedyAction;
  readonly verdict:
    | { readonly kind: 'ready' }
    | { readonly kind: 'off'; readonly by: 'protected_families' | 'repeat_prune' }
    | { readonly kind: 'held'; readonly by: HeldBy; readonly untilTick?: number };
  /** Consecutive evaluations that count, and how many are asked for. */
  readonly confirmations: number;
  readonly needed: number;
  /** Those below HIGH stood for one at HIGH, and it was needed. */
  readonly isConfirmedByLower: boolean;
  readonly holdback?: Holdback;
}

/** What the session says about destructive intents. */
export interface RemedySession {
  readonly sessionId: string;
  readonly closingPhase: boolean;
  /** Families that the prompt lists as pruned. */
  readonly prunedFamilies: readonly string[];
}

/** Step 4 for one symptom; undefined when it has no destructive intent. `prunedNow`: families of this evaluation. */
export function remedyState(
  evaluation: Evaluation,
  item: Listed,
  session: RemedySession,
  prunedNow: ReadonlySet<string>,
): RemedyState | undefined {
  const { tick, now, isReplayedTick } = evaluation;
  const plain = remedyAction(item.symptom, tick);
  if (plain === undefined) return undefined;
  const action =
    plain.kind === 'recover' && isReplayedTick
      ? { ...plain, idempotencyKey: `${plain.idempotencyKey}-${Math.trunc(now)}` }
      : plain;
  const entry = entryOf(evaluation.slot, item.key);
  const holdback = holdbackOf(evaluation, item, action, session);
  const needed = evaluation.config.destructive_confirmations + (holdback?.held ? 1 : 0);
  const confirmations = entry.streak + lowerLooks(evaluation, action, entry);
  const verdict = verdictOf(evaluation, action, confirmations, needed, session, prunedNow);
  const isConfirmedByLower = entry.streak < needed && confirmations >= needed;
  return { action, verdict, confirmations, needed, isConfirmedByLower, ...(holdback && { holdback }) };
}

function verdictOf(
  { config, slot, tick }: Evaluation,
  action: RemedyAction,
  confirmations: number,
  needed: number,
  session: RemedySession,
  prunedNow: ReadonlySet<string>,
): RemedyState['verdict'] {
  if (action.kind === 'prune') {
    const { family } = action;
    if (config.protected_families.includes(family)) return { kind: 'off', by: 'protected_families' };
    const isPruned =
      slot.pruned.has(family) || session.prunedFamilies.includes(family) || prunedNow.has(family);
    if (isPruned && !config.repeat_prune) return { kind: 'off', by: 'repeat_prune' };
  }
  if (session.closingPhase) return { kind: 'held', by: 'closing_phase' };
  if (confirmations < needed) return { kind: 'held', by: 'destructive_confirmations' };
  if (action.kind === 'recover' && slot.recover !== null && config.recover_backoff_ticks > 0) {
    const untilTick = slot.recover.tick + backoffOf(slot.recover, config.recover_backoff_ticks);
    if (tick < untilTick) return { kind: 'held', by: 'recover_backoff_ticks', untilTick };
  }
  return { kind: 'ready' };
}

/**
 * What was told below HIGH for some evaluations, and only grew, has been looked at before; without this its prune would take
 * three alerts. Never for a recover, which acts on what one look at the machine saw.
 */
function lowerLooks({ config }: Evaluation, action: RemedyAction, { below }: Entry): number {
  const { prune_lower_confirmations: wanted } = config;
  return action.kind === 'prune' && wanted > 0 && below >= wanted ? 1 : 0;
}

/** A recover's silence doubles up to this many times the configured ticks. */
export const MAX_BACKOFF_FACTOR = 16;

/** Silence after a recover, ticks; a stored figure never exceeds what the configuration allows. */
export function backoffOf(recover: RecoverMemory, configured: number): number {
  return Math.min(recover.backoff, MAX_BACKOFF_FACTOR * configured);
}

/** Draws, the same for a whole episode at HIGH, whether a prune waits for one more confirmation (spec 06 F.10). */
function holdbackOf(
  { config, slot }: Evaluation,
  { key }: Listed,
  action: RemedyAction,
  session: RemedySession,
): Holdback | undefined {
  if (action.kind !== 'prune' || !(config.holdback_pct > 0)) return undefined;
  const propensity = config.holdback_pct / 100;
  const seed = `holdback|${session.sessionId}|${key}|${entryOf(slot, key).highSince}`;
  const digest = createHash('sha256').update(seed, 'utf8').digest('hex');
  return { propensity, held: Number.parseInt(digest.slice(0, 13), 16) / 2 ** 52 < propensity };
}
