import type { JsonObject } from '../../../foreign/json.js';
import type { Tool } from '../tool.js';
import { countLines } from './count-findings.js';
import { ROW_LIMITS, type WithDatabase } from './database.js';
import { textOf } from './query-events.js';
import type { SessionFiles } from './session.js';

const NEWEST = 50;
const RUN_FILES = 20;

/** `list_session_sources` (spec 07 B4.2). */
export function listSessionSources(files: SessionFiles, withDatabase: WithDatabase): Tool {
  return {
    name: 'list_session_sources',
    capability: 'session',
    family: 'session',
    description: 'What there is to look at in the session: database, findings, logs, runs and JSON files.',
    parameters: {},
    async run() {
      const logs = files.logs();
      const json = files.json();
      const data = {
        database: await databaseSummary(withDatabase),
        findings: await countLines(files),
        logs: logs.files
          .slice(0, NEWEST)
          .map(({ path, size, mtimeUnix }) => ({ path, size, mtime_unix: mtimeUnix })),
        runs: runsOf([...logs.files, ...json.files]),
        json_files: json.files.slice(0, NEWEST).map(({ path }) => path),
      };
      return {
        status: 'ok',
        cls: 'none',
        data,
        count: logs.files.length + json.files.length,
        truncated: logs.truncated || json.truncated || logs.files.length > NEWEST,
      };
    },
  };
}

async function databaseSummary(withDatabase: WithDatabase): Promise<JsonObject> {
  const read = await withDatabase((database) => {
    const [events] = database.rows('SELECT count(*) AS n, max(seq) AS last FROM events', [], ROW_LIMITS);
    const [newest] = database.rows('SELECT ts FROM events ORDER BY seq DESC LIMIT 1', [], ROW_LIMITS);
    const states = database.rows('SELECT state, count(*) AS n FROM tasks GROUP BY state', [], ROW_LIMITS);
    return {
      present: true,
      events: Number(events?.['n'] ?? 0),
      tasks_by_state: Object.fromEntries(states.map((row) => [textOf(row['state']) ?? '', Number(row['n'])])),
      last_event_ts: textOf(newest?.['ts']),
    };
  });
  return read.ok ? read.value : { present: false, reason: read.reason };
}

function runsOf(files: readonly { path: string; mtimeUnix: number }[]): JsonObject[] {
  const runs = new Map<string, { action: string; task_id: string; mtime_unix: number; files: string[] }>();
  for (const { path, mtimeUnix } of files) {
    const [top, action, taskId, ...rest] = path.split('/');
    if (top !== 'runs' || action === undefined || taskId === undefined || rest.length === 0) continue;
    const key = `${action}/${taskId}`;
    const run = runs.get(key) ?? { action, task_id: taskId, mtime_unix: 0, files: [] };
    run.mtime_unix = Math.max(run.mtime_unix, mtimeUnix);
    if (run.files.length < RUN_FILES) run.files.push(rest.join('/'));
    runs.set(key, run);
  }
  return [...runs.values()].sort((a, b) => b.mtime_unix - a.mtime_unix).slice(0, NEWEST);
}
