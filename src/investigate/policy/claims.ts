import type { Claim } from '../model/heal-result.js';
import type { Receipt } from '../model/receipt.js';

/** A statement before it is checked. */
export interface Statement {
  readonly text: string;
  readonly receiptIds: readonly string[];
  readonly quote: string | null;
}

export interface Citations {
  readonly receipts: readonly Receipt[];
  /** The stored, redacted answer of a receipt. */
  readonly payload: (receiptId: string) => string | undefined;
}

export interface CheckedClaim {
  readonly claim: Claim;
  /** Why it is not verified, null when it is. */
  readonly problem: string | null;
}

/** What a statement may only say when a cited answer holds it (spec 07 B11.2). */
const FACTS: readonly RegExp[] = [
  /\b\d+(?:\.\d+)?(?=\s?(?:ms|s|sec|seconds|minutes|min|h|hours|[KMGT]i?B|bytes|%|°C|W|tokens?|requests?)\b|%)/g,
  /\b[0-9a-f]{16,32}\b/g,
  /(?<=\btask[: ])[\w.-]*\d[\w.-]*/gi,
  /(?:[\w@.-]+\/)+[\w@.-]*[\w@-]/g,
  /(?<=\blines? )\d+\b/gi,
];
const ABSENCE = /\b(?:no|not|none|nothing|without|absent|never|empty)\b/i;
const MAX_TEXT = 600;

/** Checks one statement against the receipts that it cites. */
export function checkClaim({ text, receiptIds, quote }: Statement, citations: Citations): CheckedClaim {
  const problem = problemOf(text, receiptIds, quote, citations);
  const claim = {
    text: text.slice(0, MAX_TEXT),
    receipt_ids: [...receiptIds],
    quote,
    verified: problem === null,
  };
  return { claim, problem };
}

function problemOf(
  text: string,
  ids: readonly string[],
  quote: string | null,
  { receipts, payload }: Citations,
): string | null {
  if (ids.length === 0) return 'it cites no receipt';
  for (const id of ids) {
    const receipt = receipts.find((one) => one.receipt_id === id);
    if (receipt === undefined) return `there is no receipt ${id.slice(0, 20)}`;
    const mayCite = receipt.status === 'ok' || (receipt.status === 'empty' && ABSENCE.test(text));
    if (!mayCite) return `receipt ${id} is ${receipt.status}`;
  }
  const sources = ids.map((id) => squeeze(payload(id) ?? ''));
  if (quote !== null && !sources.some((source) => source.includes(inJson(quote)))) {
    return 'the quoted text is in none of the cited results';
  }
  const missing = factsOf(text).find((fact) => !sources.some((source) => holds(source, fact)));
  return missing === undefined ? null : `${missing.slice(0, 80)} is in none of the cited results`;
}

function factsOf(text: string): string[] {
  return FACTS.flatMap((pattern) => [...text.matchAll(pattern)].map(([fact]) => fact));
}

function holds(source: string, fact: string): boolean {
  if (!/^\d/.test(fact)) return source.includes(inJson(fact));
  for (let at = source.indexOf(fact); at >= 0; at = source.indexOf(fact, at + 1)) {
    const [before, after] = [source[at - 1] ?? ' ', source[at + fact.length] ?? ' '];
    if (!/[\d.]/.test(before) && !/\d/.test(after)) return true;
  }
  return false;
}

function inJson(text: string): string {
  return squeeze(JSON.stringify(text.trim()).slice(1, -1));
}

/** White space of any kind as one blank, also where JSON escapes it. */
function squeeze(text: string): string {
  return text.replace(/(?:\s|\\[ntr])+/g, ' ');
}
