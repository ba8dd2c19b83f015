import { readdirSync, renameSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { asciiJson, sortKeys } from '../../foreign/ascii-json.js';
import { isObject, type JsonObject, parseJson } from '../../foreign/json.js';
import {
  describeFailure,
  removeFile,
  replaceFile,
  TEMPORARY_MARK,
  type WriteFailure,
} from '../../foreign/write-file.js';
import { readTextBounded } from '../../sources/tools/read-file.js';
import type { Slots } from './slots.js';

/** Layout version in the slot `_meta`. */
export const STATE_SCHEMA = 1;
const MAX_STATE_BYTES = 64 * 1024 * 1024;
const KEPT_CORRUPT = 3;

export interface LoadedState {
  readonly slots: Slots;
  /** What was wrong with the file, for a warning; undefined when nothing was. */
  readonly problem?: string;
}

/**
 * Reads the detector state (spec 01 §7). A file that cannot be understood is moved aside and counts as empty; it never
 * costs a tick. A file that cannot be read (permission, a FIFO in its place) counts as empty and stays where it is.
 */
export function loadState(path: string, nowUnix: number): LoadedState {
  const read = readTextBounded(path, { maxBytes: MAX_STATE_BYTES });
  if (!read.ok) {
    if (read.reason === 'missing') return { slots: {} };
    return { slots: {}, problem: `detector state not readable (${read.reason}): ${read.detail}` };
  }
  const parsed = parseJson(read.text);
  if (!parsed.ok || !isObject(parsed.value)) {
    const why = parsed.ok ? 'its top level is no object' : 'it is no JSON';
    return { slots: {}, problem: `detector state discarded, ${why}; ${setAside(path, nowUnix)}` };
  }
  return { slots: objectSlots(parsed.value) };
}

function objectSlots(value: JsonObject): Slots {
  const slots: Record<string, JsonObject> = {};
  for (const [name, slot] of Object.entries(value)) if (isObject(slot)) slots[name] = slot;
  return slots;
}

function setAside(path: string, nowUnix: number): string {
  const kept = `${path}.corrupt-${Math.trunc(nowUnix)}`;
  try {
    renameSync(path, kept);
    dropOldCorrupt(path);
    return `kept as ${basename(kept)}`;
  } catch (error) {
    return `it could not be moved aside: ${describeFailure(error).message}`;
  }
}

function dropOldCorrupt(path: string): void {
  const directory = dirname(path);
  const mark = `${basename(path)}.corrupt-`;
  const old = readdirSync(directory)
    .filter((name) => name.startsWith(mark))
    .sort((a, b) => Number(b.slice(mark.length)) - Number(a.slice(mark.length)))
    .slice(KEPT_CORRUPT);
  for (const name of old) removeFile(join(directory, name));
}

/** Writes the detector state in one step; sorted keys, so that a diff of two files shows what changed. */
export function saveState(
  path: string,
  slots: Slots,
  nowUnix: number,
  writer: string,
): WriteFailure | undefined {
  const meta = { ...slots['_meta'], schema: STATE_SCHEMA, writer, saved_unix: nowUnix };
  const text = `${asciiJson(sortKeys({ ...slots, _meta: meta }), 2)}\n`;
  // A loss of power ends the session too; waiting for the disk would cost each tick more than all its rules.
  return replaceFile(path, text, { durable: false });
}

/** Removes temporary files that killed processes left beside the state file. Only the holder of the lock may call it. */
export function dropStaleTemporaries(directory: string): void {
  let names: string[];
  try {
    names = readdirSync(directory);
  } catch {
    // No directory, nothing to clean.
    return;
  }
  for (const name of names) {
    const mark = name.indexOf(TEMPORARY_MARK);
    if (mark < 0 || isAlive(Number(name.slice(mark + TEMPORARY_MARK.length)))) continue;
    removeFile(join(directory, name));
  }
}

function isAlive(pid: number): boolean {
  if (!Number.isInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return describeFailure(error).code === 'EPERM';
  }
}
