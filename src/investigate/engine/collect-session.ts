import { isObject, type JsonObject, objectsOf, text } from '../../foreign/json.js';
import { countingItems, type EvidenceItem } from '../model/evidence.js';
import { type Collector, spread } from './collect.js';
import { compareTimes } from './hypothesis.js';

export interface SessionQuestion {
  /** Null for a person's question. */
  readonly symptom: string | null;
  readonly incidentUnix: number;
  /** The tick's own reading is in the ledger already. */
  readonly hasTickSnapshot: boolean;
  /** Where the finding points. */
  readonly taskIds: readonly string[];
}

/** How far around the incident is looked, s (spec 07 B9.2). */
export const BEFORE_S = 1800;
export const AFTER_S = 120;
const MAX_RESULTS = 5;
const MAX_TASK_LOGS = 4;
const RECOVER =
  /^(?:gpu_memory_leaked|recover_unsuccessful|gpu_thermal_high|disk_pressure|shm_pressure|fd_pressure)$/;
const STATE = /^(?:state_json_corrupt|coordinator_|stale_lease|inbox_bloat)/;
const MANIFEST = /^(?:gateway_auth_outage|wekafs_degraded|tracelens_cli_missing|model_gpu_infeasible)/;
const LISTED = /^(?:empty_patch_kept|decision_|kernel_|ci_metrics_|geak_|ray_pending_|aiter_jit_|critic_)/;

/** Asks a session around the time of the incident (spec 07 B9.2). */
export async function collectFromSession(collector: Collector, question: SessionQuestion): Promise<void> {
  const { incidentUnix, symptom } = question;
  const since = incidentUnix - BEFORE_S;
  const failed = await collector.ask('query_tasks', { state: 'failed' });
  await collector.ask('query_tasks', { state: 'running' });
  await collector.ask('query_events', {
    topic: 'delegated_result',
    since_unix: since,
    until_unix: incidentUnix + AFTER_S,
  });
  const errors = { pattern: '@errors', since_unix: since, until_unix: incidentUnix + AFTER_S };
  await collector.ask('search_session_logs', { ...errors, limit: 200 });
  const tasks = recentTasks(failed?.data, question);
  for (const taskId of tasks.slice(0, MAX_TASK_LOGS)) {
    const glob = `runs/*/${taskId}/**`;
    if (!/[*?]/.test(taskId)) await collector.ask('search_session_logs', { ...errors, path_glob: glob });
  }
  for (const item of spread(newestLogs(collector))) {
    if (item.line !== null)
      await collector.ask('get_session_log_window', { path: item.source, line: item.line });
  }
  await readResults(collector, [...new Set([...tasks, ...loggedTasks(collector)])]);
  if (!question.hasTickSnapshot) await collector.ask('system_snapshot', {});
  if (symptom !== null) await collectForSymptom(collector, symptom);
}

async function collectForSymptom(collector: Collector, symptom: string): Promise<void> {
  if (RECOVER.test(symptom)) await readResults(collector, [], /^runs\/recover\//);
  if (STATE.test(symptom)) await collector.ask('read_session_json', { path: 'state.json' });
  if (MANIFEST.test(symptom)) await collector.ask('read_session_json', { path: 'manifest.json' });
  if (LISTED.test(symptom)) await readResults(collector, [], /^(?:runs|reports|critic-workdir)\//);
}

/** Result files of some tasks, or whose path fits, newest first. */
async function readResults(collector: Collector, tasks: readonly string[], fits?: RegExp): Promise<void> {
  if (tasks.length === 0 && fits === undefined) return;
  const listing = await sources(collector);
  const isWanted = (path: string): boolean =>
    fits?.test(path) === true ||
    tasks.some((task) => path.startsWith('runs/') && path.split('/')[2] === task);
  const paths = listing.filter((path) => path.endsWith('.json') && isWanted(path)).slice(0, MAX_RESULTS);
  for (const path of paths) await collector.ask('read_session_json', { path });
}

const listings = new WeakMap<Collector, readonly string[]>();

async function sources(collector: Collector): Promise<readonly string[]> {
  const known = listings.get(collector);
  if (known !== undefined) return known;
  const answer = await collector.ask('list_session_sources', {});
  const runs = objectsOf(answer?.data['runs']).flatMap((run) =>
    objectsOfText(run['files']).map(
      (file) => `runs/${String(run['action'])}/${String(run['task_id'])}/${file}`,
    ),
  );
  const paths = [...new Set([...objectsOfText(answer?.data['json_files']), ...runs])];
  listings.set(collector, paths);
  return paths;
}

function objectsOfText(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((entry) => typeof entry === 'string') : [];
}

/** Tasks that failed, those that the finding names first. */
function recentTasks(data: JsonObject | undefined, { taskIds }: SessionQuestion): string[] {
  const failed = objectsOf(data?.['tasks']).flatMap((task) =>
    isObject(task) ? (text(task['task_id']) ?? []) : [],
  );
  return [...new Set([...taskIds, ...failed])];
}

/** Tasks whose logs hold a fingerprinted line. */
function loggedTasks(collector: Collector): string[] {
  const tasks = newestLogs(collector).flatMap(({ entities }) =>
    entities.filter((one) => one.startsWith('task:')),
  );
  return tasks.map((task) => task.slice('task:'.length));
}

/** Fingerprinted log lines, newest first, each text once. */
function newestLogs(collector: Collector): EvidenceItem[] {
  const logs = countingItems(collector.evidence).filter(
    ({ cls, fingerprint }) => cls === 'log' && fingerprint !== null,
  );
  const sorted = [...logs].sort((a, b) => compareTimes(b.tsUnix, a.tsUnix));
  return sorted.filter((item, index) => sorted.findIndex((other) => other.text === item.text) === index);
}
