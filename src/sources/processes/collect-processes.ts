import { cutCodePoints, stripControls } from '../../foreign/hygiene.js';
import type { JsonObject } from '../../foreign/json.js';
import { redactCommand, secretValues } from '../../foreign/redact.js';
import type { CollectorAnswer, CollectorEnv } from '../collector.js';
import { livingServers } from '../health/pid-files.js';
import { readProcStat } from '../liveness.js';
import type { Stop } from '../tools/stop.js';
import { blockedCommandReader } from './blocked-commands.js';
import { fallbackTable } from './fallback-table.js';
import { type JudgedProcess, ProcessTableView } from './judge.js';
import { anchorOf } from './ownership.js';
import { ProcessPatterns } from './patterns.js';
import { readProcTable } from './proc-table.js';
import { processScope } from './scope.js';

const MAX_MATCHES = 512;
const MAX_ZOMBIES = 64;
const COMMAND_LENGTH = 1000;
/** Text beyond it is cut before credentials are masked, which keeps the masking cheap. */
const COMMAND_RAW_LENGTH = 8000;
const MAX_ANCESTORS = 32;

/** The look of the collector `processes`. */
export async function collectProcesses(env: CollectorEnv, signal: Stop): Promise<CollectorAnswer> {
  const { procRoot, sessionDir, config, facts } = env;
  const table = await readProcTable(procRoot, blockedCommandReader(procRoot, env.env, signal), signal);
  const fallback = table === null ? await fallbackTable(env.env, env.nowUnix, signal) : null;
  if (fallback?.ok === false) {
    const { reason, detail } = fallback;
    return { verdicts: { processes: { status: 'unknown', reason, detail } }, slots: {} };
  }
  const raw = table ?? fallback?.processes ?? [];
  const view = new ProcessTableView(raw, {
    procRoot,
    patterns: new ProcessPatterns(config.server_process_patterns, config.benchmark_process_patterns),
    sessionDir,
    anchor: sessionDir === null ? null : anchorOf(sessionDir, facts.coordinator?.workspaceRoot ?? null),
    coordinatorPid: facts.coordinator?.otherHost === true ? null : (facts.coordinator?.pid ?? null),
    excluded: ourselves(procRoot),
  });
  const matched = view.processes.filter((process) => process.matched).slice(0, MAX_MATCHES);
  await claimByPidFiles(matched, env, signal);
  // Another user's processes are in the list of ps as well; of what it covers more is not known.
  const scope = table === null ? 'namespace' : processScope(procRoot);
  const clean = cleaner(env.env);
  return {
    verdicts: { processes: { status: matched.length === 0 ? 'empty' : 'ok' } },
    slots: {
      local_processes: matched.map((process) => entry(process, clean)),
      local_processes_known: true,
      local_processes_scope: scope,
      local_zombies: zombies(view, env).slice(0, MAX_ZOMBIES),
    },
    facts: { processes: { scope, processes: view.processes } },
  };
}

function entry(process: JudgedProcess, clean: (command: string) => string): JsonObject {
  return {
    pid: process.pid,
    rss_mb: process.residentMb,
    cmd: clean(process.argv.join(' ')),
    is_server: process.isServer,
    cwd: process.cwd,
    ppid: process.ppid,
    uid: process.uid,
    start_unix: process.startUnix,
    state: process.state,
    port: process.port,
    session_owned: process.sessionOwned,
    owned_by: process.ownership.by,
  };
}

function cleaner(env: CollectorEnv['env']): (command: string) => string {
  const secrets = secretValues(env);
  return (command) => {
    const line = stripControls(command.slice(0, COMMAND_RAW_LENGTH)).replace(/\s+/g, ' ');
    return cutCodePoints(redactCommand(line, { secrets }), COMMAND_LENGTH);
  };
}

/** Servers that nothing else tells of: those whose pid stands in a pid file of the session. */
async function claimByPidFiles(
  matched: readonly JudgedProcess[],
  env: CollectorEnv,
  signal: Stop,
): Promise<void> {
  const open = matched.filter((process) => process.sessionOwned === null);
  if (open.length === 0 || env.sessionDir === null) return;
  const pids = new Set((await livingServers(env.sessionDir, env.procRoot, signal)).map(({ pid }) => pid));
  for (const process of open) if (pids.has(process.pid)) process.claim();
}

/** Dead children that may still hold device memory: named like a server, or left by the Coordinator or one of ours. */
function zombies(view: ProcessTableView, env: CollectorEnv): JsonObject[] {
  const { server_process_patterns, benchmark_process_patterns } = env.config;
  const patterns = new ProcessPatterns(server_process_patterns, benchmark_process_patterns);
  const coordinatorPid = env.facts.coordinator?.pid ?? null;
  return view.processes.flatMap((process) => {
    if (process.state !== 'Z') return [];
    const { pid, ppid, comm, startUnix } = process;
    const title = { executable: comm, program: comm, module: '', subCommand: '', title: comm };
    const isOurs = ppid === coordinatorPid || process.sessionOwned === true;
    if (!isOurs && !patterns.match(title).matched) return [];
    return [
      { pid, ppid, title: stripControls(comm), start_unix: startUnix, session_owned: isOurs ? true : null },
    ];
  });
}

/** The guardian and its ancestors. */
function ourselves(procRoot: string): ReadonlySet<number> {
  const pids = new Set([process.pid]);
  let pid = process.ppid;
  for (let step = 0; step < MAX_ANCESTORS && pid > 1; step += 1) {
    pids.add(pid);
    pid = readProcStat(procRoot, pid)?.ppid ?? 0;
  }
  return pids;
}
