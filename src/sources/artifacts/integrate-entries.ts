import { lstatSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { cleanText } from '../../foreign/hygiene.js';
import { integer, isObject, type JsonObject, objectOr, objectsOf, text } from '../../foreign/json.js';
import { looseNumber } from '../../foreign/loose-number.js';
import { unixSeconds } from '../../foreign/timestamps.js';
import { breathe } from '../tools/breathe.js';
import { listDirectory } from '../tools/list-directory.js';
import { readJsonObject } from '../tools/read-json.js';
import type { Stop } from '../tools/stop.js';
import { type PatchFacts, patchFacts } from './patch-file.js';

/** One decision about a kernel patch (spec 02 §5.13, §8). */
export type IntegrateEntry = PatchFacts & {
  readonly kernel_id: string;
  readonly task_id: string;
  readonly decision: string;
  readonly gain_pct: number | null;
  readonly base_tput: number | null;
  readonly new_tput: number | null;
  readonly patch_path: string;
  readonly dispatched_count: number | null;
  readonly result_path: string;
  /** Unix s; null when the record has no usable time. */
  readonly mtime: number | null;
  readonly origin: 'file' | 'state';
};

/** An entry before its patch is looked at: the path as it was written, and the directory that a relative one starts from. */
export type IntegrateRecord = Omit<IntegrateEntry, keyof PatchFacts> & {
  readonly raw_patch_path: string;
  readonly result_dir: string;
};

const MAX_RESULT = 2 ** 20;
/** Files looked at beyond the wanted number, because invalid ones do not count. */
const MAX_TRIES = 400;
const MAX_RECORDS = 2000;
/** Longer than any path. */
const MAX_TEXT = 4096;
/** How far a record and a file of one decision may lie apart, s. */
const SAME_WITHIN_S = 60;

/** Decisions in `runs/integrate/<task>/result.json`, newest first. */
export async function integrateFiles(
  sessionDir: string,
  max: number,
  signal: Stop,
): Promise<IntegrateRecord[]> {
  const entries: IntegrateRecord[] = [];
  for (const { path, mtime } of resultFiles(join(sessionDir, 'runs', 'integrate')).slice(0, MAX_TRIES)) {
    if (entries.length >= max) break;
    await breathe(signal);
    const read = readJsonObject(path, { maxBytes: MAX_RESULT, root: sessionDir });
    const decision = read.ok ? text(read.value['decision']) : undefined;
    if (!read.ok || decision === undefined) continue;
    entries.push({ ...entry(read.value, decision, dirname(path)), result_path: path, mtime, origin: 'file' });
  }
  return entries;
}

function resultFiles(directory: string): { readonly path: string; readonly mtime: number }[] {
  const listing = listDirectory(directory);
  if (!listing.ok) return [];
  const found = listing.entries.flatMap((task) => {
    const path = join(directory, task.name, 'result.json');
    try {
      return [{ path, mtime: lstatSync(path).mtimeMs / 1000 }];
    } catch {
      // No result yet, or vanished: one entry less, not the slice.
      return [];
    }
  });
  return found.sort((a, b) => b.mtime - a.mtime);
}

/** Decisions in `state.json`, where this version of the writer keeps them (spec 02 §8). */
export function integrateRecords(state: JsonObject, sessionDir: string): IntegrateRecord[] {
  const statePath = join(sessionDir, 'state.json');
  const records = Object.entries(objectOr(state['kernel_integrate_attempts'])).slice(0, MAX_RECORDS);
  return records.flatMap(([key, record]) => {
    if (!isObject(record)) return [];
    return objectsOf(record['attempts']).flatMap((attempt): IntegrateRecord[] => {
      const decision = text(attempt['decision']);
      if (decision === undefined || attempt['is_fault'] === true) return [];
      const merged = {
        ...attempt,
        kernel_id: record['kernel_id'],
        patch_path: attempt['patch_path'] ?? record['patch_path'],
      };
      return [
        {
          ...entry(merged, decision, sessionDir),
          task_id: '',
          base_tput: null,
          dispatched_count: null,
          result_path: cleanText(`${statePath}#${key}`, MAX_TEXT),
          mtime: unixSeconds(attempt['ts']) ?? null,
          origin: 'state',
        },
      ];
    });
  });
}

/** Files and records as one list, newest first; a record of what a file already says is the file's. */
export function mergeIntegrate(
  files: readonly IntegrateRecord[],
  records: readonly IntegrateRecord[],
  max: number,
  roots: readonly string[],
): IntegrateEntry[] {
  const others = records.filter((record) => !files.some((file) => isSame(file, record)));
  const newest = [...files, ...others].sort((a, b) => timeOf(b) - timeOf(a)).slice(0, max);
  return newest.map(({ result_dir, raw_patch_path, ...rest }) => ({
    ...rest,
    ...patchFacts(raw_patch_path, result_dir, roots),
  }));
}

function timeOf(record: IntegrateRecord): number {
  return record.mtime ?? Number.MIN_SAFE_INTEGER;
}

function isSame(file: IntegrateRecord, record: IntegrateRecord): boolean {
  if (file.kernel_id !== record.kernel_id || file.decision !== record.decision) return false;
  return file.mtime !== null && record.mtime !== null && Math.abs(file.mtime - record.mtime) <= SAME_WITHIN_S;
}

function entry(
  result: JsonObject,
  decision: string,
  result_dir: string,
): Omit<IntegrateRecord, 'result_path' | 'mtime' | 'origin'> {
  return {
    kernel_id: shortText(result['kernel_id']),
    task_id: shortText(result['task_id']),
    decision: cleanText(decision, MAX_TEXT),
    gain_pct: looseNumber(result['gain_pct']) ?? null,
    base_tput: looseNumber(result['base_tput']) ?? null,
    new_tput: looseNumber(result['new_tput']) ?? null,
    patch_path: shortText(result['patch_path']),
    dispatched_count: integer(result['dispatched_count']) ?? null,
    raw_patch_path: text(result['patch_path']) ?? '',
    result_dir,
  };
}

/** Text, or a number as text; anything else says nothing. */
function shortText(value: unknown): string {
  if (typeof value === 'number' && value !== 0) return String(value);
  return cleanText(text(value) ?? '', MAX_TEXT);
}
