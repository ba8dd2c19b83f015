import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { playFast, type RecordedLabTick } from './fast.js';
import { type DrawnScenario, renderPage } from './html.js';
import { seedOf } from './random.js';
import type { Scenario } from './scenario.js';
import { SCENARIOS } from './scenarios/index.js';
import { type RunScore, scoreRun } from './score.js';
import { figuresOf, summaryOf } from './summary.js';
import { renderTable } from './table.js';

const USAGE = `usage: node bench/run.mjs bench/lab/run.ts [options]

  --seed N         other sessions of the same kinds (default: another one every day)
  --hours N        healthy session-hours in all (default 2000)
  --repeat N       sessions per faulty kind (default 20)
  --scenario TEXT  only scenarios whose name contains the text
  --json FILE      figures, and every alert of every run
  --html FILE      the report with a picture per scenario
  --export FILE    the first run of each chosen scenario as a recording for replay
  --list           names and stories, nothing is played
`;

interface LabArguments {
  readonly seed: number;
  readonly hours: number;
  readonly repeat: number;
  readonly chosen: readonly Scenario[];
  readonly json: string | undefined;
  readonly html: string | undefined;
  readonly exportTo: string | undefined;
}

/** Plays every scenario in fast mode, prints the table, and writes what else was asked for. */
export async function main(argv: readonly string[]): Promise<void> {
  const options = readArguments(argv);
  if (options === undefined) return;
  const startedAt = performance.now();
  const scored = options.chosen.map((scenario) => {
    const scores = playAll(scenario, options);
    if (process.stderr.isTTY) process.stderr.write(`\r${scenario.name.padEnd(40)}`);
    return { scenario, scores, summary: summaryOf(scenario, scores) };
  });
  const ofKind = (kind: Scenario['kind']) =>
    figuresOf(scored.filter(({ scenario }) => scenario.kind === kind).flatMap(({ scores }) => scores));
  const [healthy, faulty] = [ofKind('healthy'), ofKind('faulty')];
  const summaries = scored.map(({ summary }) => summary);
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(0);
  const report = `${renderTable(summaries, healthy, faulty)}\nseed ${options.seed}, ${seconds} s\n`;
  process.stdout.write(report);
  if (options.json !== undefined) {
    const runs = scored.flatMap(({ scores }) => scores.map(withoutTicks));
    const { seed } = options;
    writeFileSync(
      options.json,
      `${JSON.stringify({ seed, healthy, faulty, scenarios: summaries, runs }, null, 1)}\n`,
    );
  }
  if (options.html !== undefined) {
    const drawn = scored.flatMap(({ summary, scores }): DrawnScenario[] => {
      const score = mostTelling(scores);
      return score === undefined ? [] : [{ summary, score }];
    });
    writeFileSync(options.html, renderPage(report, drawn));
  }
}

function readArguments(argv: readonly string[]): LabArguments | undefined {
  const { values } = parseArgs({
    args: [...argv],
    options: {
      seed: { type: 'string' },
      hours: { type: 'string', default: '2000' },
      repeat: { type: 'string', default: '20' },
      scenario: { type: 'string', default: '' },
      json: { type: 'string' },
      html: { type: 'string' },
      export: { type: 'string' },
      list: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  const chosen = SCENARIOS.filter(({ name }) => name.includes(values.scenario));
  if (values.help || values.list || chosen.length === 0) {
    const list = SCENARIOS.map(({ kind, name, story }) => `${kind.padEnd(8)} ${name.padEnd(36)} ${story}\n`);
    process.stdout.write(values.list ? list.join('') : USAGE);
    return undefined;
  }
  return {
    seed: Number(values.seed ?? new Date().toISOString().slice(0, 10).replaceAll('-', '')),
    hours: Number(values.hours),
    repeat: Number(values.repeat),
    chosen,
    json: values.json,
    html: values.html,
    exportTo: values.export,
  };
}

/** Healthy kinds share the hours, faulty ones are repeated. */
function playAll(scenario: Scenario, { seed, hours, repeat, chosen, exportTo }: LabArguments): RunScore[] {
  const healthyHours = chosen.reduce((sum, one) => sum + (one.kind === 'healthy' ? one.hours : 0), 0);
  const times =
    scenario.kind === 'faulty' ? repeat : Math.max(1, Math.ceil(hours / Math.max(1, healthyHours)));
  return Array.from({ length: times }, (_, repetition) => {
    const isExported = exportTo !== undefined && repetition === 0;
    const lines: string[] = [];
    const record = (tick: RecordedLabTick) => lines.push(JSON.stringify(tick));
    const run = playFast(scenario, seedOf(seed, scenario.name, repetition), isExported ? { record } : {});
    if (isExported)
      writeFileSync(exportTo, `${lines.join('\n')}\n`, { flag: scenario === chosen[0] ? 'w' : 'a' });
    return scoreRun(run);
  });
}

/** The run to draw: one with something wrong or missed, else the first. */
function mostTelling(scores: readonly RunScore[]): RunScore | undefined {
  return (
    scores.find(({ faults }) => faults.some(({ couldBeSeen, found }) => couldBeSeen && found === null)) ??
    scores.find(({ wrong }) => wrong.length > 0) ??
    scores[0]
  );
}

function withoutTicks({ run, ...score }: RunScore) {
  const { ticks, ...rest } = run;
  return { ...rest, tick_count: ticks.length, ...score };
}
