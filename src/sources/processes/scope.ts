import { readlinkSync } from 'node:fs';
import type { ProcessScope } from '../facts.js';
import { mountsOf } from '../tools/mounts.js';

/** The kernel's own PID namespace has this inode on every Linux. */
const INITIAL_NAMESPACE = 'pid:[4026531836]';

/** What a listing of `/proc` covers (spec 02 §10.4). */
export function processScope(procRoot: string): ProcessScope {
  if (hidesOthers(procRoot)) return 'own_uid';
  try {
    return readlinkSync(`${procRoot}/self/ns/pid`) === INITIAL_NAMESPACE ? 'host' : 'namespace';
  } catch {
    return 'namespace';
  }
}

/** `hidepid` hides the processes of other users from everybody but root. */
function hidesOthers(procRoot: string): boolean {
  if (process.geteuid?.() === 0) return false;
  const proc = mountsOf(procRoot).find((mount) => mount.fsType === 'proc');
  return proc !== undefined && /(?:^|,)hidepid=(?!0|off)/.test(proc.superOptions);
}
