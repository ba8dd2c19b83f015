import type { EvidenceItem } from '../model/evidence.js';
import { CONSEQUENCES } from './fingerprint-table.js';

/** An error in the words in which it was seen. */
export interface ShownError {
  readonly fingerprint: string | null;
  readonly text: string | null;
}

const EXCEPTION = /\b[A-Z]\w{0,100}(?:Error|Exception)\b/g;

/** True when an error is one of those that some items report; an item without a fingerprint may be of any. */
export function isAmong(error: ShownError, items: readonly EvidenceItem[]): boolean {
  return items.some((item) => item.fingerprint === null || isSame(error, item));
}

/** The same fingerprint, and the same exception where both name one; what only says that something failed needs its name. */
function isSame(a: ShownError, b: ShownError): boolean {
  if (a.fingerprint === null || a.fingerprint !== b.fingerprint) return false;
  const names = namesIn(b.text);
  const own = namesIn(a.text);
  if (own.some((name) => names.includes(name))) return true;
  return !CONSEQUENCES.has(a.fingerprint) && (own.length === 0 || names.length === 0);
}

function namesIn(text: string | null): string[] {
  return text?.match(EXCEPTION) ?? [];
}
