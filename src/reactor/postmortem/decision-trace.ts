import { readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { isObject, type Json, type JsonObject, parseJson } from '../../foreign/json.js';
import { compareCodePoints } from '../../foreign/order.js';
import { statOf } from '../../foreign/stat.js';
import { describeFailure } from '../../foreign/write-file.js';
import { readTextBounded } from '../../sources/tools/read-file.js';

/** What was tried in a session, by action: the tasks newest first (spec 01 §8). */
export type DecisionTrace = {
  readonly session_id: string;
  readonly tasks_by_action: Readonly<Record<string, readonly TraceTask[]>>;
  /** Listed entries. */
  readonly total_tasks: number;
  /** Per action, the tasks that the limit left out; actions without are not here. */
  readonly omitted_tasks: Readonly<Record<string, number>>;
  /** Result files that could not be used. */
  readonly problems: number;
};

/** One task directory: its result's fields, or `error` saying why there are none. */
export type TraceTask = { readonly [key: string]: Json | undefined };

const MAX_RESULT_BYTES = 1024 * 1024;
const MAX_DIRECTORIES = 5000;
const ALWAYS = ['decision', 'status', 'error_class', 'ts'];
const WHEN_PRESENT = [
  'gain_pct',
  'validated_gain_pct',
  'output_throughput',
  'base_tput',
  'new_tput',
  'kernel_id',
  'patch_path',
  'report_path',
  'variant_name',
];

/** Walks `<session>/runs/<action>/<task>/result.json`; a file that cannot be used costs its own entry and no other. */
export function buildDecisionTrace(sessionDir: string, sessionId: string, maxTasks: number): DecisionTrace {
  const runs = resolve(sessionDir, 'runs');
  const tasks: Record<string, TraceTask[]> = {};
  const omitted: Record<string, number> = {};
  for (const action of directoriesIn(runs).sort(compareCodePoints)) {
    const workspaces = newestFirst(join(runs, action));
    if (workspaces.length === 0) continue;
    tasks[action] = workspaces.slice(0, maxTasks).map((path) => readTask(path, sessionDir));
    if (workspaces.length > maxTasks) omitted[action] = workspaces.length - maxTasks;
  }
  const listed = Object.values(tasks).flat();
  return {
    session_id: sessionId,
    tasks_by_action: tasks,
    total_tasks: listed.length,
    omitted_tasks: omitted,
    problems: listed.filter((task) => task['error'] !== undefined).length,
  };
}

function directoriesIn(path: string): string[] {
  try {
    return readdirSync(path, { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .slice(0, MAX_DIRECTORIES)
      .map((entry) => entry.name);
  } catch {
    // A session without runs is an ordinary session.
    return [];
  }
}

function newestFirst(directory: string): string[] {
  return directoriesIn(directory)
    .map((name) => join(directory, name))
    .map((path) => ({ path, mtime: statOf(path)?.mtimeMs ?? 0 }))
    .sort((a, b) => b.mtime - a.mtime || compareCodePoints(b.path, a.path))
    .map(({ path }) => path);
}

function readTask(workspace: string, sessionDir: string): TraceTask {
  const path = join(workspace, 'result.json');
  const base = { task_id: workspace.slice(workspace.lastIndexOf('/') + 1), workspace };
  const problem = (error: string, resultPath: string | null = path): TraceTask => ({
    ...base,
    result_path: resultPath,
    error,
  });
  const read = readTextBounded(path, { maxBytes: MAX_RESULT_BYTES, root: sessionDir });
  if (!read.ok && read.reason === 'missing') return problem('result.json_missing', null);
  if (!read.ok) return problem(`result.json_parse_failed: ${read.reason}: ${read.detail}`);
  const parsed = parseJson(read.text);
  if (!parsed.ok) return problem(`result.json_parse_failed: ${parsed.message}`);
  if (!isObject(parsed.value)) return problem('result.json_not_dict');
  return { ...base, result_path: path, ...chosenFields(parsed.value) };
}

function chosenFields(result: JsonObject): TraceTask {
  const always = ALWAYS.map((key) => [key, result[key] ?? null]);
  const present = WHEN_PRESENT.filter((key) => result[key] !== undefined && result[key] !== null);
  return Object.fromEntries([...always, ...present.map((key) => [key, result[key]])]);
}

/** An empty trace, for when the walk itself failed. */
export function noTrace(sessionId: string): DecisionTrace {
  return { session_id: sessionId, tasks_by_action: {}, total_tasks: 0, omitted_tasks: {}, problems: 0 };
}

/** Why the walk failed, one line. */
export function traceFailure(error: unknown): string {
  return `decision trace: ${describeFailure(error).message}`;
}
