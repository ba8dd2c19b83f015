import { isAbsolute, join, resolve } from 'node:path';
import { integer, isObject, nonBlank, parseJson } from '../../foreign/json.js';
import { unixSeconds } from '../../foreign/timestamps.js';
import { livenessOf } from '../liveness.js';
import { isOtherHost } from '../session/optimizer-lock.js';
import { type ReadInChildOptions, readInChild } from '../tools/read-in-child.js';

/** What a process says about its session (spec 04 §14). */
export type Owner = {
  /** Another session than ours, absolute; null when the process names none, or may not be asked. */
  readonly owner_session: string | null;
  /** False only when that session's Coordinator is known to be dead. */
  readonly owner_session_alive: boolean | null;
};

const SESSION_VARIABLE = 'INFERENCE_OPTIMIZER_CURRENT_SESSION_DIR';

/**
 * The other sessions that processes name as their own (spec 02 §10.4). Read in children: the processes may be stuck in the
 * kernel, and their sessions on a mount that has died.
 */
export async function ownersOf(
  pids: readonly number[],
  ownSession: string | null,
  procRoot: string,
  options: ReadInChildOptions,
): Promise<ReadonlyMap<number, Owner>> {
  const environments = await readInChild(
    pids.map((pid) => environmentPath(procRoot, pid)),
    options,
  );
  const sessions = new Map(
    pids.map((pid) => [pid, namedSession(environments.get(environmentPath(procRoot, pid)) ?? '')]),
  );
  const isOther = (session: string | null): session is string => session !== null && session !== ownSession;
  const others = [...new Set(sessions.values())].filter(isOther);
  const locks = await readInChild(others.map(lockPath), options);
  const owners = new Map<number, Owner>();
  for (const [pid, session] of sessions) {
    if (!isOther(session)) owners.set(pid, { owner_session: null, owner_session_alive: null });
    else {
      const alive = isHolderOfLockAlive(locks.get(lockPath(session)) ?? '', procRoot);
      owners.set(pid, { owner_session: session, owner_session_alive: alive });
    }
  }
  return owners;
}

function environmentPath(procRoot: string, pid: number): string {
  return join(procRoot, String(pid), 'environ');
}

function lockPath(session: string): string {
  return join(session, 'runtime', 'optimizer.lock');
}

function namedSession(environment: string): string | null {
  const entry = environment.split('\0').find((pair) => pair.startsWith(`${SESSION_VARIABLE}=`));
  const directory = entry?.slice(SESSION_VARIABLE.length + 1).trim() ?? '';
  return isAbsolute(directory) && !/[\n\r]/.test(directory) ? resolve(directory) : null;
}

/** False only when the lock names this host and a process that does not exist: everything else proves nothing. */
function isHolderOfLockAlive(source: string, procRoot: string): boolean | null {
  const lock = parseJson(source);
  if (!lock.ok || !isObject(lock.value)) return null;
  const { pid, hostname, started_at } = lock.value;
  const host = nonBlank(hostname);
  if (host === undefined || isOtherHost(host)) return null;
  return livenessOf(integer(pid) ?? null, unixSeconds(started_at) ?? null, procRoot).alive;
}
