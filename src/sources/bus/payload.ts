import type { Statement } from 'better-sqlite3';
import { cutCodePoints } from '../../foreign/hygiene.js';
import { isObject, type Json, type JsonObject } from '../../foreign/json.js';
import { parseWriterJson } from '../../foreign/writer-json.js';
import { asRow, cellJson, cellText } from './cells.js';
import type { Sqlite } from './sqlite-driver.js';

/** Bytes of one payload that are read whole. */
export const WHOLE_PAYLOAD_BYTES = 64 * 1024;
/** Above it not even the keys are looked for, bytes. */
const LARGEST_PAYLOAD_BYTES = 32 * 2 ** 20;
const TEXT_LENGTH = 2000;
/** Bytes of one reduced value that is a list or an object. */
const NESTED_LENGTH = 4096;

/** Keys that rules read (spec 02 §10.3). */
const KEYS = [
  ...[
    'task_id',
    'kind',
    'state',
    'status',
    'error',
    'error_class',
    'family',
    'action_name',
    'idempotency_key',
  ],
  ...['intent_type', 'rule', 'hint', 'reason', 'verdict', 'source', 'reasoning', 'target_proposal_msg_id'],
  ...['force_gpu_cleanup', 'mid_free_mb_per_gpu', 'ts'],
];
const RESULT_KEYS = ['state', 'status', 'error', 'error_class', 'force_gpu_cleanup', 'mid_free_mb_per_gpu'];

export interface Payload {
  readonly value: Json;
  readonly truncated: boolean;
}

/** Reads payloads by row number: whole while there is room, reduced to the keys that rules read otherwise. */
export class PayloadReader {
  readonly #db: Sqlite;
  readonly #whole: Statement;
  #reduced: Statement | undefined;
  #roomBytes: number;

  /** @param roomBytes bytes of whole payloads, all together */
  constructor(db: Sqlite, roomBytes: number) {
    this.#db = db;
    this.#roomBytes = roomBytes;
    this.#whole = db.prepare('SELECT payload FROM events WHERE seq = ?').pluck();
  }

  /** @param sizeBytes length of the payload, as SQL tells it without reading it */
  read(seq: number, sizeBytes: number): Payload {
    if (sizeBytes <= WHOLE_PAYLOAD_BYTES && sizeBytes <= this.#roomBytes) {
      this.#roomBytes -= sizeBytes;
      return { value: cellJson(this.#whole.get(seq)), truncated: false };
    }
    if (sizeBytes > LARGEST_PAYLOAD_BYTES) return { value: null, truncated: true };
    return { value: this.#reduce(seq), truncated: true };
  }

  #reduce(seq: number): Json {
    let found: string | null;
    try {
      this.#reduced ??= prepareReduced(this.#db);
      found = cellText(asRow(this.#reduced.get(seq))?.['found']);
    } catch {
      // Text that is no JSON after all costs this row's payload and nothing else.
      return null;
    }
    const parsed = found === null ? undefined : parseWriterJson(found);
    if (parsed?.ok !== true || !Array.isArray(parsed.value)) return null;
    const values: readonly Json[] = parsed.value;
    const outer = named(KEYS, values.slice(0, KEYS.length));
    const result = named(RESULT_KEYS, values.slice(KEYS.length));
    return Object.keys(result).length === 0 ? outer : { ...outer, result };
  }
}

function prepareReduced(db: Sqlite): Statement {
  const paths = [...KEYS.map((key) => `$.${key}`), ...RESULT_KEYS.map((key) => `$.result.${key}`)];
  const list = paths.map((path) => `'${path}'`).join(', ');
  // The extractor accepts NaN and Infinity, as Python writes them; malformed text would fail the whole statement.
  return db.prepare(
    `SELECT CASE WHEN json_valid(payload, 2) THEN json_extract(payload, ${list}) END AS found FROM events WHERE seq = ?`,
  );
}

/** Absent and null keys look alike to the extractor; rules read both the same way. */
function named(keys: readonly string[], values: readonly Json[]): JsonObject {
  const entries = keys.flatMap((key, index): [string, Json][] => {
    const value = values[index] ?? null;
    return value === null ? [] : [[key, cut(value)]];
  });
  return Object.fromEntries(entries);
}

function cut(value: Json): Json {
  if (typeof value === 'string') return cutCodePoints(value, TEXT_LENGTH);
  if (isObject(value) || Array.isArray(value))
    return JSON.stringify(value).length > NESTED_LENGTH ? null : value;
  return value;
}
