import { isObject, type Json, type JsonObject, listOr, objectOr, parseJson } from '../../../foreign/json.js';
import { entity } from '../../evidence/entities.js';
import type { EvidenceItem } from '../../model/evidence.js';
import { numberOf, optionalString } from '../arguments.js';
import { failed, type Tool } from '../tool.js';
import { type DatabaseRow, ROW_LIMITS, type SessionDatabase, type WithDatabase } from './database.js';
import { errorText, eventTime, outcomeItem } from './outcome-item.js';
import { cleanLines, textOf } from './query-events.js';

const HISTORY_TAIL = 5;
export const TASK_STATES = ['queued', 'running', 'succeeded', 'failed', 'cancelled'] as const;

/** `query_tasks` (spec 07 B4.2). */
export function queryTasks(withDatabase: WithDatabase): Tool {
  return {
    name: 'query_tasks',
    capability: 'session',
    family: 'session',
    description: 'Tasks of the session with their state, the end of their history, and their leases.',
    parameters: {
      task_id: { type: 'string', optional: true, doc: 'one task' },
      kind: { type: 'string', optional: true, doc: 'kind of task' },
      state: { type: 'choice', values: TASK_STATES, optional: true, doc: 'only tasks in this state' },
      limit: { type: 'integer', default: 50, minimum: 1, maximum: 200, doc: 'tasks, newest change first' },
    },
    async run(args, { clean }) {
      const wanted = (['task_id', 'kind', 'state'] as const).flatMap((column) => {
        const value = optionalString(args, column);
        return value === undefined ? [] : [{ column, value }];
      });
      const where =
        wanted.length === 0 ? '' : `WHERE ${wanted.map(({ column }) => `${column} = ?`).join(' AND ')}`;
      const sql = `SELECT task_id, kind, state, requires_lanes, history, created_at, updated_at FROM tasks ${where} ORDER BY updated_at DESC LIMIT ?`;
      const parameters = [...wanted.map(({ value }) => value), numberOf(args, 'limit', 50)];
      const read = await withDatabase((database) => {
        const tasks = database.rows(sql, parameters, ROW_LIMITS);
        return { tasks, leases: leasesOf(database, tasks) };
      });
      if (!read.ok) return failed('error', read.reason);
      const { tasks, leases } = read.value;
      return {
        status: tasks.length === 0 ? 'empty' : 'ok',
        cls: 'trace',
        data: { tasks: tasks.map(shown), leases },
        count: tasks.length,
        items: tasks.flatMap((row) => itemOf(row, clean)),
        errorSignal: 'task_failed',
        ...(tasks.length === 0 ? { note: 'no task fits' } : {}),
      };
    },
  };
}

function itemOf(row: DatabaseRow, clean: (line: string) => string): EvidenceItem[] {
  const state = textOf(row['state']);
  const text = failureText(row);
  // Prunes and shutdown cancel healthy tasks, so only one that says why counts.
  if (state !== 'failed' && !(state === 'cancelled' && text !== null)) return [];
  const taskId = textOf(row['task_id']) ?? '';
  return [
    outcomeItem({
      key: `task:${taskId}:${state}`,
      tsUnix: eventTime(row['updated_at']),
      entities: entity('task', taskId),
      text: text === null ? null : cleanLines(text, clean),
      source: `task:${taskId}`,
    }),
  ];
}

/** `error`, else `reason`, of the evidence of the last entry of its history. */
function failureText(row: DatabaseRow): string | null {
  const last = historyOf(row).at(-1);
  const evidence = objectOr(isObject(last) ? last['evidence'] : undefined);
  return errorText(evidence['error']) ?? errorText(evidence['reason']);
}

function historyOf(row: DatabaseRow): readonly Json[] {
  const parsed = parseJson(textOf(row['history']) ?? '');
  return parsed.ok ? listOr(parsed.value) : [];
}

function shown(row: DatabaseRow): JsonObject {
  const lanes = parseJson(textOf(row['requires_lanes']) ?? '');
  return {
    task_id: textOf(row['task_id']),
    kind: textOf(row['kind']),
    state: textOf(row['state']),
    created_at: textOf(row['created_at']),
    updated_at: textOf(row['updated_at']),
    requires_lanes: lanes.ok ? lanes.value : textOf(row['requires_lanes']),
    history_tail: historyOf(row).slice(-HISTORY_TAIL),
  };
}

function leasesOf(database: SessionDatabase, tasks: readonly DatabaseRow[]): JsonObject[] {
  const ids = new Set(tasks.flatMap((row) => textOf(row['task_id']) ?? []));
  const sql =
    'SELECT lane, holder_id, task_id, action, pid, acquired_at, expires_at, heartbeat_at FROM leases LIMIT 200';
  return database
    .rows(sql, [], ROW_LIMITS)
    .filter((row) => ids.has(textOf(row['task_id']) ?? ''))
    .map((row) => Object.fromEntries(Object.entries(row).map(([key, cell]) => [key, cellJson(cell)])));
}

function cellJson(cell: unknown): Json {
  if (typeof cell === 'number' || typeof cell === 'string') return cell;
  return cell === null || cell === undefined ? null : textOf(cell);
}
