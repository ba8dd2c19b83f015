import { type Evaluation, entryOf, isEpisodeOver, type Listed } from './evaluation.js';
import { splitKey } from './key.js';
import { type Entry, isAbove, type LadderSlot } from './slot.js';

/** Step 2 (spec 05 A.12.2): who is here, who is gone, who cannot be judged. */
export function notePresence(evaluation: Evaluation, undecided: ReadonlySet<string>): void {
  const { slot, listed } = evaluation;
  for (const item of listed) notePresent(evaluation, item);
  const present = new Set(listed.map(({ key }) => key));
  for (const [key, entry] of slot.entries) {
    if (present.has(key) || undecided.has(splitKey(key).name)) continue;
    noteAbsent(evaluation, entry);
  }
}

function notePresent(evaluation: Evaluation, { key, symptom }: Listed): void {
  const { slot, tick, config, isRepeated } = evaluation;
  if (!slot.entries.has(key)) forgetNaming(slot, key);
  const entry = entryOf(slot, key);
  if (isEpisodeOver(entry, tick, config)) {
    forgetEpisode(entry);
    forgetNaming(slot, key);
  }
  entry.absent = 0;
  entry.absentSince = null;
  if (entry.severity !== null && !isAbove(entry.severity, symptom.severity)) entry.peak = tick;
  if (symptom.severity !== 'high') {
    endStreak(entry);
    return;
  }
  if (entry.streak === 0) entry.highSince = tick;
  if (!isRepeated || entry.streak === 0) entry.streak += 1;
}

function noteAbsent({ tick, isRepeated }: Evaluation, entry: Entry): void {
  endStreak(entry);
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
function forgetNaming(slot: LadderSlot, key: string): void {
  for (const [root, keys] of slot.named) {
    if (keys.includes(key)) slot.named.set(root, without(keys, key));
  }
  for (const entry of slot.entries.values()) {
    if (entry.explained.includes(key)) entry.explained = without(entry.explained, key);
  }
}

function without(keys: readonly string[], key: string): string[] {
  return keys.filter((other) => other !== key);
}
