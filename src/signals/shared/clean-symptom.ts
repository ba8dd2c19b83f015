import { cleanEvidence, cutCodePoints, SYMPTOM_LIMITS, stripControls } from '../../foreign/hygiene.js';
import type { Redact } from '../../foreign/redact.js';
import type { Symptom } from '../symptom.js';

/** The symptom with foreign text bounded, stripped of control characters and masked (spec 03 G-5). */
export function cleanSymptom(symptom: Symptom, redact: Redact): Symptom {
  const line = (text: string): string => cutCodePoints(redact(stripControls(text)), SYMPTOM_LIMITS.text);
  return {
    ...symptom,
    summary: line(symptom.summary),
    suggestion: line(symptom.suggestion),
    subject: cleanSubject(symptom.subject, line),
    evidence: cleanEvidence(symptom.evidence, redact),
    ...(symptom.cooldownSubject && { cooldownSubject: cleanSubject(symptom.cooldownSubject, line) }),
  };
}

function cleanSubject(
  subject: Symptom['subject'],
  line: (text: string) => string,
): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(subject).map(([key, value]) => [key, line(value)]));
}
