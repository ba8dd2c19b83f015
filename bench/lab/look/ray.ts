import { finiteNumber, type JsonObject, objectOr } from '../../../src/foreign/json.js';
import { classifyRayFailure } from '../../../src/sources/ray/ray-failure.js';
import { firstLine, parseRayStatus } from '../../../src/sources/ray/ray-status.js';
import type { LabWorld } from '../world/world.js';
import type { Look } from './look.js';

/** Times in a row that a cluster seen healthy before may give no answer. */
const PATIENCE = 2;

/** Ray as the collector tells of it, with the product's own reading of what the command prints (spec 02 §10.7). */
export function lookAtRay({ ray, now }: LabWorld, memory: JsonObject): Look {
  if (ray === null) return { slots: { local_ray: {} } };
  const before = objectOr(memory['ray']);
  const wasHealthy = finiteNumber(before['seen_healthy_unix']) !== undefined;
  const failure = ray.kind === 'prints' && ray.code !== 0 ? classifyRayFailure(ray.stderr).kind : undefined;
  if (ray.kind === 'hangs' || failure === 'no_answer') {
    const timeout_streak = (finiteNumber(before['timeout_streak']) ?? 0) + 1;
    const isDown = wasHealthy && timeout_streak >= PATIENCE;
    const unhealthy =
      ray.kind === 'hangs'
        ? { reason: 'ray status gave no answer within 5.0 s', stderr: '', returncode: null }
        : {
            reason: `ray status exited with code ${ray.code}: it got no answer`,
            stderr: ray.stderr.trim().slice(0, 400),
            returncode: ray.code,
          };
    return {
      slots: { local_ray: isDown ? { healthy: false, ...unhealthy } : {} },
      memory: { ray: { ...before, timeout_streak } },
    };
  }
  const { code, stdout, stderr } = ray;
  if (code === 0) return answered(stdout, now);
  if (failure !== 'head_down' || !wasHealthy) return { slots: { local_ray: {} } };
  const reason = `ray status exited with code ${code}: no running head answers`;
  return { slots: { local_ray: { healthy: false, reason, stderr: stderr.trim(), returncode: code } } };
}

function answered(stdout: string, now: number): Look {
  const status = parseRayStatus(stdout);
  if (status === undefined) return { slots: { local_ray: {} } };
  const { pendingTasks, pendingPlacementGroups } = status;
  return {
    slots: {
      local_ray: {
        healthy: true,
        stdout_head: firstLine(stdout),
        pending_tasks: pendingTasks,
        pending_placement_groups: pendingPlacementGroups,
        returncode: 0,
      },
    },
    memory: { ray: { seen_healthy_unix: now, timeout_streak: 0 } },
  };
}
