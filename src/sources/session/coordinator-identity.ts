import { join } from 'node:path';
import { integer, type JsonObject, nonBlank } from '../../foreign/json.js';
import type { CoordinatorFact } from '../facts.js';
import { type Liveness, livenessOf, readProcStat } from '../liveness.js';
import { readJsonObject } from '../tools/read-json.js';
import { newestLaunch, newestPidFile } from './launch-files.js';
import { isOtherHost, readOptimizerLock } from './optimizer-lock.js';
import { workspaceRootOf } from './workspace.js';

export interface IdentityQuestion {
  readonly sessionDir: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly promptDriven: boolean;
  readonly procRoot: string;
}

export interface IdentityAnswer {
  readonly fact: CoordinatorFact;
  /** `local_state_integrity.coordinator` (spec 02 §5.17, §10.6, 04 §14). */
  readonly slot: JsonObject;
}

interface PidRecord {
  readonly source: 'lock' | 'launch' | 'manifest' | 'pid_file' | '';
  readonly file: string;
  readonly pid: number | null;
  readonly hostname: string;
  readonly writtenUnix: number | null;
}

const MANIFEST_BYTES = 4 * 2 ** 20;
const MAX_ANCESTORS = 32;
const NO_RECORD: PidRecord = { source: '', file: '', pid: null, hostname: '', writtenUnix: null };

/**
 * Who drives the session: the lock, else a launch file of this session, else the manifest, else the newest pid file, whose
 * death proves nothing because wrappers die at once. Whoever rendered a prompt for this tick is alive (04
 * state_integrity-4).
 */
export function identifyCoordinator(question: IdentityQuestion): IdentityAnswer {
  const { sessionDir, env, promptDriven, procRoot } = question;
  const manifestPath = join(sessionDir, 'manifest.json');
  const read = readJsonObject(manifestPath, { maxBytes: MANIFEST_BYTES, root: sessionDir });
  const manifest = read.ok ? read.value : {};
  const workspaceRoot = workspaceRootOf(sessionDir, manifest, env);
  const launch = newestLaunch(workspaceRoot, sessionDir);
  const record = firstRecord(sessionDir, workspaceRoot, launch, {
    source: 'manifest',
    file: manifestPath,
    pid: integer(manifest['pid']) ?? null,
    hostname: nonBlank(manifest['host']) ?? '',
    writtenUnix: read.ok ? read.mtimeUnix : null,
  });

  const otherHost = isOtherHost(record.hostname);
  const isParent = record.pid !== null && !otherHost && isAncestor(record.pid, procRoot);
  const seen = liveness(record, otherHost, isParent, procRoot);
  const alive = promptDriven ? true : seen.alive;
  const { startedUnix } = seen;
  return {
    fact: {
      pid: record.pid,
      alive,
      startedUnix,
      hostname: record.hostname,
      otherHost,
      workspaceRoot,
      runLog: launch?.runLog ?? null,
    },
    slot: {
      recorded_pid: record.pid,
      alive,
      pid_file: record.file,
      identity_source: promptDriven ? 'caller' : record.source,
      hostname: record.hostname,
      is_parent: isParent,
      started_unix: startedUnix,
    },
  };
}

function firstRecord(
  sessionDir: string,
  workspace: string,
  launch: ReturnType<typeof newestLaunch>,
  manifest: PidRecord,
): PidRecord {
  const lock = readOptimizerLock(sessionDir);
  if (lock !== null && lock.pid !== null) {
    return {
      source: 'lock',
      file: lock.path,
      pid: lock.pid,
      hostname: lock.hostname,
      writtenUnix: lock.writtenUnix,
    };
  }
  if (launch !== null && launch.pid !== null) {
    return {
      source: 'launch',
      file: launch.path,
      pid: launch.pid,
      hostname: lock?.hostname ?? '',
      writtenUnix: launch.writtenUnix,
    };
  }
  if (manifest.pid !== null) return manifest;
  const file = newestPidFile(workspace, sessionDir);
  if (file === null) return NO_RECORD;
  return { source: 'pid_file', file: file.path, pid: file.pid, hostname: '', writtenUnix: file.writtenUnix };
}

function liveness(record: PidRecord, otherHost: boolean, isParent: boolean, procRoot: string): Liveness {
  if (otherHost) return { alive: null, startedUnix: null };
  // Our own ancestor cannot be a stranger that got the pid later.
  const seen = livenessOf(record.pid, isParent ? null : record.writtenUnix, procRoot);
  const provesNothing = seen.alive === false && record.source === 'pid_file';
  return provesNothing ? { alive: null, startedUnix: null } : seen;
}

/** True when the pid is our parent, or its parent, and so on. */
function isAncestor(pid: number, procRoot: string): boolean {
  if (pid <= 1) return false;
  let current = process.ppid;
  for (let step = 0; step < MAX_ANCESTORS && current > 1; step += 1) {
    if (current === pid) return true;
    current = readProcStat(procRoot, current)?.ppid ?? 0;
  }
  return false;
}
