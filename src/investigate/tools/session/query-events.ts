import { cleanJson } from '../../../foreign/hygiene.js';
import { isObject, type JsonObject, objectOr, parseJson } from '../../../foreign/json.js';
import type { EvidenceItem } from '../../model/evidence.js';
import { numberOf, optionalNumber, optionalString, stringOf } from '../arguments.js';
import { failed, type Tool } from '../tool.js';
import { type DatabaseRow, ROW_LIMITS, type WithDatabase } from './database.js';
import { eventTime, failureOf, outcomeItem, rowEntities } from './outcome-item.js';

const PAYLOAD_CHARACTERS = 2000;
/** Rows looked at when times are filtered in code, because the column's form varies. */
const SCAN_ROWS = 20_000;

/** `query_events` (spec 07 B4.2). */
export function queryEvents(withDatabase: WithDatabase): Tool {
  return {
    name: 'query_events',
    capability: 'session',
    family: 'session',
    description: "Rows of the session's message bus: who reported what, and the results of delegated work.",
    parameters: {
      topic: { type: 'string', optional: true, doc: 'such as delegated_result' },
      agent: { type: 'string', optional: true, doc: 'sender or receiver' },
      task_id: { type: 'string', optional: true, doc: 'task named in the payload' },
      contains: { type: 'string', optional: true, doc: 'text that the payload contains' },
      since_unix: { type: 'number', optional: true, doc: 'unix seconds' },
      until_unix: { type: 'number', optional: true, doc: 'unix seconds' },
      limit: { type: 'integer', default: 50, minimum: 1, maximum: 200, doc: 'rows' },
      order: { type: 'choice', values: ['desc', 'asc'], default: 'desc', doc: 'newest or oldest first' },
    },
    async run(args, { clean }) {
      const conditions: string[] = [];
      const parameters: (string | number)[] = [];
      const where = (sql: string, ...values: (string | number)[]): void => {
        conditions.push(sql);
        parameters.push(...values);
      };
      const [topic, agent] = [optionalString(args, 'topic'), optionalString(args, 'agent')];
      const [taskId, contains] = [optionalString(args, 'task_id'), optionalString(args, 'contains')];
      if (topic !== undefined) where('topic = ?', topic);
      if (agent !== undefined) where('(from_agent = ? OR to_agent = ?)', agent, agent);
      if (taskId !== undefined) where('instr(payload, ?) > 0', JSON.stringify(taskId));
      if (contains !== undefined) where('instr(payload, ?) > 0', contains);
      const sql = `SELECT seq, msg_id, from_agent, to_agent, topic, in_reply_to, payload, ts FROM events ${
        conditions.length === 0 ? '' : `WHERE ${conditions.join(' AND ')}`
      } ORDER BY seq ${stringOf(args, 'order') === 'asc' ? 'ASC' : 'DESC'} LIMIT ${SCAN_ROWS}`;
      const [since, until] = [optionalNumber(args, 'since_unix'), optionalNumber(args, 'until_unix')];
      const read = await withDatabase((database) =>
        database.rows(sql, parameters, {
          ...ROW_LIMITS,
          maxRows: since === undefined && until === undefined ? numberOf(args, 'limit', 50) : SCAN_ROWS,
        }),
      );
      if (!read.ok) return failed('error', read.reason);
      const rows = read.value.filter((row) => {
        const time = eventTime(row['ts']);
        if (since !== undefined && (time === null || time < since)) return false;
        return until === undefined || (time !== null && time <= until);
      });
      const kept = rows.slice(0, numberOf(args, 'limit', 50));
      return {
        status: kept.length === 0 ? 'empty' : 'ok',
        cls: 'trace',
        data: { events: kept.map((row) => shown(row, clean)) },
        count: kept.length,
        truncated: kept.length < rows.length,
        items: kept.flatMap((row) => itemOf(row, clean)),
        errorSignal: 'task_failed',
        ...(kept.length === 0 ? { note: 'no event fits' } : {}),
      };
    },
  };
}

function itemOf(row: DatabaseRow, clean: (line: string) => string): EvidenceItem[] {
  const payload = payloadOf(row);
  const topic = String(row['topic'] ?? '');
  if (!/result/.test(topic) || !isObject(payload)) return [];
  const failure = failureOf(payload);
  if (failure === null) return [];
  return [
    outcomeItem({
      key: `event:${String(row['seq'])}`,
      tsUnix: eventTime(row['ts']),
      entities: rowEntities(payload, topic, textOf(row['from_agent'])),
      text: failure.text === null ? null : cleanLines(failure.text, clean),
      source: `event:${String(row['seq'])}`,
    }),
  ];
}

function shown(row: DatabaseRow, clean: (line: string) => string): JsonObject {
  const payload = payloadOf(row);
  const json = typeof payload === 'string' ? payload : JSON.stringify(payload);
  const short = json.length <= PAYLOAD_CHARACTERS;
  return {
    seq: Number(row['seq']),
    ts: textOf(row['ts']),
    ts_unix: eventTime(row['ts']),
    from_agent: textOf(row['from_agent']),
    to_agent: textOf(row['to_agent']),
    topic: textOf(row['topic']),
    in_reply_to: textOf(row['in_reply_to']),
    msg_id: textOf(row['msg_id']),
    payload: short ? payload : pruned(payload, clean),
  };
}

function payloadOf(row: DatabaseRow) {
  const source = textOf(row['payload']) ?? '';
  const parsed = parseJson(source);
  return parsed.ok ? parsed.value : source;
}

function pruned(payload: unknown, clean: (line: string) => string) {
  for (const text of [400, 120, 40]) {
    const { value } = cleanJson(payload, { text, items: 10, keys: 40, depth: 5 }, clean);
    if (JSON.stringify(value).length <= PAYLOAD_CHARACTERS) return value;
  }
  return { pruned: true, keys: Object.keys(objectOr(payload)).slice(0, 40).map(clean) };
}

/** Text of several lines, each cleaned. */
export function cleanLines(text: string, clean: (line: string) => string): string {
  return text.split('\n').slice(0, 200).map(clean).join('\n');
}

export function textOf(cell: unknown): string | null {
  if (typeof cell === 'string') return cell;
  if (Buffer.isBuffer(cell)) return cell.toString('utf8');
  return typeof cell === 'number' || typeof cell === 'bigint' ? String(cell) : null;
}
