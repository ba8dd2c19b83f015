import { describe, expect, it } from 'vitest';
import { aucDifference, evaluateScorers } from '../../../src/rx/learner/evaluation.js';
import { splitByGroup } from '../../../src/rx/learner/groups.js';
import { priorOfFeatures, priorWithoutEnvironment } from '../../../src/rx/learner/heuristic-prior.js';
import { fitIrls } from '../../../src/rx/learner/irls.js';
import { probability } from '../../../src/rx/learner/logistic-model.js';
import { recordedRows } from './training-set.js';

const rows = recordedRows();
const groups = rows.map((row) => String(row.episode));
const split = splitByGroup(groups, 0.3, 0);

describe('splitByGroup', () => {
  it('leaves no row of a test episode in training', () => {
    const inTraining = new Set(split.train.map((i) => groups[i]));
    expect(split.test.filter((i) => inTraining.has(groups[i]))).toEqual([]);
    expect([split.train.length, split.test.length]).toEqual([168, 72]);
  });
});

describe('the learner on the recorded training set, split by episode', () => {
  const train = split.train.map((i) => rows[i]).filter((row) => row !== undefined);
  const test = split.test.map((i) => rows[i]).filter((row) => row !== undefined);
  const { model } = fitIrls(
    train.map((row) => row.features),
    train.map((row) => row.label),
    1,
  );
  const labels = test.map((row) => row.label);
  const testGroups = test.map((row) => String(row.episode));
  const learned = test.map((row) => probability(model, row.features));
  const strong = test.map((row) => priorWithoutEnvironment(row.features));
  const [a, b] = evaluateScorers(
    [
      { name: 'learned', scores: learned },
      { name: 'prior', scores: test.map((row) => priorOfFeatures(row.features)) },
    ],
    labels,
    testGroups,
    { seed: 0, resamples: 2000 },
  );

  it('ranks unseen episodes well, with an interval that says how well that is known', () => {
    expect(a?.auc.value).toBeGreaterThan(0.97);
    if (a === undefined || a.auc.value === null) throw new Error('no AUC');
    expect(a.auc.low).toBeLessThan(a.auc.value);
    expect(a.auc.high - a.auc.low).toBeLessThan(0.08);
    expect(a.auc.high).toBeLessThanOrEqual(1);
  });

  it('beats the prior as a probability beyond doubt', () => {
    if (a?.brier.value == null || b?.brier.value == null) throw new Error('no Brier score');
    expect(a.brier.high).toBeLessThan(b.brier.low);
  });

  it('gives the difference to the stronger baseline with an interval', () => {
    const difference = aucDifference(learned, strong, labels, testGroups, { seed: 0, resamples: 2000 });
    expect(difference.value).not.toBeNull();
    if (difference.value !== null) expect(difference.low).toBeLessThanOrEqual(difference.high);
  });
});

describe('evaluateScorers', () => {
  it('refuses numbers below five of a class and says why', () => {
    const labels = [1, 1, 1, 1, 0, 0, 0, 0, 0, 0];
    const [only] = evaluateScorers([{ name: 's', scores: labels }], labels, labels.map(String), { seed: 1 });
    expect(only?.auc).toEqual({
      value: null,
      reason: '4 positives and 6 negatives in the test part, at least 5 of each needed',
    });
  });
});
