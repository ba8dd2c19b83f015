import type { JsonObject } from '../../../foreign/json.js';
import { isObject, objectOr, text } from '../../../foreign/json.js';
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
