import { isObject, type JsonObject, objectsOf, parseJson } from '../../foreign/json.js';
import type { SegmentRow } from '../gate/segments.js';
import type { VersionMeta } from './version-meta.js';

/** The meta of a version out of its file; null when it has no version and hash. Unknown keys are left out (spec 08 §4). */
export function parseMeta(text: string): VersionMeta | null {
  const json = parseJson(text);
  if (!json.ok || !isObject(json.value)) return null;
  const raw = json.value;
  const { version, timestamp, sha256_hash: hash } = raw;
  if (typeof version !== 'number' || !Number.isSafeInteger(version) || typeof hash !== 'string') return null;
  const diff = raw['diff_from_previous'];
  return {
    version,
    timestamp: typeof timestamp === 'string' ? timestamp : '',
    sha256_hash: hash,
    ...numbers(raw),
    ...texts(raw),
    ...(Array.isArray(raw['trigger_trace_ids']) && {
      trigger_trace_ids: raw['trigger_trace_ids'].filter((id): id is string => typeof id === 'string'),
    }),
    ...(isObject(raw['ab_results']) && { ab_results: abResults(raw['ab_results']) }),
    ...(isObject(raw['gate_result']) && {
      gate_result: {
        decision: String(raw['gate_result']['decision'] ?? ''),
        reason: String(raw['gate_result']['reason'] ?? ''),
      },
    }),
    ...(isObject(diff) && { diff_from_previous: counts(diff) }),
    ...(Array.isArray(raw['segments']) && { segments: objectsOf(raw['segments']).map(segmentRow) }),
  };
}

const NUMBERS = ['parent_version', 'seed', 'epoch', 'alpha', 'wins', 'losses', 'n', 'token_cost'] as const;
const TEXTS = ['hypothesis', 'edit_id', 'run_id', 'model_version', 'changed_section'] as const;

function texts(raw: JsonObject): Partial<Record<(typeof TEXTS)[number], string>> {
  return Object.fromEntries(
    TEXTS.flatMap((name) => {
      const value = raw[name];
      return typeof value === 'string' ? [[name, value]] : [];
    }),
  );
}

function abResults(raw: JsonObject): NonNullable<VersionMeta['ab_results']> {
  const number = (name: string): number => {
    const value = raw[name];
    return typeof value === 'number' ? value : 0;
  };
  return {
    winner: 'b',
    mean_delta: number('mean_delta'),
    p_value: number('p_value'),
    effect_size: number('effect_size'),
    n_trials: number('n_trials'),
  };
}

function numbers(raw: JsonObject): Partial<Record<(typeof NUMBERS)[number], number>> {
  return Object.fromEntries(
    NUMBERS.flatMap((name) => {
      const value = raw[name];
      return typeof value === 'number' ? [[name, value]] : [];
    }),
  );
}

function counts(raw: JsonObject) {
  const count = (name: string): number => {
    const value = raw[name];
    return typeof value === 'number' ? value : 0;
  };
  return {
    lines_added: count('lines_added'),
    lines_removed: count('lines_removed'),
    lines_modified: count('lines_modified'),
    total: count('total'),
  };
}

function segmentRow(raw: JsonObject): SegmentRow {
  const number = (name: string): number => {
    const value = raw[name];
    return typeof value === 'number' ? value : 0;
  };
  const status = raw['status'];
  return {
    segment: String(raw['segment'] ?? ''),
    cases: number('cases'),
    wins: number('wins'),
    losses: number('losses'),
    harm_p: number('harm_p'),
    status: status === 'blocked' || status === 'too_few' ? status : 'ok',
  };
}
