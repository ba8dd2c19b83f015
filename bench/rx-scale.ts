// How fast and in how much memory traces are read and scored, and findings of many sessions read.
// node bench/run.mjs bench/rx-scale.ts [EVENTS] [SESSIONS]

import { once } from 'node:events';
import { createWriteStream, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { analyzeFindings } from '../src/rx/findings/analyze.js';
import { type LabelledSession, labelSession } from '../src/rx/findings/labelled-episode.js';
import { locateSessions, readSession } from '../src/rx/findings/session.js';
import { scoreIncidents } from '../src/rx/incidents/score.js';
import { DEFAULT_CONFIG, simulate } from '../src/rx/simulator/simulate.js';
import { formatTraceEvent } from '../src/rx/trace/format-event.js';
import { loadTraces } from '../src/rx/trace/load.js';
import { TraceTable } from '../src/rx/trace/trace-table.js';
import { Mt19937 } from '../src/stats/mt19937.js';

const MIB = 1024 * 1024;

export async function main(argv: readonly string[]): Promise<void> {
  const [events = 2_000_000, sessions = 1000] = argv.map(Number);
  const directory = mkdtempSync(join(tmpdir(), 'rx-scale-'));
  try {
    row('what', 'wall / cpu', 'peak memory');
    scoring();
    const file = join(directory, 'large.ndjson');
    await writeTrace(file, events);
    await loading(file);
    writeSessions(join(directory, 'sessions'), sessions);
    await findings(join(directory, 'sessions'));
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

/** The quadratic worst case of the reference: one run, one agent, almost nothing succeeds. */
function scoring(): void {
  const random = new Mt19937(1);
  const events = Array.from({ length: 100_000 }, (_, turn) => ({
    event_id: '',
    run_id: 'r',
    turn,
    agent_id: 'a',
    tool_name: 't',
    action_succeeded: random.random() < 0.02,
    divergence_fields: [],
    failure_classification: 'agent_error',
    latency_total_ms: 0,
  }));
  const started = clock();
  scoreIncidents(TraceTable.from(events));
  row('score 100,000 events of one run and agent', seconds(started), '');
}

async function writeTrace(file: string, events: number): Promise<void> {
  const out = createWriteStream(file);
  const turns = 667;
  for (let run = 0, written = 0; written < events; run++) {
    const plan = { runs: 1, turns, seed: run, streams: 'reference' } as const;
    const lines = simulate(DEFAULT_CONFIG, plan)
      .slice(0, events - written)
      .map((event) =>
        formatTraceEvent({
          ...event,
          run_id: `run${run}`,
          event_id: `run${run}-${event.turn}-${event.agent_id}`,
        }),
      );
    written += lines.length;
    if (!out.write(lines.join(''))) await once(out, 'drain');
  }
  out.end();
  await once(out, 'finish');
}

async function loading(file: string): Promise<void> {
  const started = clock();
  let peak = 0;
  const { table, problems } = await loadTraces([file], {
    onProgress: () => {
      peak = Math.max(peak, process.memoryUsage.rss());
    },
  });
  row(
    `read ${table.size} events (${table.runs.length} runs, ${problems.total} problems)`,
    seconds(started),
    mebibytes(peak),
  );
  const scored = clock();
  const incidents = scoreIncidents(table);
  peak = Math.max(peak, process.memoryUsage.rss());
  row(`score them (${incidents.length} patterns)`, seconds(scored), mebibytes(peak));
}

/** Sessions of 200 ticks: five problems that come and go, an emission every five ticks while they last; presence each tick. */
function writeSessions(root: string, sessions: number): void {
  const random = new Mt19937(2);
  const symptoms = [
    'disk_pressure',
    'repeated_failure',
    'local_server_unreachable',
    'agent_stall',
    'same_payload_loop',
  ];
  for (let i = 0; i < sessions; i++) {
    const base = join(root, `s${i}`, 'agents', 'robustness');
    mkdirSync(join(base, 'findings'), { recursive: true });
    mkdirSync(join(base, 'presence'), { recursive: true });
    const timeOf = (tick: number) => 1_700_000_000 + i * 20_000 + tick * 60;
    const rows: { tick: number; line: string }[] = [];
    for (const symptom of symptoms) {
      for (let tick = random.integer(1, 20); tick <= 200; tick += random.integer(8, 30)) {
        const family = `f${random.below(4)}`;
        const last = tick + random.integer(0, 30);
        for (let n = 0; tick <= Math.min(last, 200); tick += 5, n++) {
          rows.push({ tick, line: JSON.stringify(findingRow(symptom, family, tick, timeOf(tick), n === 1)) });
        }
      }
    }
    rows.sort((x, y) => x.tick - y.tick);
    const present = Array.from({ length: 200 }, (_, tick) =>
      JSON.stringify({
        tick_index: tick + 1,
        timestamp_unix: timeOf(tick + 1),
        present: [],
        muted: {},
        undecided: [],
      }),
    );
    writeFileSync(join(base, 'findings', `s${i}.jsonl`), `${rows.map((row) => row.line).join('\n')}\n`);
    writeFileSync(join(base, 'presence', `s${i}.jsonl`), `${present.join('\n')}\n`);
  }
}

function findingRow(symptom: string, family: string, tick: number, time: number, hard: boolean): unknown {
  const subject = { family };
  const detail = { symptom, severity: 'high', subject, evidence: { text: 'x'.repeat(600) } };
  const intents: unknown[] = [{ intent_type: 'alert', payload: { severity: 'high', summary: 's', detail } }];
  if (hard) intents.push({ intent_type: 'prune_branch', payload: { family, reason: 's' } });
  const head = {
    tick_index: tick,
    timestamp_unix: time,
    symptom_name: symptom,
    severity: 'high',
    summary: 's',
  };
  return { ...head, intents, evidence: {}, rca_text: '', subject, cooldown_until_tick: tick + 5 };
}

async function findings(root: string): Promise<void> {
  const started = clock();
  const sessions: LabelledSession[] = [];
  for (const location of await locateSessions(root))
    sessions.push(await labelSession(await readSession(location)));
  const analysis = analyzeFindings(sessions);
  const what = `${sessions.length} sessions: ${analysis.findings} findings, ${analysis.episodes} episodes, ${analysis.regime}`;
  row(what, seconds(started), mebibytes(process.memoryUsage.rss()));
}

function row(what: string, time: string, memory: string): void {
  process.stdout.write(`${what.padEnd(64)}${time.padStart(16)}${memory.padStart(14)}\n`);
}

interface Started {
  readonly wall: number;
  readonly cpu: NodeJS.CpuUsage;
}

function clock(): Started {
  return { wall: performance.now(), cpu: process.cpuUsage() };
}

/** Wall and processor time; on a busy machine only the latter means something. */
function seconds(started: Started): string {
  const { user, system } = process.cpuUsage(started.cpu);
  return `${((performance.now() - started.wall) / 1000).toFixed(2)} / ${((user + system) / 1e6).toFixed(2)} s`;
}

function mebibytes(bytes: number): string {
  return `${(bytes / MIB).toFixed(0)} MiB`;
}
