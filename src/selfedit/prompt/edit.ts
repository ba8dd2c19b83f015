import type { Json } from '../../foreign/json.js';
import { sha256 } from '../hash.js';

/** What an edit is meant to do, a closed list (spec 08 §24.5). */
export const INTENTS = [
  'add_rule',
  'tighten_rule',
  'relax_rule',
  'add_example',
  'reorder',
  'remove',
  'format',
  'procedure',
] as const;

export type Intent = (typeof INTENTS)[number];

/** One change of a text; `new_text` is empty for `delete` alone. `occurrence` counts from 1. */
export type EditOp = {
  readonly op: 'replace' | 'insert_after' | 'delete';
  readonly old_text: string;
  readonly new_text: string;
  readonly occurrence?: number;
};

/** A proposed change of a prompt (spec 08 §22). */
export type Edit = {
  readonly edit_id: string;
  readonly base_version: number;
  readonly base_sha256: string;
  readonly ops: readonly EditOp[];
  readonly section: string;
  readonly hypothesis: string;
  readonly intent: Intent;
  readonly expected: { readonly segments: readonly string[]; readonly net: number };
  readonly evidence_traces: readonly string[];
  /** Ids of the two edits that it unites; they count as its parts. */
  readonly merged_from?: readonly string[];
};

/** The changed text, or why the change does not apply. */
export type Applied =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly problem: string };

const MAX_BYTES = 32 * 1024;

/** LF line ends throughout. */
export function normaliseLines(text: string): string {
  return text.replace(/\r\n?/g, '\n');
}

/** `<prompt_id>-<first 12 hex of SHA-256 of base hash and ops>`. */
export function editIdOf(promptId: string, baseSha256: string, ops: readonly EditOp[]): string {
  const source: Json = ops.map(({ op, old_text, new_text, occurrence = null }) => [
    op,
    old_text,
    new_text,
    occurrence,
  ]);
  return `${promptId}-${sha256(baseSha256 + JSON.stringify(source)).slice(0, 12)}`;
}

/**
 * Applies the operations one after another. Each text must match exactly once, or have the given occurrence; the result must
 * differ from the base and fit into 32 KiB (spec 08 §22).
 */
export function applyEdit(base: string, ops: readonly EditOp[]): Applied {
  let text = normaliseLines(base);
  if (ops.length === 0) return { ok: false, problem: 'the edit has no operation' };
  for (const [index, op] of ops.entries()) {
    const at = locate(text, op);
    if (typeof at === 'string') return { ok: false, problem: `operation ${index + 1}: ${at}` };
    text = perform(text, op, at);
  }
  if (text === normaliseLines(base)) return { ok: false, problem: 'the edit changes nothing' };
  if (text.trim() === '') return { ok: false, problem: 'nothing of the prompt would remain' };
  if (Buffer.byteLength(text) > MAX_BYTES) return { ok: false, problem: 'the result exceeds 32 KiB' };
  return { ok: true, text };
}

function locate(text: string, { op, old_text: raw, new_text, occurrence }: EditOp): number | string {
  const old = normaliseLines(raw);
  if (old.trim() === '') return 'old_text is empty';
  if (op !== 'delete' && new_text.trim() === '') return 'new_text is empty';
  const places: number[] = [];
  for (let at = text.indexOf(old); at >= 0; at = text.indexOf(old, at + 1)) places.push(at);
  if (places.length === 0) return 'old_text does not occur in the prompt';
  if (occurrence !== undefined) return places[occurrence - 1] ?? `old_text has no occurrence ${occurrence}`;
  return places.length === 1 ? (places[0] ?? 0) : `old_text occurs ${places.length} times`;
}

function perform(text: string, { op, old_text: raw, new_text }: EditOp, at: number): string {
  const end = at + normaliseLines(raw).length;
  const added = normaliseLines(new_text);
  if (op === 'replace') return text.slice(0, at) + added + text.slice(end);
  if (op === 'insert_after') {
    const next = text.indexOf('\n', end);
    const lineEnd = next < 0 ? text.length : next;
    return `${text.slice(0, lineEnd)}\n${added.replace(/\n$/, '')}${text.slice(lineEnd)}`;
  }
  const isWholeLines = (at === 0 || text[at - 1] === '\n') && text[end] === '\n';
  return text.slice(0, at) + text.slice(isWholeLines ? end + 1 : end);
}
