import {
  finiteNumber,
  isObject,
  type Json,
  type JsonObject,
  nonBlank,
  objectOr,
  text,
} from '../../foreign/json.js';
import { asRow, asRows, cellInteger, cellJson, cellText, type Row } from './cells.js';
import type { Schema } from './columns.js';
import { PayloadReader, WHOLE_PAYLOAD_BYTES } from './payload.js';
import type { Sqlite } from './sqlite-driver.js';

/** Rows after the cursor that one look delivers at most. */
const MAX_NEW_ROWS = 5000;
/** Bytes of whole payloads in one look. */
const PAYLOAD_ROOM_BYTES = 8 * 2 ** 20;

/** Where the last look ended; wire shape of `sources.events_cursor` (spec 02 §11). */
export type EventsCursor = { readonly seq: number; readonly db_dev_ino: string };

export interface EventWindow {
  /** Ascending by `id`. */
  readonly rows: readonly JsonObject[];
  /** Null: the table is empty. */
  readonly maxSeq: number | null;
  readonly minSeq: number | null;
  /** Rows after the cursor that were left out. */
  readonly dropped: number;
  /** Newest row that an earlier look at this database has seen; null at first sight. */
  readonly seenUpTo: number | null;
}

/** The stored cursor, null when there is none or it is foreign. */
export function parseCursor(value: Json | undefined): EventsCursor | null {
  const { seq, db_dev_ino } = objectOr(value);
  const number = finiteNumber(seq);
  const identity = text(db_dev_ino);
  if (number === undefined || identity === undefined || number < 0) return null;
  return { seq: Math.trunc(number), db_dev_ino: identity };
}

/**
 * The newest `limit` rows of the bus and all that arrived since the cursor, in ascending order (spec 02 §10.3). A cursor of
 * another database, or one ahead of it, is no cursor. Costs the same whatever the size of the table.
 */
export function readEvents(
  db: Sqlite,
  schema: Schema,
  limit: number,
  cursor: EventsCursor | null,
  devIno: string,
): EventWindow {
  const bounds = asRow(
    // Two subqueries, because min and max in one query scan the table.
    db.prepare('SELECT (SELECT min(seq) FROM events) AS low, (SELECT max(seq) FROM events) AS high').get(),
  );
  const minSeq = cellInteger(bounds?.['low']);
  const maxSeq = cellInteger(bounds?.['high']);
  if (maxSeq === null) return { rows: [], maxSeq, minSeq, dropped: 0, seenUpTo: null };

  const isOurs = cursor !== null && cursor.db_dev_ino === devIno && cursor.seq <= maxSeq;
  const seenUpTo = isOurs ? cursor.seq : null;
  const arrived = seenUpTo === null ? 0 : Math.max(0, maxSeq - seenUpTo);
  const wanted = Math.max(Math.max(0, limit), Math.min(arrived, MAX_NEW_ROWS));
  return {
    rows: readRows(db, schema, 'ORDER BY seq DESC LIMIT ?', [wanted]).reverse(),
    maxSeq,
    minSeq,
    dropped: Math.max(0, arrived - MAX_NEW_ROWS),
    seenUpTo,
  };
}

/** Rows of the bus in wire shape, in the order of the clause. */
export function readRows(
  db: Sqlite,
  schema: Schema,
  clause: string,
  values: readonly number[],
): JsonObject[] {
  const columns = ['from_agent', 'topic', 'ts', 'to_agent', 'msg_id', 'in_reply_to', 'priority'];
  const size = schema.hasColumn('events', 'payload') ? 'octet_length(payload)' : '0';
  const selected = [
    'seq',
    ...columns.map((column) => schema.select('events', column)),
    `${size} AS payload_bytes`,
  ];
  const heads = asRows(db.prepare(`SELECT ${selected.join(', ')} FROM events ${clause}`).all(...values));
  const payloads = schema.hasColumn('events', 'payload') ? new PayloadReader(db, PAYLOAD_ROOM_BYTES) : null;
  const rows = heads.flatMap((head) => {
    const id = cellInteger(head['seq']);
    return id === null ? [] : [wireRow(id, head, payloads)];
  });
  return withTasks(db, schema, rows);
}

function wireRow(id: number, head: Row, payloads: PayloadReader | null): JsonObject {
  const payload = payloads?.read(id, cellInteger(head['payload_bytes']) ?? 0) ?? {
    value: null,
    truncated: false,
  };
  return {
    id,
    agent: cellText(head['from_agent']),
    topic: cellText(head['topic']),
    payload: payload.value,
    ts: cellText(head['ts']),
    to_agent: cellText(head['to_agent']) ?? '',
    msg_id: cellText(head['msg_id']) ?? '',
    in_reply_to: cellText(head['in_reply_to']),
    priority: cellInteger(head['priority']),
    ...(payload.truncated ? { truncated: true } : {}),
  };
}

/** Adds to results what was delegated, which the bus itself does not repeat (spec 02 §10.3, 04 §14). */
function withTasks(db: Sqlite, schema: Schema, rows: readonly JsonObject[]): JsonObject[] {
  const ids = new Set(rows.flatMap((row) => taskIdOf(row) ?? []));
  if (ids.size === 0 || !schema.has('tasks')) return [...rows];
  const params = schema.hasColumn('tasks', 'params')
    ? `CASE WHEN octet_length(params) <= ${WHOLE_PAYLOAD_BYTES} THEN params END AS params`
    : 'NULL AS params';
  const tasks = new Map<string, JsonObject>();
  const found = db
    .prepare(
      `SELECT task_id, ${schema.select('tasks', 'kind')}, state, ${params} FROM tasks
       WHERE task_id IN (SELECT value FROM json_each(?))`,
    )
    .all(JSON.stringify([...ids]));
  for (const task of asRows(found)) {
    const id = cellText(task['task_id']);
    if (id === null) continue;
    const kind = cellText(task['kind']) ?? '';
    tasks.set(id, { kind, state: cellText(task['state']) ?? '', params: paramsOf(task['params']) });
  }
  return rows.map((row) => {
    const id = taskIdOf(row);
    if (id === undefined) return row;
    const task = tasks.get(id);
    if (task === undefined) return { ...row, task: null, task_params: null };
    return { ...row, task, task_params: task['params'] ?? null };
  });
}

function taskIdOf(row: JsonObject): string | undefined {
  return row['topic'] === 'delegated_result' ? nonBlank(objectOr(row['payload'])['task_id']) : undefined;
}

/** What was asked for, without the gain that the Coordinator adds when it approves. */
function paramsOf(cell: unknown): JsonObject | null {
  const value = cellJson(cell);
  if (!isObject(value)) return null;
  const { predicted_gain_pct: _added, ...params } = value;
  return params;
}
