import { isObject, type Json, type JsonObject, nonBlank } from '../../../foreign/json.js';
import { unixSeconds } from '../../../foreign/timestamps.js';
import { entity } from '../../evidence/entities.js';
import { matchEvidence } from '../../evidence/fingerprints.js';
import { framesOfText } from '../../evidence/frames.js';
import type { EvidenceItem } from '../../model/evidence.js';

const FAILED_STATES = new Set(['failed', 'needs_review']);
const MAX_TEXT = 20_000;

/** Unix s of a stamp of the bus: ISO with or without zone, or a number of s, ms, µs or ns by its size (spec 07 B18). */
export function eventTime(value: unknown): number | null {
  const raw = unixSeconds(value);
  if (raw === undefined) return null;
  const size = Math.abs(raw);
  if (size < 1e10) return raw;
  if (size < 1e13) return raw / 1e3;
  return size < 1e16 ? raw / 1e6 : raw / 1e9;
}

/** What an `error` says: its text, its `message`, else itself as compact JSON; null when it is empty (spec 07 B5). */
export function errorText(error: Json | undefined): string | null {
  if (error === undefined || error === null || error === false) return null;
  if (typeof error === 'string') return nonBlank(error) ?? null;
  if (isObject(error)) {
    if (Object.keys(error).length === 0) return null;
    return nonBlank(error['message']) ?? JSON.stringify(error);
  }
  if (Array.isArray(error) && error.length === 0) return null;
  return JSON.stringify(error);
}

/** How a result or payload says that it failed; null when it does not. `text` is null when it does not say why. */
export function failureOf(payload: JsonObject): { readonly text: string | null } | null {
  const result = isObject(payload['result']) ? payload['result'] : {};
  const texts = [payload['error'], result['error'], payload['error_class'], result['error_class']].flatMap(
    (error) => errorText(error) ?? [],
  );
  const states = [payload['state'], result['state'], payload['status']];
  const isFailed = states.some((state) => typeof state === 'string' && FAILED_STATES.has(state));
  if (texts.length === 0 && !isFailed) return null;
  const traceback = errorText(payload['traceback']) ?? errorText(result['traceback']);
  const all = [...texts, ...(traceback === null ? [] : [traceback])];
  return { text: all.length === 0 ? null : all.join('\n').slice(0, MAX_TEXT) };
}

/** The signal item of a failed outcome: an event, a task or a run result. */
export function outcomeItem(parts: {
  readonly key: string;
  readonly tsUnix: number | null;
  readonly entities: readonly string[];
  readonly text: string | null;
  readonly source: string;
}): EvidenceItem {
  const hit = parts.text === null ? null : matchEvidence(parts.text);
  return {
    ...parts,
    cls: 'trace',
    fingerprint: hit?.fingerprint.id ?? null,
    kind: null,
    text: hit?.line ?? parts.text?.split('\n', 1)[0] ?? null,
    frames: parts.text === null ? [] : framesOfText(parts.text),
    fileHint: null,
    line: null,
  };
}

/** `task:` and `kernel:` of a row, and who sent it unless it reports another's result (spec 07 B7.1). */
export function rowEntities(payload: JsonObject, topic: string, fromAgent: string | null): string[] {
  return [
    ...entity('task', payload['task_id']),
    ...entity('kernel', payload['kernel_id']),
    ...(/result/.test(topic) ? [] : entity('agent', fromAgent)),
  ];
}
