import { randomBytes } from 'node:crypto';
import {
  closeSync,
  existsSync,
  linkSync,
  openSync,
  readFileSync,
  renameSync,
  statSync,
  unlinkSync,
  utimesSync,
  writeSync,
} from 'node:fs';
import { hostname } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { isObject, parseJson } from '../../foreign/json.js';

/** A lock that is held. */
export interface HeldLock {
  /** Gives it up; only if it is still ours. */
  release(): void;
}

/** Who holds a lock, as its file says. */
type Holder = {
  readonly pid: number;
  readonly host: string;
  readonly boot_id: string;
  readonly started_at: number;
  readonly token: string;
};

/** Time and patience; tests bring their own. */
export interface LockOptions {
  /** How long to wait for another writer, milliseconds. */
  readonly waitMs?: number;
  readonly now?: () => number;
}

const HEARTBEAT_MS = 10_000;
const STALE_MS = 120_000;
const RETRY_MS = 20;

/**
 * Takes the lock file of a state directory (spec 08 §24.11): created exclusively, kept fresh by a heartbeat, taken over only
 * when its process is gone on the same host and boot or the heartbeat is older than 120 s.
 *
 * @returns null when another writer kept it for the whole wait
 */
export async function takeLock(path: string, options: LockOptions = {}): Promise<HeldLock | null> {
  const { waitMs = 5_000, now = Date.now } = options;
  const end = now() + waitMs;
  for (;;) {
    const held = tryLock(path, now);
    if (held !== null) return held;
    if (now() >= end) return null;
    await delay(RETRY_MS);
  }
}

/** One attempt. */
export function tryLock(path: string, now: () => number = Date.now): HeldLock | null {
  const token = randomBytes(12).toString('hex');
  const holder: Holder = {
    pid: process.pid,
    host: hostname(),
    boot_id: bootId(),
    started_at: now() / 1000,
    token,
  };
  if (!createExclusively(path, JSON.stringify(holder))) {
    removeIfStale(path, now());
    if (!createExclusively(path, JSON.stringify(holder))) return null;
  }
  const beat = setInterval(() => {
    try {
      utimesSync(path, now() / 1000, now() / 1000);
    } catch {
      // Taken over or removed: release() finds another token, or none.
    }
  }, HEARTBEAT_MS);
  beat.unref();
  return {
    release() {
      clearInterval(beat);
      if (readHolder(path)?.token === token) unlinkQuietly(path);
    },
  };
}

/** True while somebody holds the lock: its file is there and not stale. Takes nothing. */
export function isLockHeld(path: string, now: () => number = Date.now): boolean {
  return existsSync(path) && !isStale(path, readHolder(path), now());
}

function createExclusively(path: string, content: string): boolean {
  // Written aside and linked, so that nobody ever reads a lock without its holder.
  const own = `${path}.${process.pid}.${randomBytes(4).toString('hex')}`;
  const file = openSync(own, 'wx', 0o600);
  try {
    writeSync(file, content);
  } finally {
    closeSync(file);
  }
  try {
    linkSync(own, path);
    return true;
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    throw error;
  } finally {
    unlinkQuietly(own);
  }
}

function removeIfStale(path: string, nowMs: number): void {
  const judged = readHolder(path);
  if (!isStale(path, judged, nowMs)) return;
  // Moved aside first: if somebody else took it over in between, the file we got is theirs and goes back.
  const aside = `${path}.stale.${process.pid}.${randomBytes(4).toString('hex')}`;
  try {
    renameSync(path, aside);
  } catch {
    return;
  }
  if (readHolder(aside)?.token !== judged?.token) {
    try {
      linkSync(aside, path);
    } catch {
      // A third writer has it by now.
    }
  }
  unlinkQuietly(aside);
}

function isStale(path: string, holder: Holder | null, nowMs: number): boolean {
  try {
    if (nowMs - statSync(path).mtimeMs > STALE_MS) return true;
  } catch {
    return false;
  }
  if (holder === null) return false;
  return holder.host === hostname() && holder.boot_id === bootId() && !isAlive(holder.pid);
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return codeOf(error) !== 'ESRCH';
  }
}

function readHolder(path: string): Holder | null {
  try {
    const json = parseJson(readFileSync(path, 'utf8'));
    if (!json.ok || !isObject(json.value)) return null;
    const { pid, host, boot_id, started_at, token } = json.value;
    if (typeof pid !== 'number' || typeof token !== 'string') return null;
    if (typeof host !== 'string' || typeof boot_id !== 'string' || typeof started_at !== 'number')
      return null;
    return { pid, host, boot_id, started_at, token };
  } catch {
    return null;
  }
}

function bootId(): string {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  } catch {
    return 'unknown';
  }
}

function unlinkQuietly(path: string): void {
  try {
    unlinkSync(path);
  } catch {
    // Gone already.
  }
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}
