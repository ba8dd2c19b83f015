import { renameSync } from 'node:fs';
import { join } from 'node:path';
import { asciiJson, sortKeys } from '../../foreign/ascii-json.js';
import { isObject, parseJson, text } from '../../foreign/json.js';
import { statOf } from '../../foreign/stat.js';
import { describeFailure, replaceFile } from '../../foreign/write-file.js';
import { readTextBounded } from '../../sources/tools/read-file.js';
import { findingsFiles, findingsIds } from '../findings/read-findings.js';
import { fileId } from '../store/paths.js';
import { buildDecisionTrace, type DecisionTrace, noTrace, traceFailure } from './decision-trace.js';
import { digestFindings, type FindingsDigest } from './findings-digest.js';
import { renderPostmortem, renderStub } from './render.js';

export const MARKER_NAME = '.robustness_finalized';
export const REPORT_NAME = 'robustness_postmortem.md';
export const TRACE_NAME = 'decision_trace.json';

export interface FinalizeRequest {
  readonly sessionDir: string;
  readonly sessionId: string;
  readonly stopReason: string;
  readonly nowUnix: number;
  readonly reportsSubdir: string;
  readonly maxFindings: number;
  readonly maxTasksPerAction: number;
}

export interface FinalizeResult {
  readonly reportsDir: string;
  readonly wroteNewFiles: boolean;
  readonly alreadyFinalized: boolean;
  /** What went wrong, for people; empty when all is well. */
  readonly errors: readonly string[];
  /** Remarks that are no errors, such as which findings file was used. */
  readonly notes: readonly string[];
}

const NO_FINDINGS: FindingsDigest = {
  rows: 0,
  counts: { high: 0, medium: 0, low: 0 },
  flashpoint: undefined,
  latestHigh: [],
  unreadable: 0,
};

/**
 * Writes the postmortem and the decision trace of a stopped session (spec 01 §8). Runs again when the stop reason is
 * another one or findings came in later; the earlier report is kept as `.1`. Never throws.
 */
export async function finalizeSession(request: FinalizeRequest): Promise<FinalizeResult> {
  const reportsDir = join(request.sessionDir, request.reportsSubdir);
  const marker = join(reportsDir, MARKER_NAME);
  const { id, note } = findingsIdFor(request.sessionDir, request.sessionId);
  const notes = note === undefined ? [] : [note];
  if (isFinalized(marker, request, id)) {
    return { reportsDir, wroteNewFiles: false, alreadyFinalized: true, errors: [], notes };
  }
  const problems: string[] = [];
  const digest = await digestOf(request, id, problems);
  const trace = traceOf(request, problems);
  const report = reportOf(request, digest, trace, problems);
  const errors = [
    writeReport(join(reportsDir, REPORT_NAME), report),
    writeReport(join(reportsDir, TRACE_NAME), `${asciiJson(sortKeys(trace), 2)}\n`),
  ].filter((error) => error !== undefined);
  const markerError = errors.length === 0 ? writeMarker(marker, request) : undefined;
  return {
    reportsDir,
    wroteNewFiles: errors.length < 2,
    alreadyFinalized: false,
    errors: [...problems, ...errors, ...(markerError === undefined ? [] : [markerError])],
    notes,
  };
}

/** The id whose findings to report: the session's own, or the only one there is (spec 01 §1.9). */
function findingsIdFor(sessionDir: string, sessionId: string): { id: string; note?: string } {
  if (findingsFiles(sessionDir, sessionId).length > 0) return { id: sessionId };
  const [only, ...others] = findingsIds(sessionDir);
  if (only === undefined || others.length > 0 || only === fileId(sessionId)) return { id: sessionId };
  return {
    id: only,
    note: `no findings file of ${sessionId}; the only one there is, ${only}.jsonl, was used`,
  };
}

function isFinalized(marker: string, request: FinalizeRequest, findingsId: string): boolean {
  const markerStat = statOf(marker);
  if (markerStat === undefined || !markerStat.isFile()) return false;
  const content = readTextBounded(marker, { maxBytes: 64 * 1024 });
  const parsed = content.ok ? parseJson(content.text) : undefined;
  const reason = parsed?.ok && isObject(parsed.value) ? text(parsed.value['stop_reason']) : undefined;
  if (reason !== undefined && reason !== request.stopReason) return false;
  return findingsFiles(request.sessionDir, findingsId).every(
    (path) => (statOf(path)?.mtimeMs ?? 0) <= markerStat.mtimeMs,
  );
}

async function digestOf(request: FinalizeRequest, id: string, problems: string[]): Promise<FindingsDigest> {
  try {
    return await digestFindings(request.sessionDir, id, request.maxFindings);
  } catch (error) {
    problems.push(`findings not readable: ${describeFailure(error).message}`);
    return NO_FINDINGS;
  }
}

function traceOf(request: FinalizeRequest, problems: string[]): DecisionTrace {
  try {
    return buildDecisionTrace(request.sessionDir, request.sessionId, request.maxTasksPerAction);
  } catch (error) {
    problems.push(traceFailure(error));
    return noTrace(request.sessionId);
  }
}

function reportOf(
  request: FinalizeRequest,
  digest: FindingsDigest,
  trace: DecisionTrace,
  problems: string[],
): string {
  const { sessionId, stopReason, nowUnix } = request;
  try {
    const finalizedAt = isoSeconds(nowUnix);
    return renderPostmortem({
      sessionId,
      stopReason,
      finalizedAt,
      digest,
      trace,
      traceFile: TRACE_NAME,
      problems,
    });
  } catch (error) {
    problems.push(`report not rendered: ${describeFailure(error).message}`);
    return renderStub(sessionId, stopReason);
  }
}

function writeReport(path: string, content: string): string | undefined {
  if (statOf(path)?.isFile()) keepAsPrevious(path);
  const failure = replaceFile(path, content);
  return failure === undefined ? undefined : `${path}: ${failure.message}`;
}

function keepAsPrevious(path: string): void {
  try {
    renameSync(path, `${path}.1`);
  } catch {
    // The write that follows meets the same obstacle and reports it.
  }
}

function writeMarker(path: string, request: FinalizeRequest): string | undefined {
  const content = {
    finalized_at_utc: isoSeconds(request.nowUnix),
    session_id: request.sessionId,
    stop_reason: request.stopReason,
  };
  const failure = replaceFile(path, `${asciiJson(sortKeys(content), 2)}\n`);
  return failure === undefined ? undefined : `${path}: ${failure.message}`;
}

function isoSeconds(unix: number): string {
  return `${new Date(Math.trunc(unix) * 1000).toISOString().slice(0, 19)}+00:00`;
}
