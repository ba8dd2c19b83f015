import type { Draft } from './draft.js';
import { type Evaluation, entryOf, isEpisodeOver, silenceOfEntry } from './evaluation.js';
import type { SymptomLookup } from './inhibition.js';
import { splitKey } from './key.js';
import { backoffOf, MAX_BACKOFF_FACTOR } from './remedy-state.js';
import { isNoticeDue, type ResolvedNotice } from './resolved.js';
import type { Sent } from './send.js';
import { MAX_EXPLAINS, MAX_KEYS } from './slot.js';

/** Step 10 for one symptom: records what went out of it; the silence that it now keeps, in ticks. */
export function commitSent(evaluation: Evaluation, { draft, intents }: Sent): number {
  const { slot, tick, now, config } = evaluation;
  const { key, symptom } = draft.item;
  for (const { planned, rule } of intents) {
    for (const carried of planned.carries) {
      entryOf(slot, carried).remedy = rule === undefined ? 'sent' : 'held';
    }
    if (rule !== undefined || planned.effect === undefined) continue;
    if (planned.effect.kind === 'recover') noteRecover(evaluation);
    else slot.pruned.set(planned.effect.family, tick);
  }
  const entry = entryOf(slot, key);
  if (intents.every(({ rule }) => rule !== undefined)) return silenceOfEntry(entry, config);
  entry.silence = nextSilence(evaluation, draft);
  entry.severity = symptom.severity;
  entry.emittedUnix = now;
  entry.peak = tick;
  if (symptom.severity === 'high') entry.notice = true;
  entry.explained = [...new Set([...entry.explained, ...draft.explains])].slice(0, MAX_EXPLAINS);
  if (draft.explains.length > 0) slot.named.set(key, draft.explains);
  else slot.named.delete(key);
  slot.lastEmitted.set(key, tick);
  return entry.silence;
}

function nextSilence({ config, slot }: Evaluation, { item, reason }: Draft): number {
  const { cooldown_ticks: cooldown, reminder_backoff: factor, reminder_max_ticks: longest } = config;
  const entry = entryOf(slot, item.key);
  // Null for the first emission of an episode.
  if (cooldown <= 0 || entry.severity !== item.symptom.severity) return cooldown;
  const silence = silenceOfEntry(entry, config);
  if (reason === 'remedy' || reason === 'explains') return silence;
  return Math.min(Math.max(longest, cooldown), Math.max(cooldown, Math.floor(silence * factor)));
}

function noteRecover({ slot, tick, now, config }: Evaluation): void {
  const step = config.recover_backoff_ticks;
  const before = slot.recover;
  // The second recover of one tick does not double what the first has just set.
  if (before !== null && before.tick === tick && before.unix === now) return;
  const backoff = before === null ? 0 : backoffOf(before, step);
  const isForgotten = before === null || tick - before.tick >= backoff + MAX_BACKOFF_FACTOR * step;
  slot.recover = {
    tick,
    unix: now,
    backoff: isForgotten ? step : Math.min(MAX_BACKOFF_FACTOR * step, 2 * backoff),
  };
}

/** A resolved notice went out: a return of the symptom is to be reported soon. */
export function commitNotice({ slot, config }: Evaluation, { key }: ResolvedNotice): void {
  const entry = entryOf(slot, key);
  entry.notice = false;
  entry.silence = config.cooldown_ticks;
}

/** Events that were emitted go on explaining for a while after they were last present (spec 04 §13.1). */
export function notePresentEvents(evaluation: Evaluation, lookup: SymptomLookup): void {
  const { slot, now, listed, config } = evaluation;
  for (const { key, symptom } of listed) {
    const isEvent = lookup.specOf(symptom.name)?.nature === 'event';
    if (isEvent && entryOf(slot, key).severity !== null)
      slot.lastPresent.set(key, { unix: now, severity: symptom.severity });
  }
  for (const [key, { unix }] of slot.lastPresent) {
    if (now < unix || now - unix > config.inhibition_event_s) slot.lastPresent.delete(key);
  }
  keepNewest(slot.lastPresent, ({ unix }) => unix);
}

/** Drops what is over and bounds what is left (spec 05 A.12.1, A.12.2 step 10). */
export function tidy(evaluation: Evaluation, lookup: SymptomLookup): void {
  const { slot, tick, config } = evaluation;
  for (const [key, entry] of slot.entries) {
    const isOwed = config.resolved_notices && isNoticeDue(entry, splitKey(key).name, lookup);
    if (isEpisodeOver(entry, tick, config) && !isOwed) slot.entries.delete(key);
  }
  if (config.tick_regression_resets) {
    const kept = Math.max(500, 100 * config.cooldown_ticks);
    for (const [key, last] of slot.lastEmitted) if (tick - last >= kept) slot.lastEmitted.delete(key);
  }
  keepNewest(slot.entries, (entry) => entry.absentSince ?? Number.POSITIVE_INFINITY);
  keepNewest(slot.lastEmitted, (last) => last);
  keepNewest(slot.pruned, (at) => at);
  for (const root of slot.named.keys()) if (!slot.entries.has(root)) slot.named.delete(root);
}

function keepNewest<T>(map: Map<string, T>, age: (value: T) => number): void {
  if (map.size <= MAX_KEYS) return;
  const oldestFirst = [...map].sort(([, a], [, b]) => compareAges(age(a), age(b)));
  for (const [key] of oldestFirst.slice(0, map.size - MAX_KEYS)) map.delete(key);
}

function compareAges(a: number, b: number): number {
  return a === b ? 0 : a - b;
}
