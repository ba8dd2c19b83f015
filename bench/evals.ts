import { redactorFor } from '../src/foreign/redact.js';
import { openModel } from '../src/investigate/loop/open-model.js';
import { openBwrap } from '../src/investigate/sandbox/bwrap.js';
import type { ChatModel } from '../src/llm/chat.js';
import { type EvalRow, type EvalSummary, evaluate, summarise } from '../tests/investigate/evals/evaluate.js';
import { SCENES } from '../tests/investigate/evals/made/index.js';
import {
  gateProblems,
  judgeScenes,
  type MadeRow,
  type MadeSummary,
  summariseScenes,
} from '../tests/investigate/evals/made/judge.js';

const USAGE = `usage: node bench/run.mjs bench/evals.ts [--model [RUNS]]

Runs the recorded cases over fake services, and made-up faults where HIGH is
earned beside near-twins where it is not: by the rules alone, which is the
baseline, with a scripted model that always claims 0.95, and with --model also
RUNS times (3) with the one the environment names. Exit code 1: the gate is not
passed, because an answer at HIGH is wrong or none is there.
`;

/** Accuracy, honesty and cost of investigations on the recordings (spec 07 B16.8). */
export async function main(argv: readonly string[]): Promise<void> {
  if (argv.includes('--help')) {
    process.stdout.write(USAGE);
    return;
  }
  const baseline = await evaluate();
  print('recorded cases, without a model', baseline);
  await playScenes('a scripted model that claims 0.95', null);
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
      print(`recorded cases, ${model.model}, run ${run} of ${runs}`, rows);
      await playScenes(`${model.model}, run ${run} of ${runs}`, model);
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

async function playScenes(title: string, model: ChatModel | null): Promise<void> {
  const reading = await openBwrap(new AbortController().signal);
  if (!reading.ok) process.stdout.write(`\nleft out: faults that need a sandbox (${reading.reason})\n`);
  const rows = await judgeScenes(SCENES, reading.ok ? reading.driver : null, model);
  const summary = summariseScenes(rows);
  const problems = gateProblems(summary);
  const head = ['fault', 'why not HIGH', 'honest', 'rules', 'model', 'right', 'calls', 's'];
  process.stdout.write(
    `\nmade-up faults, ${title}\n${columns([head, ...rows.map(cellsOf)])}\n${verdict(summary)}\n`,
  );
  if (problems.length === 0) return;
  process.stdout.write(`GATE NOT PASSED: ${problems.join('; ')}\n`);
  process.exitCode = 1;
}

function cellsOf({
  name,
  trap,
  honest,
  rules,
  level,
  confidence,
  isRight,
  calls,
  seconds,
}: MadeRow): string[] {
  const shown = `${level} ${confidence.toFixed(2)}`;
  return [name, trap ?? '', honest, rules, shown, mark(isRight), String(calls), seconds.toFixed(2)];
}

function verdict(summary: MadeSummary): string {
  const { scenes, atHigh, rightAtHigh, coverageAtHigh, overclaims, brier } = summary;
  const precision = atHigh === 0 ? 'none' : percent(rightAtHigh / atHigh);
  return [
    `model: ${atHigh} of ${scenes} at HIGH, precision at HIGH ${precision}, overconfidence ${atHigh - rightAtHigh}, coverage at HIGH ${percent(coverageAtHigh)}, overclaims ${overclaims}, Brier ${brier.toFixed(3)}`,
    `rules alone: ${summary.rulesAtHigh} at HIGH, ${summary.rulesRight} of ${scenes} right, overclaims ${summary.rulesOverclaims}`,
  ].join('\n');
}

function mark(verdict: boolean | null): string {
  return verdict === null ? '-' : verdict ? 'yes' : 'NO';
}

function percent(share: number): string {
  return `${Math.round(share * 100)} %`;
}

/** Rows as aligned columns. */
function columns(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) =>
    Math.max(...rows.map((cells) => cells[column]?.length ?? 0)),
  );
  const line = (cells: readonly string[]): string =>
    cells
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd();
  return rows.map(line).join('\n');
}

function print(title: string, rows: readonly EvalRow[]): void {
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
  process.stdout.write(`\n${title}\n${columns([head, ...table])}\n${conclusion(summarise(rows))}\n`);
}

function conclusion(summary: EvalSummary): string {
  return [
    `type ${percent(summary.typeAccuracy)}, subject ${percent(summary.subjectAccuracy)}, anchor ${percent(summary.anchorAccuracy)}`,
    `${summary.atHigh} at HIGH${summary.atHigh === 0 ? '' : `, precision there ${percent(summary.precisionAtHigh)}`}, overclaims ${summary.overclaims} (the reference allows ${summary.referenceOverclaims}), coverage at MEDIUM ${percent(summary.coverageAtMedium)}, Brier ${summary.brier.toFixed(3)}`,
  ].join('\n');
}
