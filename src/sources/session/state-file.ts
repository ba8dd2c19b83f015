import { isUtf8 } from 'node:buffer';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { finiteNumber, integer, isObject, type JsonObject, objectOr, text } from '../../foreign/json.js';
import { pythonText } from '../../foreign/python-text.js';
import { parseWriterJson } from '../../foreign/writer-json.js';
import type { CollectorVerdict } from '../collector.js';
import { readFileBounded } from '../tools/read-file.js';
import { abortSignal, type Stop } from '../tools/stop.js';

const STATE_BYTES = 64 * 2 ** 20;
/** Time between the two readings that must both fail, ms. */
const RECHECK_MS = 200;
/** A file that has lost more than this share of its last valid size has lost its content. */
const SHRUNKEN_BELOW = 0.1;
/** How long a smaller file is held against the size before, s; then it is what this session has. */
const SHRUNKEN_FOR_S = 3600;

/** What is remembered of `state.json`; wire shape of `sources.state_json` (spec 02 §11). */
type StateMemory = {
  readonly last_valid_size: number;
  readonly last_valid_mtime: number;
  readonly shrunken_since_unix: number | null;
  /** When it was first not there any more; null while it is. */
  readonly missing_since_unix: number | null;
};

export interface StateFileAnswer {
  /** `local_state_integrity.state_json` (spec 02 §5.17, §14); `{}` = cannot be told. */
  readonly slot: JsonObject;
  readonly verdict: CollectorVerdict;
  /** The parsed file, when it is valid. */
  readonly state?: JsonObject;
  /** New value of `sources.state_json`; undefined keeps the old one. */
  readonly memory?: StateMemory;
}

type Reading =
  | { readonly kind: 'valid'; readonly state: JsonObject; readonly size: number; readonly mtime: number }
  | { readonly kind: 'missing' }
  | {
      readonly kind: 'broken';
      readonly error: string;
      readonly size?: number;
      readonly mtime?: number;
      readonly verdict: CollectorVerdict;
    };

/**
 * Reads `state.json`. A file that cannot be parsed is read again after 200 ms and called corrupt only if it has not changed
 * in between, because a short read happens on network file systems (spec 02 §10.6). One that is not there any more is looked
 * for twice, too, and delivered with its last size.
 */
export async function readStateFile(
  sessionDir: string,
  remembered: JsonObject,
  nowUnix: number,
  signal: Stop,
): Promise<StateFileAnswer> {
  const path = join(sessionDir, 'state.json');
  const before = parseMemory(remembered);
  let reading = readOnce(path, sessionDir);
  // A file that was there before and cannot be found may be on its way back; one that never was is simply not there yet.
  if (reading.kind === 'broken' || (reading.kind === 'missing' && before !== undefined)) {
    const first = reading;
    await delay(RECHECK_MS, undefined, { signal: abortSignal(signal) });
    reading = readOnce(path, sessionDir);
    if (
      first.kind === 'broken' &&
      reading.kind === 'broken' &&
      (reading.size !== first.size || reading.mtime !== first.mtime)
    ) {
      return { slot: {}, verdict: { status: 'unknown', reason: 'corrupt', detail: 'it is being rewritten' } };
    }
  }
  if (reading.kind === 'missing') {
    const { slot, memory } = missingState(remembered, nowUnix);
    return {
      slot: { valid: false, error: 'missing', path, ...slot },
      verdict: { status: 'empty', reason: 'missing' },
      ...(memory === undefined ? {} : { memory }),
    };
  }
  if (reading.kind === 'broken') {
    const { error, size, verdict } = reading;
    return {
      slot: { valid: false, error, path, ...(size === undefined ? {} : { size_bytes: size }) },
      verdict,
    };
  }
  const { state, size, mtime } = reading;
  const memory = nextMemory(before, size, mtime, nowUnix);
  const slot = {
    valid: true,
    path,
    size_bytes: size,
    mtime,
    ...describe(state, sessionDir),
    previous_size_bytes: before?.last_valid_size ?? null,
  };
  return { slot, verdict: { status: 'ok' }, state, memory };
}

/** What is said, and remembered on, of a file that is not there: nothing when it never was. */
export function missingState(
  remembered: JsonObject,
  nowUnix: number,
): { readonly slot: JsonObject; readonly memory?: StateMemory } {
  const before = parseMemory(remembered);
  if (before === undefined) return { slot: {} };
  const memory = { ...before, missing_since_unix: before.missing_since_unix ?? nowUnix };
  return {
    slot: { previous_size_bytes: memory.last_valid_size, missing_since_unix: memory.missing_since_unix },
    memory,
  };
}

/** The keys of the state that rules read. */
function describe(state: JsonObject, sessionDir: string): JsonObject {
  const reason = state['stop_reason'];
  const stopReason = typeof reason === 'string' ? reason : isFalsy(reason) ? '' : pythonText(reason);
  const phase = text(state['phase']) ?? '';
  const isClosed = phase === 'CLOSE' && existsSync(join(sessionDir, 'reports', 'final.md'));
  return {
    stop_reason: stopReason,
    terminal: stopReason.trim() !== '' || isClosed,
    phase,
    tick: integer(state['tick']) ?? null,
    deadline_unix: finiteNumber(state['deadline_unix']) ?? null,
  };
}

/** Python's notion, as the reference has it. */
function isFalsy(value: unknown): boolean {
  if (Array.isArray(value)) return value.length === 0;
  if (isObject(value)) return Object.keys(value).length === 0;
  return value === undefined || value === null || value === false || value === 0 || value === '';
}

function readOnce(path: string, root: string): Reading {
  const read = readFileBounded(path, { maxBytes: STATE_BYTES, root });
  if (!read.ok) {
    const { reason, detail, size } = read;
    if (reason === 'missing' || reason === 'not_regular') return { kind: 'missing' };
    const error = `read_failed: ${reason === 'too_large' ? `too large, ${detail}` : detail}`;
    const verdict: CollectorVerdict =
      reason === 'permission'
        ? { status: 'unknown', reason: 'permission', detail }
        : { status: 'error', reason: reason === 'too_large' ? 'too_large' : 'exception', detail };
    return { kind: 'broken', error, verdict, ...(size === undefined ? {} : { size }) };
  }
  const { bytes, size, mtimeUnix: mtime } = read;
  const corrupt = (error: string, detail: string): Reading => {
    return { kind: 'broken', error, size, mtime, verdict: { status: 'error', reason: 'corrupt', detail } };
  };
  if (!isUtf8(bytes)) return corrupt('read_failed: not UTF-8', 'not UTF-8');
  const parsed = parseWriterJson(bytes.toString('utf8'));
  if (!parsed.ok) return corrupt('json_parse_failed', parsed.message);
  if (!isObject(parsed.value)) return corrupt('json_parse_failed', 'not an object');
  return { kind: 'valid', state: parsed.value, size, mtime };
}

function parseMemory(value: JsonObject): StateMemory | undefined {
  const { last_valid_size, last_valid_mtime, shrunken_since_unix, missing_since_unix } = objectOr(value);
  const size = finiteNumber(last_valid_size);
  if (size === undefined) return undefined;
  return {
    last_valid_size: size,
    last_valid_mtime: finiteNumber(last_valid_mtime) ?? 0,
    shrunken_since_unix: finiteNumber(shrunken_since_unix) ?? null,
    missing_since_unix: finiteNumber(missing_since_unix) ?? null,
  };
}

/** A shrunken file keeps the size before it in memory for a while, so that the loss is seen on more than one tick. */
function nextMemory(
  before: StateMemory | undefined,
  size: number,
  mtime: number,
  nowUnix: number,
): StateMemory {
  const fresh: StateMemory = {
    last_valid_size: size,
    last_valid_mtime: mtime,
    shrunken_since_unix: null,
    missing_since_unix: null,
  };
  if (before === undefined || size >= before.last_valid_size * SHRUNKEN_BELOW) return fresh;
  const since = before.shrunken_since_unix ?? nowUnix;
  return nowUnix - since > SHRUNKEN_FOR_S
    ? fresh
    : { ...before, shrunken_since_unix: since, missing_since_unix: null };
}
