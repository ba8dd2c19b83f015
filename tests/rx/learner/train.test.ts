import { describe, expect, it } from 'vitest';
import { generateDataset, labelledRows } from '../../../src/rx/learner/dataset.js';
import { trainHonest, trainReference } from '../../../src/rx/learner/train.js';
import { recordedRows } from './training-set.js';

const recorded = recordedRows();
const reference = generateDataset({ episodes: 60, streams: 'reference', seeds: 'reference' });

describe('generateDataset with the reference seeds (06 H.3)', () => {
  it('reproduces all 240 feature vectors as doubles', () => {
    expect(reference.map((row) => row.features)).toEqual(recorded.map((row) => row.features));
  });

  it('reproduces counts and both labels', () => {
    const sum = (values: readonly number[]) => values.reduce((total, n) => total + n, 0);
    const counts = reference.map(({ arms }) =>
      arms === null ? [-1, -1, -1, -1] : [sum(arms.control), arms.total, sum(arms.treatment), arms.total],
    );
    expect(counts).toEqual(recorded.map((row) => row.counts));
    expect(reference.map((row) => row.label_z)).toEqual(recorded.map((row) => row.label));
    expect(reference.map((row) => row.label_paired)).toEqual(recorded.map((row) => row.labelPaired));
  });

  it('reproduces both p-values to 1e-9', () => {
    for (const [i, row] of reference.entries()) {
      const { pValue = -1, pExact = -1 } = recorded[i] ?? {};
      expect(Math.abs((row.p_z ?? -1) - pValue)).toBeLessThanOrEqual(1e-9 * Math.abs(pValue));
      expect(Math.abs((row.p_exact ?? -1) - pExact)).toBeLessThanOrEqual(1e-9 * Math.abs(pExact));
    }
  });

  it('reproduces the reference evaluation (06 C.3)', () => {
    const training = trainReference(labelledRows(reference, 'z'), 0.3, 0);
    expect(training).toMatchObject({
      n: 240,
      n_train: 168,
      n_test: 72,
      positives: 147,
      positive_rate: 0.6125,
      auc_learned: 0.9910714285714286,
      auc_heuristic: 0.9358766233766234,
    });
    expect(training.brier_learned).toBeCloseTo(0.038055976382155104, 12);
    expect(training.brier_base_rate).toBeCloseTo(0.23765825774754334, 12);
  });
});

describe('trainHonest on disjoint seeds (06 F.7.3)', () => {
  const rows = labelledRows(
    generateDataset({ episodes: 60, streams: 'reference', seeds: 'disjoint' }),
    'paired',
  );
  const training = trainHonest(rows, { test_fraction: 0.3, seed: 0, resamples: 500 });
  const scorer = (name: string) => training.scorers.find((one) => one.name === name);

  it('reproduces the golden sizes and figures', () => {
    expect(training).toMatchObject({ n: 240, n_train: 168, n_test: 72, positives: 165 });
    expect(scorer('learned')?.auc.value).toBe(1);
    expect(scorer('learned')?.brier.value).toBeCloseTo(0.00105099, 7);
    expect(scorer('heuristic')?.auc.value).toBeCloseTo(0.852706, 6);
    expect(scorer('heuristic, environment 0')?.auc.value).toBeCloseTo(0.950311, 6);
    expect(scorer('base rate')?.brier.value).toBeCloseTo(0.21749811, 7);
  });

  it('keeps a model fitted on every row', () => {
    expect(training.model).toMatchObject({ rows: 240, positives: 165 });
  });

  it('refuses figures on a data set without negatives', () => {
    const positive = rows.filter((row) => row.label === 1);
    const poor = trainHonest(positive, { test_fraction: 0.3, seed: 0, resamples: 100 });
    expect(poor.model).toBeNull();
    expect(poor.scorers[0]?.auc.value).toBeNull();
    expect(poor.scorers[0]?.auc.reason).toContain('at least 5 of each needed');
  });
});
