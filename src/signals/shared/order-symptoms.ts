import { compareCodePoints } from '../../foreign/order.js';
import { type Symptom, severityRank, symptomKey } from '../symptom.js';

/**
 * One symptom per key: the first one, unless a later one is strictly more severe; the whole symptom is replaced, in the place
 * of the first (spec 03 §2.3).
 */
export function foldByKey(symptoms: readonly Symptom[]): Symptom[] {
  const kept = new Map<string, Symptom>();
  for (const symptom of symptoms) {
    const key = symptomKey(symptom);
    const earlier = kept.get(key);
    if (!earlier || severityRank(symptom.severity) > severityRank(earlier.severity)) kept.set(key, symptom);
  }
  return [...kept.values()];
}

/** Most severe first, then by name, then by the subject's sorted pairs, all by code point (spec 03 §2.3). */
export function compareSymptoms(a: Symptom, b: Symptom): number {
  return (
    severityRank(b.severity) - severityRank(a.severity) ||
    compareCodePoints(a.name, b.name) ||
    compareLists(sortedPairs(a), sortedPairs(b))
  );
}

function sortedPairs(symptom: Symptom): string[] {
  const pairs = Object.entries(symptom.subject);
  pairs.sort(([a], [b]) => compareCodePoints(a, b));
  return pairs.flat();
}

function compareLists(a: readonly string[], b: readonly string[]): number {
  for (const [index, left] of a.entries()) {
    const right = b[index];
    if (right === undefined) return 1;
    const order = compareCodePoints(left, right);
    if (order !== 0) return order;
  }
  return a.length - b.length;
}

/** The most severe ones up to a number, in their own order, and the others. */
export function mostSevere(
  symptoms: readonly Symptom[],
  max: number,
): { readonly kept: readonly Symptom[]; readonly rest: readonly Symptom[] } {
  if (symptoms.length <= max) return { kept: symptoms, rest: [] };
  const bySeverity = symptoms.toSorted((a, b) => severityRank(b.severity) - severityRank(a.severity));
  const chosen = new Set(bySeverity.slice(0, max));
  return {
    kept: symptoms.filter((symptom) => chosen.has(symptom)),
    rest: symptoms.filter((symptom) => !chosen.has(symptom)),
  };
}
