import type { GateComparison, GateSide } from '../../rx/loop/compare-gates.js';
import { pairsUsed } from '../../rx/loop/optimum-study.js';
import { fixed } from '../../rx/report/format.js';
import { attemptLines, ratesText } from './attempt-text.js';

const LABEL = 31;
const COLUMN = 24;

/** Both gates side by side, their attempts, and the difference in five lines. */
export function comparisonText(comparison: GateComparison): string {
  const { reference, ours } = comparison;
  return [
    'The same broken system, repaired by two gates',
    '',
    row('', 'the original', 'ours'),
    row('', '-'.repeat(COLUMN - 2), '-'.repeat(COLUMN - 2)),
    ...table(comparison),
    '',
    'Attempts of the original',
    ...attemptLines(reference.run),
    '',
    'Attempts of ours',
    ...attemptLines(ours.run),
    '',
    'What the difference is',
    ...explanation(comparison),
    '',
  ].join('\n');
}

function table({ reference, ours }: GateComparison): string[] {
  const learned = ours.training.scorers.find(({ name }) => name === 'learned');
  const heuristic = ours.training.scorers.find(({ name }) => name === 'heuristic');
  const { training } = reference;
  return [
    row('failing actions', ratesText(reference.run.overall), ratesText(ours.run.overall)),
    row('  measured on', 'seeds that decided', 'seeds that did not'),
    row('fixes accepted', acceptedText(reference), acceptedText(ours)),
    row('pairs of runs it took', String(pairsUsed(reference.run)), String(pairsUsed(ours.run))),
    row(`optimum on ${ours.optimum.seed_sets} other seed sets`, optimumText(reference), optimumText(ours)),
    row(
      '  pairs of runs on average',
      fixed(reference.optimum.mean_pairs, 0),
      fixed(ours.optimum.mean_pairs, 0),
    ),
    row('8 useless fixes: any accepted', nullText(reference), nullText(ours)),
    row(
      'ranking, AUC against prior',
      `${decimals(training.auc_learned, 2)} against ${decimals(training.auc_heuristic, 2)}`,
      `${decimals(learned?.auc.value ?? null, 2)} against ${decimals(heuristic?.auc.value ?? null, 2)}`,
    ),
    row('  Brier score', decimals(training.brier_learned, 3), decimals(learned?.brier.value ?? null, 3)),
    row('  tested on', 'unseen rows', 'unseen episodes'),
  ];
}

/** Five lines for somebody who has never heard of any of this. */
function explanation({ reference, ours }: GateComparison): string[] {
  const [before, after] = [pairsUsed(reference.run), pairsUsed(ours.run)];
  const falseShare = Math.round(reference.nulls.share * 100);
  return [
    '1. Old and new run on equal seeds; we compare seed by seed, so luck cancels out.',
    `2. We look after every pair and stop once it is clear: ${after} pairs, not ${before}.`,
    `3. Our tries share one 5 % risk of error; its eight add up to ${falseShare} % (measured).`,
    '4. We try on fresh seeds and measure on others; it reuses 40 and trusts luck.',
    '5. We refuse a gain that another kind of failure pays for; it sees only the sum.',
  ];
}

function acceptedText({ run }: GateSide<unknown>): string {
  return `${run.accepted.length} of ${run.iterations.length} attempts`;
}

function optimumText({ optimum }: GateSide<unknown>): string {
  return `${optimum.optimal} of ${optimum.seed_sets}`;
}

function nullText({ nulls }: GateSide<unknown>): string {
  return `${fixed(nulls.share * 100, 0)} % of ${nulls.runs} runs`;
}

function decimals(value: number | null, digits: number): string {
  return value === null ? 'unknown' : fixed(value, digits);
}

function row(label: string, first: string, second: string): string {
  return `${label.padEnd(LABEL)}${first.padEnd(COLUMN)}${second}`.trimEnd();
}
