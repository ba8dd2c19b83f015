import { type Evaluation, entryOf, isEpisodeOver, type Listed } from './evaluation.js';
import { splitKey } from './key.js';
import { type Entry, isAbove, type LadderSlot } from './slot.js';

/** Step 2 (spec 05 A.12.2): who is here, who is gone, who cannot be judged. */
export function notePresence(evaluation: Evaluation, undecided: ReadonlySet<string>): void {
  const { slot, listed } = evaluation;
  const appeared = listed.filter((item) => notePresent(evaluation, item)).map(({ key }) => key);
  forgetNaming(slot, new Set(appeared));
  const present = new Set(listed.map(({ key }) => key));
  for (const [key, entry] of slot.entries) {
    if (present.has(key) || undecided.has(splitKey(key).name)) continue;
    noteAbsent(evaluation, entry);
  }
}

/** True when the key begins a new episode. */
function notePresent(evaluation: Evaluation, { key, symptom }: Listed): boolean {
  const { slot, tick, config, isRepeated } = evaluation;
  const isKnown = slot.entries.has(key);
  const entry = entryOf(slot, key);
  const isNew = !isKnown || isEpisodeOver(entry, tick, config);
  if (isNew) forgetEpisode(entry);
  entry.absent = 0;
  entry.absentSince = null;
  if (entry.severity !== null && !isAbove(entry.severity, symptom.severity)) entry.peak = tick;
  if (symptom.severity !== 'high') {
    // A streak at HIGH that ends begins the count anew; a repeated turn counts nothing a second time.
    if (isNew || entry.streak > 0) entry.below = 0;
    if (!isRepeated || entry.below === 0) entry.below += 1;
    endStreak(entry);
    return isNew;
  }
  if (isNew) entry.below = 0;
  if (entry.streak === 0) entry.highSince = tick;
  if (!isRepeated || entry.streak === 0) entry.streak += 1;
  return isNew;
}

function noteAbsent({ tick, isRepeated }: Evaluation, entry: Entry): void {
  endStreak(entry);
  entry.below = 0;
  if (!isRepeated || entry.absent === 0) entry.absent += 1;
  entry.absentSince ??= tick;
}

function endStreak(entry: Entry): void {
  entry.streak = 0;
  entry.highSince = null;
  entry.remedy = 'none';
}

function forgetEpisode(entry: Entry): void {
  entry.severity = null;
  entry.emittedUnix = null;
  entry.silence = null;
  entry.peak = null;
  entry.notice = false;
  entry.explained = [];
}

/** A key that appears anew has not been named by anyone since (spec 04 §13.3). */
function forgetNaming(slot: LadderSlot, appeared: ReadonlySet<string>): void {
  if (appeared.size === 0) return;
  const others = (keys: readonly string[]): string[] => keys.filter((key) => !appeared.has(key));
  for (const [root, keys] of slot.named) slot.named.set(root, others(keys));
  for (const entry of slot.entries.values()) entry.explained = others(entry.explained);
}
