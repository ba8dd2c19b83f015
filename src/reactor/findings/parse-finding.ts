import { finiteNumber, isObject, listOr, objectOr, parseJson, text } from '../../foreign/json.js';
import type { Finding, WireIntent } from './finding.js';

export type FindingReading =
  | { readonly ok: true; readonly finding: Finding }
  /** `isRow`: an object, only not one that this version understands. */
  | { readonly ok: false; readonly reason: string; readonly isRow: boolean };

/** Reads one line of a findings file; keys that are missing or odd have their neutral value, so that old files stay readable. */
export function parseFinding(line: string): FindingReading {
  const parsed = parseJson(line);
  if (!parsed.ok) return { ok: false, reason: 'not JSON', isRow: false };
  const row = parsed.value;
  if (!isObject(row)) return { ok: false, reason: 'no object', isRow: false };
  const name = text(row['symptom_name']);
  if (name === undefined) return { ok: false, reason: 'no symptom_name', isRow: true };
  const severity = row['severity'];
  if (severity !== 'low' && severity !== 'medium' && severity !== 'high') {
    return { ok: false, reason: 'unknown severity', isRow: true };
  }
  const policy = listOr(row['policy']).filter((item) => typeof item === 'string');
  const rcaClass = text(row['rca_class']);
  const investigation = text(row['investigation_id']);
  return {
    ok: true,
    finding: {
      tick_index: finiteNumber(row['tick_index']) ?? 0,
      timestamp_unix: finiteNumber(row['timestamp_unix']) ?? 0,
      symptom_name: name,
      severity,
      summary: text(row['summary']) ?? '',
      intents: listOr(row['intents']).flatMap(readIntent),
      evidence: objectOr(row['evidence']),
      rca_text: text(row['rca_text']) ?? '',
      subject: textValues(row['subject']),
      cooldown_until_tick: finiteNumber(row['cooldown_until_tick']) ?? 0,
      ...(policy.length > 0 ? { policy } : {}),
      ...(rcaClass !== undefined ? { rca_class: rcaClass } : {}),
      ...(isObject(row['holdback']) ? { holdback: row['holdback'] } : {}),
      ...(row['origin'] === 'run' ? { origin: 'run' as const } : {}),
      ...(investigation !== undefined ? { investigation_id: investigation } : {}),
    },
  };
}

function readIntent(value: unknown): WireIntent[] {
  if (!isObject(value)) return [];
  const type = text(value['intent_type']);
  return type === undefined ? [] : [{ intent_type: type, payload: objectOr(value['payload']) }];
}

function textValues(value: unknown): Record<string, string> {
  return Object.fromEntries(
    Object.entries(objectOr(value)).flatMap(([key, item]) => (typeof item === 'string' ? [[key, item]] : [])),
  );
}
