import { closeSync, existsSync, fstatSync, openSync, readSync } from 'node:fs';
import { isObject, type JsonObject, parseJson } from '../../foreign/json.js';
import type { Check } from '../guards/check.js';
import { appendLine } from './files.js';

/** One edit's end (spec 08 §24.2). `alpha` is null before stage 2. */
export type AuditEntry = {
  readonly at: string;
  readonly edit_id: string;
  readonly run_id: string;
  readonly epoch: number;
  readonly alpha: number | null;
  readonly decision: 'promote' | 'near_miss' | 'reject';
  readonly verdict: string;
  readonly reason: string;
  readonly checks: readonly Check[];
};

/** Something that happened to a registry without an edit: a rollback. */
export type AuditEvent = {
  readonly at: string;
  readonly event: 'rollback';
  readonly from_version: number;
  readonly to_version: number;
  readonly reason: string;
};

/** The last lines, oldest first, and whether some could not be read. */
export interface AuditTail {
  readonly entries: readonly JsonObject[];
  readonly unreadable: number;
}

const MAX_LINE = 64 * 1024;
const MAX_TAIL = 1024 * 1024;

/** Appends one line of at most 64 KiB; a torn last line before it is ended first. */
export function appendAudit(path: string, entry: AuditEntry | AuditEvent): void {
  const line = JSON.stringify(entry);
  const bounded =
    Buffer.byteLength(line) < MAX_LINE ? line : JSON.stringify({ ...entry, checks: [], cut: true });
  appendLine(path, endsTorn(path) ? `\n${bounded}` : bounded);
}

/** Reads at most the last MiB: an audit of years costs no more than one of a day (spec 08 W35). */
export function readAuditTail(path: string, last: number): AuditTail {
  if (!existsSync(path)) return { entries: [], unreadable: 0 };
  const { text, isCut } = tailOf(path);
  const lines = text.split('\n').slice(isCut ? 1 : 0);
  const parsed = lines.filter((line) => line.trim() !== '').map((line) => parseJson(line));
  const entries = parsed.flatMap((json) => (json.ok && isObject(json.value) ? [json.value] : []));
  return { entries: entries.slice(-last), unreadable: parsed.length - entries.length };
}

function endsTorn(path: string): boolean {
  if (!existsSync(path)) return false;
  const file = openSync(path, 'r');
  try {
    const { size } = fstatSync(file);
    const byte = Buffer.alloc(1);
    return size > 0 && readSync(file, byte, 0, 1, size - 1) === 1 && byte[0] !== 0x0a;
  } finally {
    closeSync(file);
  }
}

function tailOf(path: string): { text: string; isCut: boolean } {
  const file = openSync(path, 'r');
  try {
    const { size } = fstatSync(file);
    const length = Math.min(size, MAX_TAIL);
    const buffer = Buffer.alloc(length);
    const read = readSync(file, buffer, 0, length, size - length);
    return { text: buffer.subarray(0, read).toString(), isCut: size > length };
  } finally {
    closeSync(file);
  }
}
