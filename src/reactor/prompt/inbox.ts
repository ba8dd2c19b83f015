import { isObject, type Json, type JsonObject } from '../../foreign/json.js';
import { parsePythonLiteral } from '../../foreign/python-literal.js';
import { PY_SPACE, trimEndPython, trimPython, trimStartPython } from '../../foreign/python-space.js';
import type { InboxItem } from '../context.js';
import { scanHead } from './head-fields.js';

/** Rows kept of one prompt: the newest (spec 01 §12 G8). */
export const MAX_INBOX_ROWS = 5000;

const S = `[${PY_SPACE}]`;
const N = `[^${PY_SPACE}]`;
const ROW = new RegExp(
  `^${S}+seq=(\\d+)${S}+(?:msg_id=(${N}+)${S}+)?from=(${N}+)${S}+topic=(${N}+)${S}?(.*)$`,
  'su',
);
const NOTHING_NEW = '(no new messages)';

export interface ParsedInbox {
  readonly items: readonly InboxItem[];
  readonly warnings: readonly string[];
}

/** Reads the inbox rows, newest last (spec 01 §2.8); a row that cannot be read costs itself and one warning. */
export function parseInbox(lines: readonly string[]): ParsedInbox {
  const rows = lines.filter((line) => trimPython(line) !== '');
  const warnings: string[] = [];
  const dropped = Math.max(0, rows.length - MAX_INBOX_ROWS);
  if (dropped > 0) warnings.push(`inbox: the ${dropped} oldest of ${rows.length} rows were dropped`);
  const items: InboxItem[] = [];
  for (const row of rows.slice(dropped)) {
    if (trimStartPython(row).startsWith(NOTHING_NEW)) {
      if (rows.length === 1) return { items: [], warnings };
      warnings.push(`inbox: a row says ${NOTHING_NEW} beside others`);
      continue;
    }
    const item = parseRow(row, warnings);
    if (item === undefined) warnings.push(`inbox row not readable: ${trimPython(row)}`);
    else items.push(item);
  }
  return { items, warnings };
}

function parseRow(row: string, warnings: string[]): InboxItem | undefined {
  const match = ROW.exec(row);
  const seq = Number(match?.[1]);
  if (!match || !Number.isFinite(seq)) return undefined;
  return {
    seq,
    msg_id: match[2] ?? '',
    from_agent: match[3] ?? '',
    topic: match[4] ?? '',
    payload: parseTail(trimPython(match[5] ?? ''), warnings),
  };
}

/**
 * Decodes what follows the topic: head fields, then an optional payload literal whose entries override them (spec 01
 * §2.8). Quoted values are skipped as a whole, so `payload=` or `k=v` inside them is text (spec 01 §12 G2).
 */
function parseTail(tail: string, warnings: string[]): JsonObject {
  const { fields, payloadAt } = scanHead(tail);
  const entries = new Map<string, Json>();
  for (const [key, raw] of fields) {
    const literal = parsePythonLiteral(raw);
    if (!literal.ok) warnings.push(`inbox field ${key} is no literal: ${raw}`);
    entries.set(key, literal.ok ? literal.value : raw);
  }
  if (payloadAt !== undefined) {
    const payload = payloadEntries(trimEndPython(tail.slice(payloadAt)), warnings);
    for (const [key, value] of Object.entries(payload)) {
      if (value !== undefined) entries.set(key, value);
    }
  }
  return Object.fromEntries(entries);
}

function payloadEntries(source: string, warnings: string[]): JsonObject {
  if (source === '') return {};
  const literal = parsePythonLiteral(source);
  if (!literal.ok) {
    warnings.push(`inbox payload is no literal: ${source}`);
    return { raw: source };
  }
  if (literal.type === 'dict' && isObject(literal.value)) return literal.value;
  return { raw: source, decoded_type: literal.type };
}
