import type { JsonObject } from '../../foreign/json.js';

/** Joins the parts of a key, as in the ladder's state (spec 05 A.6). */
const SEPARATOR = '\u001f';
/** What the ladder puts in its place inside a part (spec 05 A.12.1). */
const ESCAPED = '\u241f';
/** Parts that differ between sessions without meaning another problem (spec 06 F.9). */
const VOLATILE: ReadonlySet<string> = new Set(['pid', 'task_id', 'patch_path']);
const URL_PORT = /(:\/\/(?:\[[^\]]*\]|[^/:?#\s]*)):\d{1,5}(?=[/?#]|$)/g;

/** Symptom and sorted `k=v` pairs: what makes two findings of a session the same problem. */
export function sessionKey(symptom: string, subject: JsonObject): string {
  return [symptom, ...pairs(subject)].map((part) => part.replaceAll(SEPARATOR, ESCAPED)).join(SEPARATOR);
}

/** The key without volatile parts: the same problem across sessions. */
export function patternKey(symptom: string, subject: JsonObject): string {
  const kept = Object.entries(subject).filter(([name]) => !VOLATILE.has(name));
  return sessionKey(symptom, Object.fromEntries(kept)).replace(URL_PORT, '$1');
}

/** A key for people: `symptom {k=v, …}`. */
export function displayKey(key: string): string {
  const [symptom = '', ...parts] = key.split(SEPARATOR);
  return parts.length === 0 ? symptom : `${symptom} {${parts.join(', ')}}`;
}

/** The symptom of a key. */
export function symptomOf(key: string): string {
  const end = key.indexOf(SEPARATOR);
  return end === -1 ? key : key.slice(0, end);
}

function pairs(subject: JsonObject): string[] {
  return Object.entries(subject)
    .map(([name, value]) => `${name}=${typeof value === 'object' ? JSON.stringify(value) : String(value)}`)
    .sort();
}
