import type { JsonObject } from '../../../foreign/json.js';
import { isObject, objectOr, objectsOf, text } from '../../../foreign/json.js';
import { truncate } from '../../../foreign/round.js';
import { usableUnixSeconds } from '../../../foreign/timestamps.js';
import type { Snapshot } from '../../../sources/snapshot.js';

/** Work that an agent has dispatched and that is still running. */
export interface OwnWork {
  /** Seconds since any of it reported. */
  readonly idleS: number;
  /** Kind of the task that reported last; `''` = unknown. */
  readonly task: string;
  readonly evidence: JsonObject;
}

/** The agent's own work in flight, or undefined: no evidence either way (spec 03 §5 steps 3 and "Quiet sibling"). */
export function ownWork(
  agent: string,
  snapshot: Snapshot,
  now: number,
  timeoutS: number,
): OwnWork | undefined {
  const entry = objectOr(objectOr(snapshot.local_task_progress)['by_agent'])[agent];
  if (!isObject(entry)) return undefined;
  const reported = usableUnixSeconds(entry['last_progress_unix'], now);
  if (reported === undefined) return undefined;

  const idleS = Math.max(0, now - reported);
  const task = text(entry['task']) ?? '';
  const oldest = usableUnixSeconds(entry['oldest_progress_unix'], now);
  const oldestIdleS = oldest === undefined ? 0 : Math.max(0, now - oldest);
  const hasQuietSibling = oldest !== undefined && oldestIdleS > idleS && oldestIdleS >= timeoutS;
  return {
    idleS,
    task,
    evidence: {
      in_flight_work_idle_seconds: truncate(idleS),
      in_flight_work: task,
      ...(hasQuietSibling && {
        quiet_in_flight_work: text(entry['oldest_task']) ?? '',
        quiet_in_flight_work_idle_seconds: truncate(oldestIdleS),
      }),
    },
  };
}

/** A task may begin so long after the word that asked for it, s. */
const DISPATCH_S = 180;

/**
 * Whether the tick loop waits for a task that has not reported anything yet: a blocking action keeps every agent silent from
 * its start to its end (spec 01 §1.1), and not every harness reports. Only what began after the agent's last word, and not
 * longer ago than the host lets an action run, excuses; an agent whose own work does report is judged by that.
 */
export function isWaitingForWork(
  agent: string,
  snapshot: Snapshot,
  lastSeenUnix: number,
  now: number,
  limitS: number,
): boolean {
  const progress = objectOr(snapshot.local_task_progress);
  if (limitS === 0 || isObject(objectOr(progress['by_agent'])[agent])) return false;
  return objectsOf(progress['tasks']).some((task) => {
    const started = usableUnixSeconds(task['started_unix'], now);
    if (started === undefined || task['last_progress_unix'] !== null) return false;
    return started >= lastSeenUnix - DISPATCH_S && now - started < limitS;
  });
}
