import {
  finiteNumber,
  isObject,
  type Json,
  type JsonObject,
  nonBlank,
  objectOr,
} from '../../foreign/json.js';
import { usableUnixSeconds } from '../../foreign/timestamps.js';
import { asRows, cellInteger, cellJson, cellText, cutText } from './cells.js';
import type { Schema } from './columns.js';
import type { Sqlite } from './sqlite-driver.js';

const MAX_RUNNING = 256;
const MAX_LISTED = 64;
/** A history is at most 120 notes and some transitions; a larger one is not read, bytes. */
const HISTORY_BYTES = 2 ** 20;
const LABEL_LENGTH = 200;

interface Heartbeat {
  readonly agent: string;
  readonly unix: number;
  readonly label: string | null;
}

/**
 * What runs and when it last said so: slot `local_task_progress` (spec 02 §5.2, 04 §14). Only attributed progress notes
 * count as heartbeats; transitions never do.
 */
export function readTaskProgress(db: Sqlite, schema: Schema, nowUnix: number): JsonObject {
  const history = schema.hasColumn('tasks', 'history')
    ? `CASE WHEN octet_length(history) <= ${HISTORY_BYTES} THEN history END AS history`
    : 'NULL AS history';
  const running = asRows(
    db
      .prepare(
        `SELECT task_id, ${schema.select('tasks', 'kind')}, ${history} FROM tasks
         WHERE state = 'running' ORDER BY task_id LIMIT ?`,
      )
      .all(MAX_RUNNING),
  );
  const byAgent = new Map<string, JsonObject>();
  const listed: JsonObject[] = [];
  const kinds = new Set<string>();
  for (const row of running) {
    const kind = cutText(row['kind'], LABEL_LENGTH);
    const notes = historyOf(row['history']);
    const beat = newestHeartbeat(notes, nowUnix);
    kinds.add(kind);
    if (beat !== undefined) byAgent.set(beat.agent, folded(byAgent.get(beat.agent), beat, kind));
    if (listed.length === MAX_LISTED) continue;
    listed.push({
      task_id: cellText(row['task_id']) ?? '',
      kind,
      agent: beat?.agent ?? null,
      label: beat?.label ?? null,
      started_unix: startOf(notes, nowUnix) ?? null,
      last_progress_unix: beat?.unix ?? null,
    });
  }
  return {
    running: running.length,
    ...(byAgent.size === 0 ? {} : { by_agent: Object.fromEntries(byAgent) }),
    running_kinds: [...kinds],
    tasks: listed,
  };
}

/** Tasks that wait, and whether anybody holds the lanes they wait for. */
export function readQueuedTasks(db: Sqlite, schema: Schema, heldLanes: ReadonlySet<string>): JsonObject[] {
  const created = schema.select('tasks', 'created_at');
  const lanes = schema.select('tasks', 'requires_lanes');
  const rows = db
    .prepare(
      `SELECT task_id, ${schema.select('tasks', 'kind')}, ${created}, ${lanes} FROM tasks WHERE state = 'queued' LIMIT ?`,
    )
    .all(MAX_LISTED);
  return asRows(rows).map((row) => {
    const value = cellJson(row['requires_lanes']);
    const wanted = Array.isArray(value)
      ? value.filter((lane): lane is string => typeof lane === 'string')
      : [];
    return {
      task_id: cellText(row['task_id']) ?? '',
      kind: cutText(row['kind'], LABEL_LENGTH),
      created_unix: usableUnixSeconds(cellText(row['created_at']), Number.MAX_SAFE_INTEGER) ?? null,
      lanes: wanted,
      lanes_free: wanted.every((lane) => !heldLanes.has(lane)),
    };
  });
}

/** Messages that each agent has still to read. */
export function readCursorLag(db: Sqlite, maxSeq: number | null): JsonObject {
  const rows = asRows(db.prepare('SELECT agent, last_processed_seq FROM cursors LIMIT 256').all());
  const entries = rows.flatMap((row): [string, number][] => {
    const agent = cellText(row['agent']);
    const seq = cellInteger(row['last_processed_seq']);
    return agent === null || seq === null ? [] : [[agent, Math.max(0, (maxSeq ?? 0) - seq)]];
  });
  return Object.fromEntries(entries);
}

function historyOf(cell: unknown): readonly Json[] {
  const value = typeof cell === 'string' || Buffer.isBuffer(cell) ? cellJson(cell) : null;
  return Array.isArray(value) ? value : [];
}

function newestHeartbeat(notes: readonly Json[], nowUnix: number): Heartbeat | undefined {
  for (let i = notes.length - 1; i >= 0; i -= 1) {
    const note = notes[i];
    if (!isObject(note) || !isObject(note['progress'])) continue;
    const agent = nonBlank(note['progress']['agent']);
    const unix = usableUnixSeconds(note['ts'], nowUnix);
    if (agent === undefined || unix === undefined) continue;
    return { agent, unix, label: nonBlank(note['progress']['label'])?.slice(0, LABEL_LENGTH) ?? null };
  }
  return undefined;
}

function startOf(notes: readonly Json[], nowUnix: number): number | undefined {
  const started = notes.filter((note) => objectOr(note)['to'] === 'running').at(-1);
  return usableUnixSeconds(objectOr(started)['ts'], nowUnix);
}

/** On ties the first task stays. */
function folded(before: JsonObject | undefined, beat: Heartbeat, task: string): JsonObject {
  const newest = finiteNumber(before?.['last_progress_unix']);
  const oldest = finiteNumber(before?.['oldest_progress_unix']);
  const isNewest = newest === undefined || beat.unix > newest;
  const isOldest = oldest === undefined || beat.unix < oldest;
  return {
    ...before,
    ...(isNewest ? { last_progress_unix: beat.unix, task } : {}),
    ...(isOldest ? { oldest_progress_unix: beat.unix, oldest_task: task } : {}),
  };
}
