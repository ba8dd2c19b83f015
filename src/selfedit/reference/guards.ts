import { frozenContent, frozenSections } from '../prompt/frozen.js';
import { diffCounts } from '../prompt/line-diff.js';

/**
 * Lexical drift of the reference since 0.3: 1 − cosine of raw counts weighted by idf = 1 + ln(2/(df + 1)) over the two texts
 * (spec 08 §12). Blind to order and negation.
 *
 * @param oldFormula the 0.1 and 0.2 weight 1 + 2/(df + 1)
 */
export function lexicalDrift(before: string, after: string, oldFormula = false): number {
  if (before.trim() === after.trim()) return 0;
  const a = counts(before);
  const b = counts(after);
  if (a.size === 0 || b.size === 0) return 1;
  let dot = 0;
  let lengthA = 0;
  let lengthB = 0;
  for (const word of new Set([...a.keys(), ...b.keys()])) {
    const ratio = 2 / ((a.has(word) ? 1 : 0) + (b.has(word) ? 1 : 0) + 1);
    const idf = 1 + (oldFormula ? ratio : Math.log(ratio));
    const x = (a.get(word) ?? 0) * idf;
    const y = (b.get(word) ?? 0) * idf;
    dot += x * y;
    lengthA += x * x;
    lengthB += y * y;
  }
  return 1 - dot / Math.sqrt(lengthA * lengthB);
}

function counts(text: string): Map<string, number> {
  const found = new Map<string, number>();
  for (const word of text.toLowerCase().match(/[a-z0-9_]+/g) ?? [])
    found.set(word, (found.get(word) ?? 0) + 1);
  return found;
}

/** Share that one expected output, or words common to all, may have; passes up to 0.80 (spec 08 §12). */
export function oracleDrift(outputs: readonly string[]): number {
  const usable = outputs.filter((one) => one.trim() !== '');
  if (usable.length < 2) return 0;
  const byValue = new Map<string, number>();
  for (const one of usable) byValue.set(one, (byValue.get(one) ?? 0) + 1);
  const words = usable.map((one) => new Set(one.toLowerCase().match(/[a-z0-9_]+/g) ?? []));
  const distinct = new Set(words.flatMap((set) => [...set]));
  const common = [...distinct].filter((word) => word.length > 2 && words.every((set) => set.has(word)));
  return Math.max(Math.max(...byValue.values()) / usable.length, common.length / Math.max(1, distinct.size));
}

/** The edit of the reference: every occurrence is replaced. */
export interface ReferenceEdit {
  readonly old_text: string;
  readonly new_text: string;
}

/** Frozen contents that the candidate no longer has, or names that the prompt lacks; 0 passes (spec 08 §13 no. 4). */
export function frozenViolations(prompt: string, edit: ReferenceEdit, names: readonly string[] = []): number {
  const reading = frozenSections(prompt, false);
  if (!reading.ok) return 1;
  const missing = names.filter((name) => !reading.sections.some((section) => section.name === name)).length;
  if (missing > 0) return missing;
  if (edit.old_text === '' || !prompt.includes(edit.old_text)) return 1;
  const candidate = prompt.replaceAll(edit.old_text, edit.new_text);
  const judged = reading.sections.filter(({ name }) => names.length === 0 || names.includes(name));
  return judged.filter((section) => !candidate.includes(frozenContent(prompt, section).join('\n'))).length;
}

/** Lines that the edit changes. */
export function editDistance(prompt: string, edit: ReferenceEdit): number {
  return diffCounts(prompt, prompt.replaceAll(edit.old_text, edit.new_text)).total;
}
