import { join } from 'node:path';
import { integer, nonBlank } from '../../foreign/json.js';
import { unixSeconds } from '../../foreign/timestamps.js';
import { hostName } from '../tools/host-name.js';
import { readJsonObject } from '../tools/read-json.js';

/** The record of who holds the session (spec 02 §7). */
export interface OptimizerLock {
  readonly path: string;
  readonly pid: number | null;
  /** `""` when the record names none. */
  readonly hostname: string;
  /** When the record was written, unix s. */
  readonly writtenUnix: number;
}

const LOCK_BYTES = 4096;

/** `runtime/optimizer.lock`, or null when there is none to read. It is read and never locked: a starting optimizer would be refused. */
export function readOptimizerLock(sessionDir: string): OptimizerLock | null {
  const path = join(sessionDir, 'runtime', 'optimizer.lock');
  const read = readJsonObject(path, { maxBytes: LOCK_BYTES, root: sessionDir });
  if (!read.ok) return null;
  const { pid, hostname: host, started_at } = read.value;
  const startedUnix = unixSeconds(started_at);
  // The body is written once per acquisition; its own stamp is the better one when the file was copied.
  const writtenUnix = startedUnix === undefined ? read.mtimeUnix : Math.max(startedUnix, 0);
  return { path, pid: integer(pid) ?? null, hostname: nonBlank(host) ?? '', writtenUnix };
}

/** True when a record names a host that is not this one. */
export function isOtherHost(recorded: string): boolean {
  if (recorded === '') return false;
  const here = hostName();
  return recorded !== here && shortName(recorded) !== shortName(here);
}

function shortName(host: string): string {
  return host.split('.', 1)[0]?.toLowerCase() ?? '';
}
