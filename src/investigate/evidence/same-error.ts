import type { EvidenceItem } from '../model/evidence.js';
import { CONSEQUENCES } from './fingerprint-table.js';

/** An error in the words in which it was seen. */
export interface ShownError {
  readonly fingerprint: string | null;
  readonly text: string | null;
}

const EXCEPTION = /\b[A-Z]\w{0,100}(?:Error|Exception)\b/g;

/**
 * True when an error is one of those that some items report; items without a fingerprint say nothing, so alone they agree
 * with any. Effects count only where no cause is named, and exceptions of one's own are told apart by their names.
 */
export function isAmong(error: ShownError, items: readonly EvidenceItem[]): boolean {
  const typed = items.filter(({ fingerprint }) => fingerprint !== null);
  const causes = typed.filter(({ fingerprint }) => fingerprint !== null && !CONSEQUENCES.has(fingerprint));
  const told = (causes.length > 0 ? causes : typed).filter(
    ({ fingerprint }) => fingerprint === error.fingerprint,
  );
  if (told.length === 0) return typed.length === 0;
  const names = told.flatMap(({ text }) => namesIn(text));
  const own = namesIn(error.text);
  return names.length === 0 || own.length === 0 || own.some((name) => names.includes(name));
}

function namesIn(text: string | null): string[] {
  return text?.match(EXCEPTION) ?? [];
}
