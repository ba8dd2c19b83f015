import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { finiteNumber, objectOr, parseJson } from '../../foreign/json.js';
import { readTextBounded } from '../../sources/tools/read-file.js';
import { readPseudoLine } from '../../sources/tools/read-pseudo-file.js';

export interface WorkerLock {
  release(): void;
}

/** How far two readings of one process' start may differ, s. */
const START_SLACK_S = 2;
const MAX_BYTES = 4096;

/** The right to work on a session's queue; null while another living process has it (spec 07 B1). */
export function acquireWorkerLock(root: string): WorkerLock | null {
  const path = join(root, 'worker.lock');
  mkdirSync(root, { recursive: true, mode: 0o700 });
  const own = JSON.stringify({ pid: process.pid, start_unix: startOf(process.pid) ?? Date.now() / 1000 });
  for (let attempt = 0; attempt < 2; attempt += 1) {
    try {
      writeFileSync(path, own, { flag: 'wx', mode: 0o600 });
      return { release: () => rmSync(path, { force: true }) };
    } catch {
      const found = readLock(path);
      if (found !== null && !isStale(found)) return null;
      takeAway(path, found);
    }
  }
  return null;
}

function readLock(path: string): string | null {
  const file = readTextBounded(path, { maxBytes: MAX_BYTES });
  // Gone meanwhile, or nothing that a worker writes: the next attempt decides.
  return file.ok ? file.text : null;
}

/** Removes a stale lock, and nothing that somebody else has put in its place since it was read. */
function takeAway(path: string, stale: string | null): void {
  const aside = `${path}.${process.pid}`;
  try {
    renameSync(path, aside);
    if (readLock(aside) !== stale) linkSync(aside, path);
  } catch {
    // Whoever was quicker has the lock, or takes it.
  }
  rmSync(aside, { force: true });
}

function isStale(source: string): boolean {
  const parsed = parseJson(source);
  const lock = parsed.ok ? objectOr(parsed.value) : {};
  const [pid, start] = [finiteNumber(lock['pid']), finiteNumber(lock['start_unix'])];
  if (pid === undefined || start === undefined) return true;
  if (!isAlive(pid)) return true;
  const real = startOf(pid);
  return real !== null && Math.abs(real - start) > START_SLACK_S;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

/** Unix s of a process' start, from the kernel; null where there is no /proc. */
export function startOf(pid: number): number | null {
  const stat = readPseudoLine(`/proc/${pid}/stat`);
  const boot = /btime (\d+)/.exec(readBoot())?.[1];
  const ticks = stat?.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
  return boot === undefined || ticks === undefined ? null : Number(boot) + Number(ticks) / 100;
}

function readBoot(): string {
  try {
    return readFileSync('/proc/stat', 'utf8');
  } catch {
    return '';
  }
}
