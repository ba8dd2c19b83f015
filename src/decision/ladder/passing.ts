import { type Evaluation, entryOf, type Listed, silenceOfEntry } from './evaluation.js';
import { type Entry, isAbove } from './slot.js';

/** Why a symptom is sent (spec 05 A.12.2 step 5). */
export type PassReason = 'first' | 'elapsed' | 'escalation' | 'time' | 'remedy' | 'explains';

/** What the earlier steps found out about a symptom. */
export interface Standing {
  /** A held-back destructive intent may go out now. */
  readonly remedyDue: boolean;
  /** It explains a HIGH symptom that no alert has named. */
  readonly explainsUnnamed: boolean;
}

/** The first reason to send an unexplained symptom; undefined: it is muted. */
export function passReason(
  evaluation: Evaluation,
  item: Listed,
  { remedyDue, explainsUnnamed }: Standing,
): PassReason | undefined {
  const entry = entryOf(evaluation.slot, item.key);
  // What a latched symptom has to say for itself was said when its latch closed.
  const own = item.symptom.standing ? undefined : ownReason(evaluation, item, entry);
  if (own !== undefined) return own;
  if (remedyDue) return 'remedy';
  return explainsUnnamed ? 'explains' : undefined;
}

function ownReason(evaluation: Evaluation, item: Listed, entry: Entry): PassReason | undefined {
  const { tick, config, slot } = evaluation;
  const last = slot.lastEmitted.get(item.key);
  if (last === undefined) return 'first';
  const isWaning = waitsForHigher(evaluation, item, entry);
  const silence = silenceOfEntry(entry, config);
  if (!isWaning && tick - last >= silence) return 'elapsed';
  const { severity } = entry;
  if (config.escalation_bypasses_cooldown && severity !== null && isAbove(item.symptom.severity, severity)) {
    return 'escalation';
  }
  return !isWaning && isTimeOver(evaluation, entry, silence) ? 'time' : undefined;
}

/** A lower severity waits until the higher one has stayed away, so that a flapping symptom is not told up and down. */
function waitsForHigher({ tick, config }: Evaluation, { symptom }: Listed, entry: Entry): boolean {
  if (!config.escalation_bypasses_cooldown || entry.severity === null || entry.peak === null) return false;
  return isAbove(entry.severity, symptom.severity) && tick - entry.peak < config.cooldown_ticks;
}

/** Ticks can be hours: the silence also ends by the clock. One that went back releases nothing. */
function isTimeOver({ now, config }: Evaluation, { emittedUnix }: Entry, silence: number): boolean {
  const { cooldown_release_s: release, cooldown_ticks: cooldown } = config;
  if (release <= 0 || cooldown <= 0 || emittedUnix === null) return false;
  return now - emittedUnix >= (release * silence) / cooldown;
}
