import { sum } from '../numbers.js';
import type { Baseline } from './report.js';

/** A dev case as the prompt answered it: 0 to 1, the mean over its answers. */
export interface CaseRate {
  readonly segment: string;
  readonly pass: number;
}

/** Pass rates over all dev cases and by segment; null when nothing was answered. */
export function baselineOf(version: number, rates: readonly CaseRate[]): Baseline | null {
  if (rates.length === 0) return null;
  const names = [...new Set(rates.map(({ segment }) => segment))].sort();
  const over = (own: readonly CaseRate[]) => ({ passed: sum(own.map(({ pass }) => pass)), n: own.length });
  return {
    version,
    ...over(rates),
    segments: names.map((segment) => ({ segment, ...over(rates.filter((one) => one.segment === segment)) })),
  };
}
