import { lstatSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { cleanText, cutCodePoints } from '../../foreign/hygiene.js';
import {
  integer,
  isObject,
  type Json,
  type JsonObject,
  nonBlank,
  objectsOf,
  text,
} from '../../foreign/json.js';
import { looseNumber } from '../../foreign/loose-number.js';
import type { Redact } from '../../foreign/redact.js';
import { unixSeconds } from '../../foreign/timestamps.js';
import { parseWriterJson } from '../../foreign/writer-json.js';
import { breathe } from '../tools/breathe.js';
import { listDirectory } from '../tools/list-directory.js';
import { readTextBounded } from '../tools/read-file.js';
import { readJsonObject } from '../tools/read-json.js';
import type { Stop } from '../tools/stop.js';

/** One run of a kernel tool (spec 02 §5.13, §8). */
export type KernelAttempt = {
  readonly kernel_id: string;
  readonly backend: string;
  readonly report_text: string;
  readonly microbench_speedup: number | null;
  readonly ts: Json;
  readonly source_file: string;
  readonly attempt_id: string;
  readonly status: string;
  readonly error_type: string;
  readonly timed_out: boolean | null;
  readonly returncode: number | null;
  readonly improved: boolean | null;
};

const FILE = 'optimization_attempts.jsonl';
const MAX_FILES = 10;
const MAX_TAIL = 2 ** 20;
const MAX_RESULT_FILES = 200;
const MAX_RESULT = 2 ** 20;
const MAX_REPORT = 500;
const MAX_TEXT = 200;

interface Row {
  readonly attempt: KernelAttempt;
  readonly unix: number;
  readonly order: number;
}

/** The last `max` attempts of a session's kernel runs, oldest first. */
export async function kernelAttempts(
  sessionDir: string,
  max: number,
  redact: Redact,
  signal: Stop,
): Promise<KernelAttempt[]> {
  if (max <= 0) return [];
  const rows: Row[] = [];
  for (const path of newestFiles(join(sessionDir, 'kernel-agent', 'runs'))) {
    await breathe(signal);
    const lines = tailLines(path, sessionDir).slice(-max);
    const parsed = lines.flatMap((line) => rowObject(line));
    if (parsed.length === 0) continue;
    const needsKernel = parsed.some((row) => nonBlank(row['kernel_id']) === undefined);
    const kernelOf = needsKernel
      ? await kernelsByAttempt(dirname(path), sessionDir, signal)
      : new Map<string, string>();
    for (const row of parsed) {
      const attempt = attemptOf(row, path, kernelOf, redact);
      rows.push({ attempt, unix: unixSeconds(attempt.ts) ?? 0, order: rows.length });
    }
  }
  rows.sort((a, b) => a.unix - b.unix || a.order - b.order);
  return rows.slice(-max).map((row) => row.attempt);
}

/** The newest files, in the order of their paths. */
function newestFiles(directory: string): string[] {
  const listing = listDirectory(directory);
  if (!listing.ok) return [];
  const files = listing.entries.flatMap((run) => {
    const path = join(directory, run.name, FILE);
    try {
      return [{ path, mtime: lstatSync(path).mtimeMs }];
    } catch {
      // A run that has not begun to write.
      return [];
    }
  });
  files.sort((a, b) => b.mtime - a.mtime);
  return files
    .slice(0, MAX_FILES)
    .map(({ path }) => path)
    .sort();
}

function tailLines(path: string, sessionDir: string): string[] {
  const read = readTextBounded(path, { maxBytes: MAX_TAIL, oversize: 'tail', root: sessionDir });
  if (!read.ok) return [];
  const lines = read.text.split('\n');
  return (read.offset > 0 ? lines.slice(1) : lines).filter((line) => line.trim() !== '');
}

function rowObject(line: string): JsonObject[] {
  const parsed = parseWriterJson(line);
  return parsed.ok && isObject(parsed.value) ? [parsed.value] : [];
}

/** Which kernel an attempt belongs to: the finished kernels repeat their attempts in their results. */
async function kernelsByAttempt(
  runDirectory: string,
  sessionDir: string,
  signal: Stop,
): Promise<ReadonlyMap<string, string>> {
  const directory = join(runDirectory, 'results');
  const kernels = new Map<string, string>();
  const listing = listDirectory(directory);
  const names = listing.ok
    ? listing.entries.map((entry) => entry.name).filter((name) => name.endsWith('.json'))
    : [];
  for (const name of names.sort().slice(0, MAX_RESULT_FILES)) {
    await breathe(signal);
    const read = readJsonObject(join(directory, name), { maxBytes: MAX_RESULT, root: sessionDir });
    if (!read.ok) continue;
    for (const attempt of objectsOf(read.value['attempts'])) {
      const id = nonBlank(attempt['attempt_id']);
      if (id !== undefined) kernels.set(id, name.slice(0, -'.json'.length));
    }
  }
  return kernels;
}

/** A row with the reference's keys, or with those of the writer where they are absent. */
function attemptOf(
  row: JsonObject,
  path: string,
  kernelOf: ReadonlyMap<string, string>,
  redact: Redact,
): KernelAttempt {
  const attempt_id = short(row['attempt_id']);
  const tail = text(row['stdout_tail']) ?? '';
  const report =
    row['report_text'] === undefined
      ? lastCodePoints(redact(tail), MAX_REPORT)
      : redact(text(row['report_text']) ?? '');
  return {
    kernel_id: cleanText(nonBlank(row['kernel_id']) ?? kernelOf.get(attempt_id) ?? '', MAX_TEXT),
    backend: short(row['backend']),
    report_text: cleanText(report, MAX_REPORT),
    microbench_speedup: looseNumber(row['microbench_speedup'] ?? row['mean_case_speedup']) ?? null,
    ts: stamp(row['ts'] ?? row['created_at']),
    source_file: path,
    attempt_id,
    status: short(row['status']),
    error_type: short(row['error_type']),
    timed_out: truth(row['timed_out']),
    returncode: integer(row['returncode']) ?? null,
    improved: truth(row['improved']),
  };
}

function short(value: unknown): string {
  return cleanText(text(value) ?? '', MAX_TEXT);
}

function truth(value: unknown): boolean | null {
  return typeof value === 'boolean' ? value : null;
}

function stamp(value: Json | undefined): Json {
  if (typeof value === 'string') return cleanText(value, MAX_TEXT);
  return typeof value === 'number' ? value : null;
}

function lastCodePoints(value: string, count: number): string {
  const points = Array.from(cutCodePoints(value, 16_384));
  return points.slice(-count).join('');
}
