import {
  finiteNumber,
  integer,
  type Json,
  type JsonObject,
  nonBlank,
  objectOr,
  text,
} from '../../foreign/json.js';
import { unixSeconds } from '../../foreign/timestamps.js';
import { asRows, cellInteger, cellText } from './cells.js';
import type { Schema } from './columns.js';
import { readRows } from './events.js';
import type { Sqlite } from './sqlite-driver.js';

/** Newest rows that are searched for what no index finds (spec 02 §10.3). */
const MAX_SCANNED_ROWS = 20_000;
/** Newest rows of one topic that are searched. */
const MAX_TOPIC_ROWS = 500;
/** Bytes of payloads looked into for the newest recovery. */
const MAX_SEARCHED_BYTES = 8 * 2 ** 20;
/** Senders that are remembered; specialists come and go under names of their own. */
const MAX_AGENTS = 200;

/** What is remembered of the bus beside the cursor; wire shape of `sources.bus`. */
export type BusMemory = {
  /** Sender → its newest row. */
  readonly last_by_agent: { readonly [agent: string]: { readonly seq: number; readonly ts: string } };
  readonly last_recover_seq: number | null;
};

export function parseBusMemory(value: Json | undefined): BusMemory {
  const { last_by_agent, last_recover_seq } = objectOr(value);
  const entries = Object.entries(objectOr(last_by_agent)).flatMap(([agent, item]) => {
    const { seq, ts } = objectOr(item);
    const number = finiteNumber(seq);
    return number === undefined || typeof ts !== 'string' ? [] : [[agent, { seq: number, ts }] as const];
  });
  return { last_by_agent: Object.fromEntries(entries), last_recover_seq: integer(last_recover_seq) ?? null };
}

/** The newest row of every sender: what is remembered, and what arrived since. */
export function lastByAgent(
  db: Sqlite,
  schema: Schema,
  maxSeq: number,
  seenUpTo: number | null,
  memory: BusMemory,
): BusMemory['last_by_agent'] {
  const from = Math.max(seenUpTo ?? 0, maxSeq - MAX_SCANNED_ROWS);
  // A bare column beside max() is that of the row with the maximum; SQLite documents it.
  const rows = db
    .prepare(
      `SELECT ${schema.select('events', 'from_agent')}, max(seq) AS seq, ${schema.select('events', 'ts')}
       FROM events WHERE seq > ? GROUP BY 1`,
    )
    .all(from);
  const found = asRows(rows).flatMap((row) => {
    const agent = nonBlank(cellText(row['from_agent']));
    const seq = cellInteger(row['seq']);
    return agent === undefined || seq === null
      ? []
      : [[agent, { seq, ts: cellText(row['ts']) ?? '' }] as const];
  });
  const remembered = seenUpTo === null ? [] : Object.entries(memory.last_by_agent);
  const merged = Object.entries(Object.fromEntries([...remembered, ...found]));
  return Object.fromEntries(merged.sort(([, a], [, b]) => b.seq - a.seq).slice(0, MAX_AGENTS));
}

/** `coordinator_bus.last_by_agent`: stamps as unix s, senders without a readable one left out. */
export function asUnix(last: BusMemory['last_by_agent']): JsonObject {
  const entries = Object.entries(last).flatMap(([agent, { seq, ts }]): [string, Json][] => {
    const unix = unixSeconds(ts);
    return unix === undefined ? [] : [[agent, { seq, ts_unix: unix }]];
  });
  return Object.fromEntries(entries);
}

/** The newest result of a `recover`, wherever it is among the newest results. */
export function lastRecoverSeq(db: Sqlite, seenUpTo: number | null, memory: BusMemory): number | null {
  const heads = asRows(
    db
      .prepare(
        `SELECT seq, octet_length(payload) AS bytes FROM events
         WHERE topic = 'delegated_result' AND seq > ? ORDER BY seq DESC LIMIT ?`,
      )
      .all(seenUpTo ?? 0, MAX_TOPIC_ROWS),
  );
  if (heads.length === 0) return seenUpTo === null ? null : memory.last_recover_seq;
  const kind = db
    .prepare(
      `SELECT CASE WHEN json_valid(payload, 2) THEN json_extract(payload, '$.kind') END FROM events WHERE seq = ?`,
    )
    .pluck();
  let room = MAX_SEARCHED_BYTES;
  for (const head of heads) {
    const seq = cellInteger(head['seq']);
    room -= cellInteger(head['bytes']) ?? 0;
    if (seq === null || room < 0) continue;
    if (kindOf(kind, seq) === 'recover') return seq;
  }
  return seenUpTo === null ? null : memory.last_recover_seq;
}

/** A statement that fails on one malformed payload says nothing about the others. */
function kindOf(statement: { get(seq: number): unknown }, seq: number): string | undefined {
  try {
    return text(statement.get(seq));
  } catch {
    return undefined;
  }
}

/** The row of the newest recovery in wire shape, null when it is gone. */
export function rowOf(db: Sqlite, schema: Schema, seq: number | null): JsonObject | null {
  return seq === null ? null : (readRows(db, schema, 'WHERE seq = ?', [seq])[0] ?? null);
}

/** The oldest proposal that no verdict answers, as far as both can be seen. */
export function oldestOpenProposal(db: Sqlite, schema: Schema): JsonObject | null {
  if (!schema.hasColumn('events', 'msg_id') || !schema.hasColumn('events', 'in_reply_to')) return null;
  const verdicts = asRows(
    db
      .prepare(
        `SELECT seq, in_reply_to FROM events WHERE topic = 'review_verdict' ORDER BY seq DESC LIMIT ${MAX_TOPIC_ROWS}`,
      )
      .all(),
  );
  const answered = new Set(verdicts.map((row) => cellText(row['in_reply_to'])));
  // Verdicts on older proposals may be out of sight.
  const from = verdicts.length < MAX_TOPIC_ROWS ? 0 : (cellInteger(verdicts.at(-1)?.['seq']) ?? 0);
  const proposals = asRows(
    db
      .prepare(
        `SELECT seq, msg_id, ${schema.select('events', 'from_agent')}, ${schema.select('events', 'ts')} FROM events
         WHERE topic = 'proposal' AND seq >= ? ORDER BY seq DESC LIMIT ${MAX_TOPIC_ROWS}`,
      )
      .all(from),
  );
  const open = proposals.filter((row) => !answered.has(cellText(row['msg_id']))).at(-1);
  if (open === undefined) return null;
  return {
    seq: cellInteger(open['seq']),
    msg_id: cellText(open['msg_id']) ?? '',
    from_agent: cellText(open['from_agent']) ?? '',
    ts_unix: unixSeconds(cellText(open['ts'])) ?? null,
  };
}
