import { cutCodePoints, outgoingEvidence, outgoingLine } from '../../foreign/hygiene.js';
import type { Json, JsonObject } from '../../foreign/json.js';
import type { Redact } from '../../foreign/redact.js';
import type { Severity, Symptom } from '../../signals/symptom.js';

/** A symptom as it may leave the process (spec 01 §4.4). */
export interface WireSymptom {
  readonly name: string;
  readonly severity: Severity;
  readonly summary: string;
  readonly subject: Readonly<Record<string, string>>;
  readonly source: string;
  readonly evidence: JsonObject;
  readonly suggestion: string;
}

const SUMMARY_LENGTH = 500;
const LINE_LENGTH = 2000;
const SUBJECT_PAIRS = 64;

/** One line of bounded length without credentials. */
export function wireLine(text: string, redact: Redact, maxCodePoints: number = LINE_LENGTH): string {
  // Masking what is cut off anyway would only cost time.
  return cutCodePoints(redact(outgoingLine(cutCodePoints(text, LINE_LENGTH * 4))), maxCodePoints);
}

/** A subject for the wire; the cooldown key keeps the original. */
export function wireSubject(subject: Symptom['subject'], redact: Redact): Readonly<Record<string, string>> {
  const pairs = Object.entries(subject).slice(0, SUBJECT_PAIRS);
  return Object.fromEntries(pairs.map(([key, value]) => [wireLine(key, redact), wireLine(value, redact)]));
}

/** The symptom cleaned, masked and bounded; one without a summary is summed up by its name (spec 05 A.9). */
export function wireSymptom(symptom: Symptom, redact: Redact): WireSymptom {
  const summary = wireLine(symptom.summary, redact, SUMMARY_LENGTH);
  return {
    name: symptom.name,
    severity: symptom.severity,
    summary: summary.trim() === '' ? symptom.name : summary,
    subject: wireSubject(symptom.subject, redact),
    source: symptom.source,
    evidence: outgoingEvidence(symptom.evidence, redact),
    suggestion: wireLine(symptom.suggestion, redact),
  };
}

/** The `detail` of alerts and observations, keys in wire order (spec 05 A.4). */
export function detailOf(
  wire: WireSymptom,
  additive: Readonly<Record<string, Json | undefined>>,
): JsonObject {
  const { name, severity, subject, source, evidence, suggestion } = wire;
  const given = Object.entries(additive).filter(([, value]) => value !== undefined);
  return {
    symptom: name,
    severity,
    subject,
    source,
    evidence,
    ...(suggestion === '' ? {} : { suggestion }),
    ...Object.fromEntries(given),
  };
}
