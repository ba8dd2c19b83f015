import { closeSync, linkSync, openSync, readFileSync, renameSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { integer, isObject, parseJson, text } from '../../foreign/json.js';
import { describeFailure, ensureDirectory, removeFile, writeWhole } from '../../foreign/write-file.js';
import { monotonicMs } from '../../sources/tools/clock.js';
import { hostName } from '../../sources/tools/host-name.js';
import { readPseudoLine } from '../../sources/tools/read-pseudo-file.js';

/** Longest wait for another process, ms (spec 01 §7). */
export const LOCK_WAIT_MS = 2000;
const POLL_MS = 20;

export interface StateLock {
  /** Gives the lock back; safe to call twice. */
  release(): void;
}

export type LockOutcome =
  | { readonly held: true; readonly lock: StateLock }
  /** Another living process has it, or it cannot be created: run without saving state. */
  | { readonly held: false; readonly why: string };

interface LockOwner {
  readonly pid: number;
  /** Clock ticks since boot at which the process started; tells a reused pid apart. Null where there is no /proc. */
  readonly start_time: number | null;
  readonly host: string;
}

/** Start of a process in clock ticks since boot, field 22 of `/proc/<pid>/stat`; null when it cannot be read. */
export function processStartTime(pid: number | 'self'): number | null {
  const stat = readPseudoLine(`/proc/${pid}/stat`);
  if (stat === undefined) return null;
  // The name in parentheses may contain anything, also blanks and parentheses.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const started = Number(fields[19]);
  return Number.isFinite(started) ? started : null;
}

/**
 * Takes the lock of a state file, waiting for a living owner (spec 01 §7). The lock of a process that is gone, or whose pid
 * now belongs to another process, is taken over; one from another host is respected.
 */
export async function acquireLock(path: string, waitMs: number = LOCK_WAIT_MS): Promise<LockOutcome> {
  const mine: LockOwner = { pid: process.pid, start_time: processStartTime('self'), host: hostName() };
  const temporary = `${path}.${process.pid}`;
  const giveUpAt = monotonicMs() + waitMs;
  try {
    ensureDirectory(dirname(path));
    writeNew(temporary, `${JSON.stringify(mine)}\n`);
  } catch (error) {
    return { held: false, why: `the lock cannot be written: ${describeFailure(error).message}` };
  }
  try {
    for (;;) {
      if (tryLink(temporary, path)) return { held: true, lock: lockAt(path) };
      const owner = readOwner(path);
      if (owner !== 'gone' && isStale(owner)) takeAside(path, owner);
      else if (monotonicMs() >= giveUpAt) return { held: false, why: describeOwner(owner) };
      else if (owner !== 'gone') await delay(POLL_MS);
    }
  } finally {
    removeFile(temporary);
  }
}

/** In place of `writeFileSync`: what it is made of is needed elsewhere in every tick, and compiled by then. */
function writeNew(path: string, content: string): void {
  const descriptor = openSync(path, 'w');
  try {
    writeWhole(descriptor, content);
  } finally {
    closeSync(descriptor);
  }
}

function lockAt(path: string): StateLock {
  let released = false;
  return {
    release() {
      if (released) return;
      released = true;
      removeFile(path);
    },
  };
}

/** A hard link either creates the name with its content or fails: nobody can read a half-written lock. */
function tryLink(from: string, to: string): boolean {
  try {
    linkSync(from, to);
    return true;
  } catch {
    return false;
  }
}

type Owner = LockOwner | 'gone' | 'unreadable';

function readOwner(path: string): Owner {
  let content: string;
  try {
    content = readFileSync(path, 'utf8');
  } catch (error) {
    return describeFailure(error).code === 'ENOENT' ? 'gone' : 'unreadable';
  }
  const parsed = parseJson(content);
  if (!parsed.ok || !isObject(parsed.value)) return 'unreadable';
  const pid = integer(parsed.value['pid']);
  const host = text(parsed.value['host']);
  if (pid === undefined || host === undefined) return 'unreadable';
  return { pid, host, start_time: integer(parsed.value['start_time']) ?? null };
}

function isStale(owner: LockOwner | 'unreadable'): boolean {
  // Locks are written whole, so an unreadable one is nobody's.
  if (owner === 'unreadable') return true;
  if (owner.host !== hostName()) return false;
  try {
    process.kill(owner.pid, 0);
  } catch (error) {
    if (describeFailure(error).code === 'ESRCH') return true;
  }
  const started = processStartTime(owner.pid);
  return owner.start_time !== null && started !== null && started !== owner.start_time;
}

/** Removes a stale lock; one that somebody else took in the meantime is put back. */
function takeAside(path: string, stale: LockOwner | 'unreadable'): void {
  const aside = `${path}.stale-${process.pid}`;
  try {
    renameSync(path, aside);
  } catch {
    // Somebody else removed it first.
    return;
  }
  const found = readOwner(aside);
  if (JSON.stringify(found) !== JSON.stringify(stale)) tryLink(aside, path);
  removeFile(aside);
}

function describeOwner(owner: Owner): string {
  if (owner === 'gone' || owner === 'unreadable') return 'the lock is contended';
  return `process ${owner.pid} on ${owner.host} holds the lock`;
}
