import { finiteNumber, type Json, type JsonObject, objectsOf, text } from '../../../foreign/json.js';
import { pythonText } from '../../../foreign/python-text.js';
import { isTruthy } from '../../../foreign/python-truth.js';
import { wholeWords } from '../../../foreign/word.js';

/** A kernel this much faster in the micro-benchmark is a success. */
const SUCCESS_SPEEDUP = 1.2;

const KILL_MARKERS = [
  'sigterm',
  'signal 15',
  'budget exhausted',
  'timed out before select_patch',
  'killed by deadline',
].map(wholeWords);
/** How batch systems and shells say that a time limit ended a run; judged only in rows of our own collector. */
const LIMIT = '(?:wall[ -]?(?:clock[ -]?)?(?:time|limit)|time[ -]?limit|run[ -]?time limit)';
const TIME_LIMIT = new RegExp(
  `\\bdue to ${LIMIT}\\b|\\b${LIMIT}\\b[^\\n]{0,40}\\b(?:exceeded|expired|reached)\\b|` +
    `\\bexceed(?:ed|s|ing)?\\b[^\\n]{0,40}\\b${LIMIT}\\b|\\bTERM_RUNLIMIT\\b`,
  'i',
);

/** One run of one backend on one kernel. */
export interface Attempt {
  readonly kernelId: string;
  /** Lower case; empty when the row names none. */
  readonly backend: string;
  readonly report: string;
  readonly wasKilled: boolean;
  readonly succeeded: boolean;
}

/** The attempts that name their kernel; others cannot be attributed (spec 04 kernel_pipeline-3). */
export function readAttempts(rows: Json | undefined): Attempt[] {
  return objectsOf(rows).flatMap((row) => {
    const kernelId = kernelIdOf(row);
    if (kernelId === undefined) return [];
    const report = isTruthy(row['report_text']) ? pythonText(row['report_text']) : '';
    const backend = isTruthy(row['backend']) ? pythonText(row['backend']).toLowerCase() : '';
    return [{ kernelId, backend, report, wasKilled: wasKilled(row, report), succeeded: succeeded(row) }];
  });
}

/** Kernels that an integrate decision kept. */
export function keptKernels(rows: Json | undefined): Set<string> {
  const kept = objectsOf(rows).filter((row) => row['decision'] === 'KEEP');
  return new Set(kept.flatMap((row) => kernelIdOf(row) ?? []));
}

function kernelIdOf(row: JsonObject): string | undefined {
  const id = row['kernel_id'];
  return isTruthy(id) ? pythonText(id) : undefined;
}

function wasKilled(row: JsonObject, report: string): boolean {
  if (row['timed_out'] === true || text(row['status'])?.toLowerCase() === 'timeout') return true;
  const isOurs = row['timed_out'] !== undefined;
  return KILL_MARKERS.some((marker) => marker.test(report)) || (isOurs && TIME_LIMIT.test(report));
}

function succeeded(row: JsonObject): boolean {
  return row['improved'] === true || (finiteNumber(row['microbench_speedup']) ?? 0) >= SUCCESS_SPEEDUP;
}
