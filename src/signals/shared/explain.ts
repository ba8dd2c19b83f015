import type { Severity, Symptom } from '../symptom.js';

/** Condition of an explanation: the explained symptom is about this agent. */
export function aboutAgent(agent: string): (explainer: Symptom, explained: Symptom) => boolean {
  return (_explainer, explained) => explained.subject['agent'] === agent;
}

/** Condition of an explanation: both subjects have the same, present value under this key. */
export function sameSubject(key: string): (explainer: Symptom, explained: Symptom) => boolean {
  return (explainer, explained) =>
    explainer.subject[key] !== undefined && explainer.subject[key] === explained.subject[key];
}

/** Condition of an explanation: both hold. */
export function both(
  a: (explainer: Symptom, explained: Symptom) => boolean,
  b: (explainer: Symptom, explained: Symptom) => boolean,
): (explainer: Symptom, explained: Symptom) => boolean {
  return (explainer, explained) => a(explainer, explained) && b(explainer, explained);
}

/** Condition of an explanation: the explainer has exactly this severity. */
export function explainerIs(severity: Severity): (explainer: Symptom, explained: Symptom) => boolean {
  return (explainer) => explainer.severity === severity;
}

/** Condition of an explanation: the explainer is about this agent. */
export function explainerAbout(agent: string): (explainer: Symptom, explained: Symptom) => boolean {
  return (explainer) => explainer.subject['agent'] === agent;
}
