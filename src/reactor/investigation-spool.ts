import { randomBytes } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { isObject, type JsonObject, objectOr, parseJson, storedInteger } from '../foreign/json.js';
import { describeFailure, ensureDirectory, replaceFile, type WriteFailure } from '../foreign/write-file.js';
import { symptomKey } from '../signals/symptom.js';
import type { Snapshot } from '../sources/snapshot.js';
import { readTextBounded } from '../sources/tools/read-file.js';
import type { Finding } from './findings/finding.js';
import { indexRows, investigationsRoot } from './investigations/index-rows.js';
import { isAboutInvestigator, runningInvestigations } from './investigations/running.js';
import { SKIPPED_SYMPTOMS } from './skipped-symptoms.js';
import { agentDirectory } from './store/paths.js';

export interface SpoolOptions {
  readonly sessionId: string;
  readonly nowUnix: number;
  /** What the tick saw of the machine, stored with the job. */
  readonly snapshot: Snapshot | null;
  /** Whoever investigates is not to look at this machine either: the session may be on others. */
  readonly skipsMachine?: boolean;
  readonly cooldownS?: number;
  readonly queueMax?: number;
  readonly skipSymptoms?: readonly string[];
}

export interface SpoolReport {
  /** File names of the jobs that were stored, without `.json`. */
  readonly jobs: readonly string[];
  /** Findings that found the queue full. */
  readonly dropped: number;
  /** Jobs that could not be written. */
  readonly problems: readonly string[];
}

const COOLDOWN_S = 900;
const QUEUE_MAX = 8;
const MAX_SNAPSHOT_BYTES = 64 * 1024;
const MAX_JOB_BYTES = 256 * 1024;
const JOB = /^job-\d{1,12}-[0-9a-f]{8}\.json$/;

/**
 * Stores an investigation job for every HIGH finding that is a fault, was not investigated lately and is not queued
 * (spec 07 B1). Cheap, and touches no file when there is nothing to investigate. Never throws.
 */
export function spoolInvestigation(
  sessionDir: string,
  findings: readonly Finding[],
  options: SpoolOptions,
): SpoolReport {
  const skipped = options.skipSymptoms ?? SKIPPED_SYMPTOMS;
  const faults = findings.filter(
    ({ severity, symptom_name: name }) => severity === 'high' && !skipped.includes(name),
  );
  if (faults.length === 0) return { jobs: [], dropped: 0, problems: [] };
  const root = investigationsRoot(sessionDir);
  const queue = join(root, 'queue');
  const atWork = runningInvestigations(root, options.nowUnix);
  const wanted = faults.filter((finding) => !isAboutInvestigator(finding, atWork.pids));
  const queued = queuedKeys(queue);
  const recent = recentKeys(sessionDir, options.nowUnix - (options.cooldownS ?? COOLDOWN_S));
  const jobs: string[] = [];
  const problems: string[] = [];
  let dropped = 0;
  for (const finding of wanted) {
    const key = symptomKey({ name: finding.symptom_name, subject: finding.subject });
    if (queued.keys.has(key) || recent.has(key) || atWork.keys.has(key)) continue;
    if (queued.count + jobs.length >= (options.queueMax ?? QUEUE_MAX)) {
      dropped += 1;
      continue;
    }
    queued.keys.add(key);
    const id = `job-${Math.floor(options.nowUnix)}-${randomBytes(4).toString('hex')}`;
    const failure = storeJob(sessionDir, join(queue, `${id}.json`), jobText(id, finding, options));
    if (failure === undefined) jobs.push(id);
    else problems.push(failure.message);
  }
  if (dropped > 0) countDropped(join(queue, 'dropped.json'), dropped, options.nowUnix);
  return { jobs, dropped, problems };
}

/** Jobs are for their owner alone; the directories above the investigations are everybody's (spec 07 B2). */
function storeJob(sessionDir: string, path: string, content: string): WriteFailure | undefined {
  try {
    ensureDirectory(agentDirectory(sessionDir));
    ensureDirectory(investigationsRoot(sessionDir), 0o700);
  } catch (error) {
    return describeFailure(error);
  }
  return replaceFile(path, content, { isPrivate: true });
}

function jobText(id: string, finding: Finding, options: SpoolOptions): string {
  const { sessionId, nowUnix, snapshot, skipsMachine = false } = options;
  const job = {
    schema_version: 1,
    job_id: id,
    attempts: 0,
    created_unix: nowUnix,
    session_id: sessionId,
    tick_index: finding.tick_index,
    symptom_name: finding.symptom_name,
    severity: finding.severity,
    subject: finding.subject,
    evidence: finding.evidence,
    summary: finding.summary,
    incident_unix: finding.timestamp_unix,
    snapshot: snapshot === null ? null : reading(snapshot, nowUnix),
    ...(skipsMachine && { disable_local_probe: true }),
  };
  const text = JSON.stringify(job);
  return Buffer.byteLength(text) <= MAX_JOB_BYTES ? text : JSON.stringify({ ...job, evidence: {} });
}

/** The readings that an investigation judges; null when they are too large to keep. */
function reading(snapshot: Snapshot, nowUnix: number): JsonObject | null {
  const value = {
    taken_unix: snapshot.collected_unix ?? nowUnix,
    gpu: orNull(snapshot.local_gpu),
    processes: snapshot.local_processes_known ? snapshot.local_processes : null,
    disk: orNull(snapshot.local_disk),
    fd: orNull(snapshot.local_fd),
    memory: orNull(snapshot.local_memory),
    server_health: snapshot.local_server_health,
    gateway: orNull(objectOr(snapshot.local_external_deps)['gateway']),
  };
  if (size(value) <= MAX_SNAPSHOT_BYTES) return value;
  const smaller = { ...value, processes: null };
  return size(smaller) <= MAX_SNAPSHOT_BYTES ? smaller : null;
}

/** An empty slot means that nothing could be seen. */
function orNull(slot: unknown): JsonObject | null {
  return isObject(slot) && Object.keys(slot).length > 0 ? slot : null;
}

function size(value: JsonObject): number {
  return Buffer.byteLength(JSON.stringify(value));
}

function queuedKeys(queue: string): { count: number; keys: Set<string> } {
  const keys = new Set<string>();
  const names = jobNames(queue);
  for (const name of names) {
    const job = readObject(join(queue, name));
    const subject = Object.entries(objectOr(job['subject'])).filter(
      (entry): entry is [string, string] => typeof entry[1] === 'string',
    );
    if (typeof job['symptom_name'] !== 'string') continue;
    keys.add(symptomKey({ name: job['symptom_name'], subject: Object.fromEntries(subject) }));
  }
  return { count: names.length, keys };
}

function jobNames(queue: string): string[] {
  try {
    return readdirSync(queue).filter((name) => JOB.test(name));
  } catch {
    // No queue yet.
    return [];
  }
}

/** Keys whose newest investigation is younger than the given time. */
function recentKeys(sessionDir: string, sinceUnix: number): Set<string> {
  const keys = new Set<string>();
  for (const { key, created_unix: created } of indexRows(sessionDir)) {
    if (typeof key === 'string' && typeof created === 'number' && created > sinceUnix) keys.add(key);
  }
  return keys;
}

function countDropped(path: string, more: number, nowUnix: number): void {
  const dropped = storedInteger(readObject(path)['dropped'], 0) + more;
  replaceFile(path, JSON.stringify({ dropped, last_unix: nowUnix }), { isPrivate: true });
}

function readObject(path: string): JsonObject {
  const file = readTextBounded(path, { maxBytes: MAX_JOB_BYTES });
  const parsed = file.ok ? parseJson(file.text) : null;
  return parsed?.ok === true ? objectOr(parsed.value) : {};
}
