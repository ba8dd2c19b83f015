/** Mean squared difference of probability and label (Brier 1950); null for no rows. */
export function brier(probabilities: readonly number[], labels: readonly number[]): number | null {
  if (probabilities.length === 0) return null;
  let sum = 0;
  probabilities.forEach((p, i) => {
    sum += (p - (labels[i] ?? 0)) ** 2;
  });
  return sum / probabilities.length;
}

/** Mean negative log-likelihood, probabilities kept 1e-15 away from 0 and 1; null for no rows. */
export function logLoss(probabilities: readonly number[], labels: readonly number[]): number | null {
  if (probabilities.length === 0) return null;
  let sum = 0;
  probabilities.forEach((p, i) => {
    const kept = Math.min(1 - 1e-15, Math.max(1e-15, p));
    sum -= Math.log(labels[i] === 1 ? kept : 1 - kept);
  });
  return sum / probabilities.length;
}

/** One bin of a reliability table; means are null when it is empty. */
export interface ReliabilityBin {
  readonly from: number;
  readonly to: number;
  readonly n: number;
  readonly mean_probability: number | null;
  readonly positive_rate: number | null;
}

/** Equal-width bins over [0, 1]; a probability on an inner boundary belongs to the upper bin, 1 to the last. */
export function reliabilityTable(
  probabilities: readonly number[],
  labels: readonly number[],
  bins = 10,
): readonly ReliabilityBin[] {
  const sums = Array.from({ length: bins }, () => ({ n: 0, p: 0, y: 0 }));
  probabilities.forEach((p, i) => {
    const bin = sums[Math.min(bins - 1, Math.max(0, Math.floor(p * bins)))];
    if (bin === undefined) return;
    bin.n += 1;
    bin.p += p;
    bin.y += labels[i] ?? 0;
  });
  return sums.map(({ n, p, y }, i) => ({
    from: i / bins,
    to: (i + 1) / bins,
    n,
    mean_probability: n === 0 ? null : p / n,
    positive_rate: n === 0 ? null : y / n,
  }));
}

/** ECE = Σ (share of the bin)·|mean p − mean y| (Naeini et al. 2015; 06 F.7.3); null for no rows. */
export function expectedCalibrationError(table: readonly ReliabilityBin[]): number | null {
  const n = table.reduce((sum, bin) => sum + bin.n, 0);
  if (n === 0) return null;
  return table.reduce((sum, bin) => {
    return sum + (bin.n / n) * Math.abs((bin.mean_probability ?? 0) - (bin.positive_rate ?? 0));
  }, 0);
}
