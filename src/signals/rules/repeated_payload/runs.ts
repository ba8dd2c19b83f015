import { isObject, type Json, type JsonObject, text } from '../../../foreign/json.js';
import { trimPython } from '../../../foreign/python-space.js';
import { pythonText } from '../../../foreign/python-text.js';
import { isTruthy } from '../../../foreign/python-truth.js';
import type { BusRow } from '../../bus.js';
import { payloadOf, stampOf } from '../../shared/bus-row.js';
import { isFailureWord, isSoftFailure } from '../../shared/soft-failure.js';
import { project } from './projection.js';

/** Failures of one family in a row that tried the same thing. */
export interface Run {
  readonly family: string;
  /** Paths that were compared. */
  readonly fields: readonly string[];
  /** Payloads, oldest first. */
  readonly payloads: readonly JsonObject[];
  /** When the last one failed, unix s; undefined where the row's stamp is not the bus's own. */
  readonly lastUnix: number | undefined;
}

interface OpenRun {
  fingerprint: string | undefined;
  fields: readonly string[];
  payloads: JsonObject[];
  lastUnix: number | undefined;
}

/**
 * The run that each family ends with, in the order in which families were first seen. A success ends a run, other params
 * start a new one, and what neither succeeded nor failed changes nothing (spec 04 §1, repeated_payload-4).
 */
export function finalRuns(rows: readonly BusRow[], requiresParams: boolean, nowUnix: number): Run[] {
  const runs = new Map<string, OpenRun>();
  for (const row of rows) {
    const payload = payloadOf(row);
    const family = payload && familyOf(payload);
    if (payload === undefined || family === undefined) continue;
    const run = runs.get(family) ?? { fingerprint: undefined, fields: [], payloads: [], lastUnix: undefined };
    runs.set(family, run);
    const outcome = outcomeOf(row, payload);
    if (outcome === 'succeeded') Object.assign(run, { fingerprint: undefined, payloads: [] });
    if (outcome !== 'failed') continue;

    const projection = project(family, requiresParams ? withTaskParams(row, payload) : payload);
    if (!projection || (requiresParams && !projection.saysAnything)) continue;
    const continues = projection.fingerprint === run.fingerprint;
    run.payloads = continues ? [...run.payloads, payload] : [payload];
    run.fingerprint = projection.fingerprint;
    run.fields = projection.fields;
    run.lastUnix = stampOf(row, nowUnix);
  }
  return [...runs].map(([family, { fields, payloads, lastUnix }]) => ({
    family,
    fields,
    payloads,
    lastUnix,
  }));
}

function familyOf(payload: JsonObject): string | undefined {
  const kind = isTruthy(payload['kind']) ? payload['kind'] : payload['action_name'];
  return trimmed(payload['family']) ?? trimmed(kind);
}

function trimmed(value: Json | undefined): string | undefined {
  if (!isTruthy(value)) return undefined;
  return trimPython(pythonText(value)) || undefined;
}

function outcomeOf(row: BusRow, payload: JsonObject): 'succeeded' | 'failed' | 'neutral' {
  const state = trimPython(text(payload['state']) ?? '').toLowerCase();
  if (state === 'succeeded') return isSoftFailure(row) ? 'failed' : 'succeeded';
  return isFailureWord(state) || state === 'needs_review' ? 'failed' : 'neutral';
}

/** The bus does not repeat params; the collector reads them from the task (spec 04 repeated_payload-3). */
function withTaskParams(row: BusRow, payload: JsonObject): JsonObject {
  if (Object.hasOwn(payload, 'params')) return payload;
  const params = row.origin === 'event' ? row.row['task_params'] : undefined;
  return isObject(params) ? { ...payload, params } : payload;
}
