import { finiteNumber, type Json, type JsonObject, listOr, objectsOf } from '../../../foreign/json.js';
import { pythonText } from '../../../foreign/python-text.js';
import { isTruthy } from '../../../foreign/python-truth.js';
import { roundHalfEven } from '../../../foreign/round.js';
import { unixSeconds } from '../../../foreign/timestamps.js';
import type { Symptom } from '../../symptom.js';

export interface LeaseLimits {
  /** Younger leases may belong to a process that is just being replaced, s. */
  readonly minAgeS: number;
  /** So long the dispatcher has had to reap a dead holder before it is urgent, s. */
  readonly highAfterS: number;
  readonly nowUnix: number;
}

interface StaleLease {
  readonly lease: JsonObject;
  readonly taskId: string;
  readonly ageS: number;
}

/** Leases that block a lane although their holder is dead (spec 04 §9, state_integrity-1 to -3). */
export function leaseSymptoms(leases: Json | undefined, limits: LeaseLimits): Symptom[] {
  const stale = objectsOf(leases)
    .filter(blocksWhileDead)
    .map((lease): StaleLease => ({ lease, taskId: taskIdOf(lease), ageS: ageOf(lease, limits) }))
    .filter(({ ageS }) => ageS >= limits.minAgeS);
  return stale.map((entry) => {
    const lanes = stale
      .filter(({ taskId }) => taskId === entry.taskId)
      .flatMap(({ lease }) => lanesOf(lease));
    return staleLease(entry, [...new Set(lanes)], limits);
  });
}

function blocksWhileDead(lease: JsonObject): boolean {
  const pid = finiteNumber(lease['holder_pid']);
  if (lease['alive'] !== false || lease['expired'] === true) return false;
  return pid === undefined || pid > 0;
}

function staleLease({ lease, taskId, ageS }: StaleLease, lanes: string[], limits: LeaseLimits): Symptom {
  return {
    name: 'stale_lease',
    severity: isOverdue(lease, limits) ? 'high' : 'medium',
    subject: { task_id: taskId },
    source: 'local',
    summary:
      `Task ${taskId} holds ${lanes.length === 1 ? 'lane' : 'lanes'} ${lanes.join(', ') || '(unnamed)'} for ` +
      `${ageS.toFixed(0)} s through process ${pythonText(lease['holder_pid'])}, which is dead: the lane is blocked`,
    suggestion:
      'No action: the dispatcher reaps dead holders on each of its ticks. Look at it when the lease stays.',
    evidence: {
      task_id: taskId,
      holder_pid: lease['holder_pid'] ?? null,
      lane: lease['lane'] ?? null,
      acquired_at: lease['acquired_at'] ?? null,
      age_s: roundHalfEven(ageS, 2),
      stale_lease_min_age_s: limits.minAgeS,
      lanes,
    },
  };
}

/** Sources that do not note when the holder was first seen dead are taken at their word (spec 03 G-13). */
function isOverdue(lease: JsonObject, { nowUnix, highAfterS }: LeaseLimits): boolean {
  if (lease['first_stale_unix'] === undefined) return true;
  const since = finiteNumber(lease['first_stale_unix']);
  return since !== undefined && nowUnix - since >= highAfterS;
}

/** Age in s; a lease whose start cannot be read counts as just old enough. */
function ageOf(lease: JsonObject, { nowUnix, minAgeS }: LeaseLimits): number {
  const acquired = unixSeconds(lease['acquired_at']);
  return acquired === undefined || nowUnix <= 0 ? minAgeS + 1 : nowUnix - acquired;
}

function taskIdOf(lease: JsonObject): string {
  return isTruthy(lease['task_id']) ? pythonText(lease['task_id']) : 'unknown';
}

function lanesOf(lease: JsonObject): string[] {
  const own = isTruthy(lease['lane']) ? [lease['lane']] : [];
  return [...own, ...listOr(lease['lanes'])].map((lane) => pythonText(lane));
}
