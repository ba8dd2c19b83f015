import { redactorFor } from '../src/foreign/redact.js';
import { openModel } from '../src/investigate/loop/open-model.js';
import { type EvalRow, type EvalSummary, evaluate, summarise } from '../tests/investigate/evals/evaluate.js';

const USAGE = `usage: node bench/run.mjs bench/evals.ts [--model [RUNS]]

Runs the recorded cases over fake services: without a model, which is the
baseline, and with --model also RUNS times (3) with the one the environment names.
`;

/** Accuracy, honesty and cost of investigations on the recordings (spec 07 B16.8). */
export async function main(argv: readonly string[]): Promise<void> {
  if (argv.includes('--help')) {
    process.stdout.write(USAGE);
    return;
  }
  const baseline = await evaluate();
  print('without a model', baseline);
  if (!argv.includes('--model')) return;
  const model = openModel(process.env, redactorFor(process.env));
  if (model === null) {
    process.stderr.write('no model: the environment names none\n');
    process.exitCode = 2;
    return;
  }
  const runs = Math.max(1, Number(argv[argv.indexOf('--model') + 1]) || 3);
  const all: EvalRow[][] = [];
  try {
    for (let run = 1; run <= runs; run += 1) {
      const rows = await evaluate(model);
      all.push(rows);
      print(`${model.model}, run ${run} of ${runs}`, rows);
    }
  } finally {
    await model.close();
  }
  const agree = baseline.filter(
    (_, index) => new Set(all.map((rows) => verdictOf(rows[index]))).size === 1,
  ).length;
  process.stdout.write(`\nruns agree on type and band in ${agree} of ${baseline.length} cases\n`);
}

function verdictOf(row: EvalRow | undefined): string {
  return `${row?.typeRight} ${row?.subjectRight} ${row?.level}`;
}

function print(title: string, rows: readonly EvalRow[]): void {
  const mark = (verdict: boolean | null): string => (verdict === null ? '-' : verdict ? 'yes' : 'NO');
  const table = rows.map((row) => [
    row.name,
    row.mode === 'llm' ? 'model' : 'rules',
    mark(row.typeRight),
    mark(row.subjectRight),
    mark(row.anchorRight),
    `${row.level} ${row.confidence.toFixed(2)}`,
    row.maxBand,
    row.referenceBand,
    String(row.calls),
    String(row.tokens),
    row.seconds.toFixed(2),
  ]);
  const head = [
    'case',
    'by',
    'type',
    'subject',
    'anchor',
    'band',
    'honest',
    'reference',
    'calls',
    'tokens',
    's',
  ];
  const widths = head.map((name, column) =>
    Math.max(name.length, ...table.map((cells) => cells[column]?.length ?? 0)),
  );
  const line = (cells: readonly string[]): string =>
    cells
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd();
  process.stdout.write(
    `\n${title}\n${[head, ...table].map(line).join('\n')}\n${conclusion(summarise(rows))}\n`,
  );
}

function conclusion(summary: EvalSummary): string {
  const percent = (share: number): string => `${Math.round(share * 100)} %`;
  return [
    `type ${percent(summary.typeAccuracy)}, subject ${percent(summary.subjectAccuracy)}, anchor ${percent(summary.anchorAccuracy)}`,
    `precision at HIGH ${percent(summary.precisionAtHigh)}, overclaims ${summary.overclaims} (the reference allows ${summary.referenceOverclaims}), coverage at MEDIUM ${percent(summary.coverageAtMedium)}, Brier ${summary.brier.toFixed(3)}`,
  ].join('\n');
}
