import { monotonicMs } from './clock.js';
/** Time between SIGTERM and SIGKILL, ms. */
export const KILL_GRACE_MS = 500;

/** Process groups of our tools that may still live: pgid -> time of the SIGKILL (ms, monotonic), or null while they run. */
const groups = new Map<number, number | null>();
let isGuarded = false;

/** Remembers a group, so that it cannot outlive the agent whatever ends it. */
export function watchGroup(pgid: number): void {
  groups.set(pgid, null);
  if (isGuarded) return;
  isGuarded = true;
  process.once('exit', killAll);
}

/** The leader has ended: whatever else is in its group goes too. */
export function forgetGroup(pgid: number): void {
  groups.delete(pgid);
  send(pgid, 'SIGKILL');
}

/** SIGTERM now, SIGKILL after the grace; the wait does not keep the process alive. */
export function killGroup(pgid: number, graceMs: number): void {
  if (!groups.has(pgid) || !send(pgid, 'SIGTERM')) return;
  groups.set(pgid, monotonicMs() + graceMs);
  setTimeout(() => {
    if (groups.has(pgid)) send(pgid, 'SIGKILL');
  }, graceMs).unref();
}

/**
 * Ends every tool that still runs: waits for those in their grace, at most `limitMs`, and kills the rest. To be called when
 * all answers are in, so that nothing of ours is left behind.
 */
export async function endTools(limitMs: number): Promise<void> {
  const end = monotonicMs() + limitMs;
  for (const [pgid, killAt] of groups) {
    if (killAt === null) continue;
    const wait = Math.min(killAt, end) - monotonicMs();
    const poll = 20;
    for (let waited = 0; waited < wait && groups.has(pgid); waited += poll) {
      await new Promise<void>((resolve) => setTimeout(resolve, poll));
    }
  }
  killAll();
}

function killAll(): void {
  for (const pgid of groups.keys()) send(pgid, 'SIGKILL');
  groups.clear();
}

function send(pgid: number, signal: NodeJS.Signals): boolean {
  try {
    process.kill(-pgid, signal);
    return true;
  } catch {
    // The group is gone, which is what we want.
    return false;
  }
}
