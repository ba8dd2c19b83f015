import { open } from 'node:fs/promises';
import { isAbsolute, join, resolve } from 'node:path';
import { integer, isObject, nonBlank, parseJson } from '../../foreign/json.js';
import { unixSeconds } from '../../foreign/timestamps.js';
import { livenessOf } from '../liveness.js';
import { isOtherHost } from '../session/optimizer-lock.js';

const SESSION_VARIABLE = 'INFERENCE_OPTIMIZER_CURRENT_SESSION_DIR';
const MAX_ENVIRONMENT = 256 * 1024;
const MAX_LOCK = 4096;

/** The session that a process names as its own (spec 02 §10.4), absolute; null when it names none or may not be asked. */
export async function ownerSession(procRoot: string, pid: number): Promise<string | null> {
  const environment = await readHead(join(procRoot, String(pid), 'environ'), MAX_ENVIRONMENT);
  const entry = environment?.split('\0').find((pair) => pair.startsWith(`${SESSION_VARIABLE}=`));
  const directory = entry?.slice(SESSION_VARIABLE.length + 1).trim() ?? '';
  return isAbsolute(directory) ? resolve(directory) : null;
}

/**
 * Whether the Coordinator of a session lives, by its lock file (spec 02 §7, §10.6). False only when the lock names this host
 * and a process that does not exist: everything else proves nothing.
 */
export async function isSessionAlive(sessionDir: string, procRoot: string): Promise<boolean | null> {
  const source = await readHead(join(sessionDir, 'runtime/optimizer.lock'), MAX_LOCK);
  const lock = parseJson(source ?? '');
  if (!lock.ok || !isObject(lock.value)) return null;
  const { pid, hostname, started_at } = lock.value;
  const host = nonBlank(hostname);
  if (host === undefined || isOtherHost(host)) return null;
  return livenessOf(integer(pid) ?? null, unixSeconds(started_at) ?? null, procRoot).alive;
}

/** Asynchronous, because another session may lie on a mount that has died. */
async function readHead(path: string, maxBytes: number): Promise<string | undefined> {
  try {
    const file = await open(path, 'r');
    try {
      const buffer = Buffer.alloc(maxBytes);
      const { bytesRead } = await file.read(buffer, 0, maxBytes, 0);
      return buffer.toString('utf8', 0, bytesRead);
    } finally {
      await file.close();
    }
  } catch {
    // Gone, or not for us.
    return undefined;
  }
}
