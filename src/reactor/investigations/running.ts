import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { finiteNumber, type JsonObject, objectOr, parseJson, text } from '../../foreign/json.js';
import { readTextBounded } from '../../sources/tools/read-file.js';
import type { Finding } from '../findings/finding.js';

/** Who investigates at this moment, and what. */
export interface RunningInvestigations {
  /** De-duplication keys of the findings that are being looked into. */
  readonly keys: ReadonlySet<string>;
  readonly pids: ReadonlySet<number>;
}

/** No investigation takes longer, s. */
const LONGEST_S = 2 * 3600;
const DIRECTORY = /^inv-(\d{1,12})-[0-9a-f]{8}$/;
const MAX_BYTES = 4096;
/** Names under which the agent itself, or what it started, may turn up as the subject of a finding. */
const OURSELVES = /^(?:robustness(?:[-_]agent)?|investigator|investigate)$/i;

/** Reads who is at work from the marks that investigations leave while they run; a mark of a process that is gone is none. */
export function runningInvestigations(root: string, nowUnix: number): RunningInvestigations {
  const young = namesIn(root).filter((name) => Number(DIRECTORY.exec(name)?.[1]) > nowUnix - LONGEST_S);
  const marks = [...young.map((name) => join(root, name, 'running.json')), join(root, 'worker.lock')]
    .map(readMark)
    .filter(({ pid }) => pid !== undefined && isAlive(pid));
  return {
    keys: new Set(marks.flatMap(({ key }) => key ?? [])),
    pids: new Set(marks.flatMap(({ pid }) => pid ?? [])),
  };
}

/** True for a finding about the agent or a process that investigates: looking into it would only make more of it (spec 07 B1). */
export function isAboutInvestigator({ subject }: Finding, pids: ReadonlySet<number>): boolean {
  const { agent, pid } = subject;
  return OURSELVES.test(agent ?? '') || (pid !== undefined && pids.has(Number(pid)));
}

interface Mark {
  readonly pid: number | undefined;
  readonly key: string | undefined;
}

function readMark(path: string): Mark {
  const { pid, key } = readSmall(path);
  return { pid: finiteNumber(pid), key: text(key) };
}

function readSmall(path: string): JsonObject {
  const file = readTextBounded(path, { maxBytes: MAX_BYTES });
  const parsed = file.ok ? parseJson(file.text) : null;
  return parsed?.ok === true ? objectOr(parsed.value) : {};
}

function namesIn(root: string): string[] {
  try {
    return readdirSync(root);
  } catch {
    // Nothing was investigated yet.
    return [];
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
