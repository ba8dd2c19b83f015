import { createHash } from 'node:crypto';
import type { JsonObject } from '../../foreign/json.js';
import type { EvidenceItem } from '../model/evidence.js';
import type { Receipt, SignalRow } from '../model/receipt.js';
import type { Tool, ToolOutcome } from '../tools/tool.js';

export interface Stamp {
  readonly seq: number;
  readonly args: JsonObject;
  /** The redacted result as JSON. */
  readonly payload: string;
  readonly injectionSuspect: boolean;
  readonly durationMs: number;
  readonly startedUnix: number;
  readonly notes: readonly string[];
}

const EDGE_ROWS = 100;
const MAX_NOTE = 500;

/** The receipt of one call (spec 07 B5, B6). */
export function receiptOf(tool: Tool, outcome: ToolOutcome, stamp: Stamp): Receipt {
  const items = outcome.items ?? [];
  const times = items.flatMap(({ tsUnix }) => tsUnix ?? []);
  const isOk = outcome.status === 'ok';
  const hasSignal = outcome.cls === 'source' ? outcome.hasContent === true : items.length > 0;
  const notes = [outcome.note, ...stamp.notes].filter((note) => note !== undefined && note !== '');
  return {
    receipt_id: receiptId(stamp.seq),
    seq: stamp.seq,
    tool: tool.name,
    family: tool.family,
    evidence_class: outcome.cls,
    status: outcome.status,
    success: isOk,
    signal: isOk && hasSignal,
    service: serviceOf(outcome),
    services: distinct(outcome.services ?? []),
    entities: distinct(items.flatMap(({ entities }) => entities)),
    signals: edges(items).map(rowOf),
    file_path: outcome.filePath ?? outcome.source?.path ?? null,
    line_start: outcome.lineStart ?? outcome.source?.lineStart ?? null,
    line_end: outcome.lineEnd ?? outcome.source?.lineEnd ?? null,
    error_signal: isOk && hasSignal ? (outcome.errorSignal ?? null) : null,
    fingerprints: distinct(items.flatMap(({ fingerprint }) => fingerprint ?? [])),
    first_ts_unix: times.length === 0 ? null : Math.min(...times),
    last_ts_unix: times.length === 0 ? null : Math.max(...times),
    args: stamp.args,
    result_digest: createHash('sha256').update(stamp.payload).digest('hex'),
    result_bytes: Buffer.byteLength(stamp.payload),
    count: outcome.count ?? items.length,
    truncated: outcome.truncated === true,
    cached: false,
    injection_suspect: stamp.injectionSuspect,
    duration_ms: Math.round(stamp.durationMs),
    started_unix: stamp.startedUnix,
    note: notes.length === 0 ? null : notes.join('; ').slice(0, MAX_NOTE),
  };
}

export function receiptId(seq: number): string {
  return `r${String(seq).padStart(3, '0')}`;
}

/** What a call gave, in one line, made by code (spec 07 B3). */
export function summaryOf(receipt: Receipt): string {
  const { status, count, service, services, args, note, fingerprints, file_path: path } = receipt;
  const window =
    typeof args['time_window_minutes'] === 'number' ? `, ${args['time_window_minutes']} min` : '';
  const about = service ?? services[0] ?? path ?? '';
  const parts = [
    `${status}, ${count} ${count === 1 ? 'entry' : 'entries'}`,
    ...(about === '' ? [] : [about]),
    ...(fingerprints.length === 0 ? [] : [fingerprints.join(', ')]),
  ];
  const tail = status === 'ok' || note === null ? '' : `; ${note}`;
  return `${parts.join(', ')}${window}${tail}`.slice(0, 300);
}

/** That of the failing origins when they agree, else the only one. */
function serviceOf({ services = [], failingServices = [] }: ToolOutcome): string | null {
  const failing = distinct(failingServices);
  if (failing.length > 0) return failing.length === 1 ? (failing[0] ?? null) : null;
  const all = distinct(services);
  return all.length === 1 ? (all[0] ?? null) : null;
}

function rowOf({ tsUnix, entities, fingerprint, kind }: EvidenceItem): SignalRow {
  return { ts_unix: tsUnix, entities, fingerprint, kind };
}

function edges<T>(items: readonly T[]): readonly T[] {
  return items.length <= 2 * EDGE_ROWS ? items : [...items.slice(0, EDGE_ROWS), ...items.slice(-EDGE_ROWS)];
}

function distinct(values: readonly string[]): string[] {
  return [...new Set(values)];
}
