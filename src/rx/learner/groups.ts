import { Mt19937 } from '../../stats/mt19937.js';

/** Row indices on both sides of a split. */
export interface Split {
  readonly train: readonly number[];
  readonly test: readonly number[];
}

/** The reference's split by row: a shuffled list, its first part trains, in shuffled order (spec 06 C.3). */
export function splitByRow(rows: number, testFraction: number, seed: number): Split {
  const order = Array.from({ length: rows }, (_, i) => i);
  new Mt19937(seed).shuffle(order);
  const cut = Math.trunc(rows * (1 - testFraction));
  return { train: order.slice(0, cut), test: order.slice(cut) };
}

/**
 * Splits whole groups (episodes, sessions): no row of a test group trains. The distinct groups are shuffled, the first
 * part trains; rows keep their order (spec 06 F.7.3).
 */
export function splitByGroup(
  groups: readonly (string | number)[],
  testFraction: number,
  seed: number,
): Split {
  const distinct = [...new Set(groups)];
  new Mt19937(seed).shuffle(distinct);
  const training = new Set(distinct.slice(0, Math.trunc(distinct.length * (1 - testFraction))));
  const train: number[] = [];
  const test: number[] = [];
  for (const [row, group] of groups.entries()) (training.has(group) ? train : test).push(row);
  return { train, test };
}

/** Fold number of each row; the rows of one group share it (spec 06 F.7.1, F.7.4). */
export function groupedFolds(groups: readonly (string | number)[], folds: number, seed: number): number[] {
  const distinct = [...new Set(groups)];
  new Mt19937(seed).shuffle(distinct);
  const foldOf = new Map(distinct.map((group, i) => [group, i % folds]));
  return groups.map((group) => foldOf.get(group) ?? 0);
}
