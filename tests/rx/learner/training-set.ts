import { readFileSync } from 'node:fs';

/** One row of the recorded training set. */
export interface RecordedRow {
  readonly episode: number;
  readonly features: readonly number[];
  readonly label: 0 | 1;
  readonly labelPaired: 0 | 1;
  readonly pValue: number;
  readonly pExact: number;
  readonly counts: readonly number[];
}

const FIRST_FEATURE = 'frequency_score';
const FEATURES = 11;

/** The reference's 240 labelled rows, in generation order. */
export function recordedRows(): RecordedRow[] {
  const [header = '', ...lines] = readFileSync('tests/fixtures/rx/training.csv', 'utf8').trim().split('\n');
  const names = header.split(',');
  const first = names.indexOf(FIRST_FEATURE);
  return lines.map((line) => {
    const cells = line.split(',').map(Number);
    const cell = (name: string) => cells[names.indexOf(name)] ?? Number.NaN;
    return {
      episode: cell('episode'),
      features: cells.slice(first, first + FEATURES),
      label: cell('label') === 1 ? 1 : 0,
      labelPaired: cell('label_paired') === 1 ? 1 : 0,
      pValue: cell('p_value'),
      pExact: cell('paired_p_exact'),
      counts: ['control_failures', 'control_total', 'treatment_failures', 'treatment_total'].map(cell),
    };
  });
}

export interface RecordedModel {
  readonly weights: readonly number[];
  readonly bias: number;
  readonly objective: number;
}

/** What metrics.json holds for the learner. */
export interface RecordedMetrics {
  readonly gradient_descent_model: RecordedModel & {
    readonly mean: readonly number[];
    readonly std: readonly number[];
  };
  readonly irls_optimum: RecordedModel & { readonly auc_test: number; readonly brier_test: number };
  readonly training: {
    readonly auc_learned: number;
    readonly brier_learned: number;
    readonly auc_heuristic: number;
  };
  readonly training_paired_labels: {
    readonly irls: RecordedModel & {
      readonly auc_test: number;
      readonly brier_test: number;
      readonly auc_heuristic_test: number;
    };
  };
}

export function recordedMetrics(): RecordedMetrics {
  return JSON.parse(readFileSync('tests/fixtures/rx/metrics.json', 'utf8')) as RecordedMetrics;
}
