import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type LabArguments, readArguments, USAGE } from './arguments.js';
import { playFast, type RecordedLabTick } from './fast.js';
import { type DrawnScenario, renderPage } from './html.js';
import { LIVE_OPTIONS, liveEnv, liveStart } from './live/env.js';
import { playLive } from './live/play.js';
import { seedOf } from './random.js';
import type { LabRun } from './result.js';
import type { Scenario } from './scenario.js';
import { type RunScore, scoreRun } from './score.js';
import { figuresOf, summaryOf } from './summary.js';
import { renderTable } from './table.js';

/** Plays every chosen scenario, prints the table, and writes what else was asked for. */
export async function main(argv: readonly string[]): Promise<void> {
  const reading = readArguments(argv);
  if (reading.kind === 'print') {
    process.stdout.write(reading.text);
    return;
  }
  if (reading.kind === 'refused') {
    process.stderr.write(`${reading.message}\n\n${USAGE}`);
    process.exitCode = 2;
    return;
  }
  await play(reading.options);
}

async function play(options: LabArguments): Promise<void> {
  const startedAt = performance.now();
  const scored = [];
  for (const scenario of options.chosen) {
    if (process.stderr.isTTY) process.stderr.write(`\r${scenario.name.padEnd(50)}`);
    const scores = options.isLive ? await scoreLive(scenario, options) : scoreFast(scenario, options);
    if (scores.length > 0) scored.push({ scenario, scores, summary: summaryOf(scenario, scores) });
  }
  if (process.stderr.isTTY) process.stderr.write(`\r${''.padEnd(50)}\r`);
  const all = scored.flatMap(({ scores }) => scores);
  const ofKind = (kind: Scenario['kind']) => figuresOf(all.filter(({ run }) => run.kind === kind));
  const [healthy, faulty] = [ofKind('healthy'), ofKind('faulty')];
  const summaries = scored.map(({ summary }) => summary);
  const { isLive, seed } = options;
  const seconds = (performance.now() - startedAt) / 1000;
  const table = renderTable(summaries, healthy, faulty, { isLive });
  const report = `${table}\n${durationLine(options, seconds, healthy.ticks + faulty.ticks)}\n`;
  process.stdout.write(report);
  if (options.json !== undefined) {
    const content = {
      seed,
      is_live: isLive,
      healthy,
      faulty,
      scenarios: summaries,
      runs: all.map(withoutTicks),
    };
    writeFileSync(options.json, `${JSON.stringify(content, null, 1)}\n`);
  }
  if (options.html !== undefined) {
    const drawn = scored.flatMap(({ summary, scores }): DrawnScenario[] => {
      const score = mostTelling(scores);
      return score === undefined ? [] : [{ summary, score }];
    });
    writeFileSync(options.html, renderPage({ report, healthy, faulty, drawn }));
  }
}

function durationLine({ isLive, seed }: LabArguments, seconds: number, ticks: number): string {
  const perTick = (seconds / Math.max(1, ticks)).toFixed(2);
  return `seed ${seed}, ${seconds.toFixed(0)} s${isLive ? `, ${ticks} ticks played live, ${perTick} s each` : ''}`;
}

/** Healthy kinds share the hours, faulty ones are repeated. */
function scoreFast(scenario: Scenario, options: LabArguments): RunScore[] {
  const { seed, hours, repeat, chosen, exportTo } = options;
  const healthyHours = chosen.reduce(
    (sum, one) => sum + (one.kind === 'healthy' ? hoursOf(one, options) : 0),
    0,
  );
  const times =
    scenario.kind === 'faulty' ? repeat : Math.max(1, Math.ceil(hours / Math.max(1, healthyHours)));
  return Array.from({ length: times }, (_, repetition) => {
    const lines: string[] = [];
    const isExported = exportTo !== undefined && repetition === 0;
    const run = playFast(scenario, seedOf(seed, scenario.name, repetition), {
      hours: hoursOf(scenario, options),
      ...(isExported && { record: (tick: RecordedLabTick) => lines.push(JSON.stringify(tick)) }),
    });
    if (isExported)
      writeFileSync(exportTo, `${lines.join('\n')}\n`, { flag: scenario === chosen[0] ? 'w' : 'a' });
    return scoreRun(run);
  });
}

/** One session; none when this machine could not play it, which is told and spoils no other. */
async function scoreLive(scenario: Scenario, options: LabArguments): Promise<RunScore[]> {
  const parent = mkdtempSync(join(tmpdir(), 'robustness-lab-'));
  try {
    const run: LabRun = await playLive(scenario, seedOf(options.seed, scenario.name, 0), {
      hours: hoursOf(scenario, options),
      options: LIVE_OPTIONS,
      startUnix: liveStart(),
      parent,
      cli: options.cli,
      env: liveEnv(),
    });
    return [scoreRun(run)];
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    process.stderr.write(`${scenario.name} could not be played live: ${reason}\n`);
    process.exitCode = 1;
    return [];
  } finally {
    rmSync(parent, { recursive: true, force: true });
  }
}

function hoursOf({ hours }: Scenario, { sessionHours }: LabArguments): number {
  return Math.min(hours, sessionHours ?? hours);
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
