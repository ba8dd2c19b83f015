import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import {
  finiteNumber,
  isObject,
  type Json,
  type JsonObject,
  objectOr,
  parseJson,
  text,
} from '../../foreign/json.js';
import { replaceFile } from '../../foreign/write-file.js';
import { readTextBounded } from '../../sources/tools/read-file.js';
import type { SnapshotReading } from '../tools/session/abnormal.js';
import { JOB_PATTERN } from './paths.js';

/** A spooled finding (spec 07 B1). */
export interface Job {
  readonly jobId: string;
  readonly attempts: number;
  readonly createdUnix: number;
  readonly sessionId: string;
  readonly symptom: string;
  readonly subject: JsonObject;
  readonly summary: string;
  readonly incidentUnix: number;
  readonly snapshot: SnapshotReading | null;
  /** The tick was told not to look at this machine. */
  readonly skipsMachine: boolean;
}

const MAX_JOB_BYTES = 256 * 1024;
const MAX_ATTEMPTS = 2;

export type Taken =
  | { readonly ok: true; readonly job: Job }
  /** The file was no job, or was tried too often: it is gone. `stays`: it could not be taken, nor removed. */
  | { readonly ok: false; readonly name: string; readonly reason: string; readonly stays?: true };

/** Names of the queued jobs, oldest first. */
export function queuedJobs(root: string): string[] {
  try {
    return readdirSync(join(root, 'queue'))
      .filter((name) => name.endsWith('.json') && JOB_PATTERN.test(name.slice(0, -5)))
      .sort((a, b) => Number(a.split('-')[1]) - Number(b.split('-')[1]) || (a < b ? -1 : 1));
  } catch {
    return [];
  }
}

/** Takes a job: its attempts are raised in the file before it runs, so that one that kills its worker ends. */
export function takeJob(root: string, name: string): Taken {
  const path = join(root, 'queue', name);
  const drop = (reason: string): Taken => {
    rmSync(path, { force: true, recursive: true });
    countDropped(root);
    return { ok: false, name, reason };
  };
  const file = readTextBounded(path, { maxBytes: MAX_JOB_BYTES });
  if (!file.ok && file.reason === 'missing') return { ok: false, name, reason: 'it is gone' };
  if (!file.ok) return drop(file.detail);
  const parsed = parseJson(file.text);
  const job = parsed.ok ? parseJob(parsed.value, name.slice(0, -5)) : null;
  if (job === null) return drop('it is no job of schema version 1');
  if (job.attempts >= MAX_ATTEMPTS) return drop(`it was tried ${job.attempts} times`);
  const raised = { ...objectOr(parsed.ok ? parsed.value : {}), attempts: job.attempts + 1 };
  const failure = replaceFile(path, JSON.stringify(raised), { isPrivate: true });
  if (failure === undefined) return { ok: true, job };
  // What cannot be counted would be taken for ever.
  return { ok: false, name, reason: `it could not be taken: ${failure.message}`, stays: true };
}

/** Puts a job back as if it had not been taken, for one that was broken off and is no worse for it. */
export function returnJob(root: string, jobId: string): void {
  const path = join(root, 'queue', `${jobId}.json`);
  const file = readTextBounded(path, { maxBytes: MAX_JOB_BYTES });
  if (!file.ok) return;
  const parsed = parseJson(file.text);
  const job = objectOr(parsed.ok ? parsed.value : {});
  const attempts = Math.max(0, (finiteNumber(job['attempts']) ?? 1) - 1);
  replaceFile(path, JSON.stringify({ ...job, attempts }), { isPrivate: true });
}

/** Jobs that were given up, beside those for which the queue was full (spec 07 B1, B18). */
function countDropped(root: string): void {
  const path = join(root, 'queue', 'dropped.json');
  const file = readTextBounded(path, { maxBytes: 4096 });
  const parsed = file.ok ? parseJson(file.text) : null;
  const before = finiteNumber(objectOr(parsed?.ok === true ? parsed.value : {})['dropped']) ?? 0;
  const counted = { dropped: before + 1, last_unix: Date.now() / 1000 };
  replaceFile(path, JSON.stringify(counted), { isPrivate: true });
}

export function finishJob(root: string, jobId: string): void {
  rmSync(join(root, 'queue', `${jobId}.json`), { force: true });
}

function parseJob(value: Json, id: string): Job | null {
  if (!isObject(value) || value['schema_version'] !== 1 || value['job_id'] !== id) return null;
  const symptom = text(value['symptom_name']);
  const incidentUnix = finiteNumber(value['incident_unix']);
  if (symptom === undefined || symptom.length > 200 || incidentUnix === undefined) return null;
  return {
    jobId: id,
    attempts: finiteNumber(value['attempts']) ?? 0,
    createdUnix: finiteNumber(value['created_unix']) ?? 0,
    sessionId: text(value['session_id']) ?? '',
    symptom,
    subject: objectOr(value['subject']),
    summary: (text(value['summary']) ?? '').slice(0, 2000),
    incidentUnix,
    snapshot: parseReading(value['snapshot']),
    skipsMachine: value['disable_local_probe'] === true,
  };
}

function parseReading(value: unknown): SnapshotReading | null {
  if (!isObject(value)) return null;
  const taken = finiteNumber(value['taken_unix']);
  if (taken === undefined) return null;
  const part = (name: string): Json => value[name] ?? null;
  return {
    taken_unix: taken,
    gpu: part('gpu'),
    processes: part('processes'),
    disk: part('disk'),
    fd: part('fd'),
    memory: part('memory'),
    server_health: part('server_health'),
    gateway: part('gateway'),
  };
}
