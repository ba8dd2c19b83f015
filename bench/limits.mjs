#!/usr/bin/env node
// Ticks on much data cost hardly more than on little: node bench/limits.mjs [--pairs N] [--check]
import { closeSync, mkdirSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { loadSource } from './lib/load-source.mjs';
import { inTurn, judge, median, row } from './lib/numbers.mjs';
import { inTempDir, peakMib, QUIET_PROMPT, stderrOf, tickArgs, wallMs } from './lib/processes.mjs';

const { values } = parseArgs({
  options: { pairs: { type: 'string', default: '15' }, check: { type: 'boolean', default: false } },
});
const pairs = Number(values.pairs);
const MIB = 2 ** 20;
const LIMIT_RATIO = 1.3;
const LIMIT_MIB = 90;
const LIMIT_PARSE_MS = 200;
const OFF = { disable_local_probe: true };
const held = [];

await inTempDir(async (directory) => {
  console.log(row('wall time, ms', 'little', 'much', 'ratio', 'peak MiB'));
  await compareEvents(directory);
  compareLogs(directory);
  measurePrompt(directory);
});
if (values.check && held.includes(false)) process.exitCode = 1;

/** A tick that has seen nothing of the session before, and one that has. */
function compare(name, little, much) {
  const forget = (args) => rmSync(join(args.session, 'agents'), { recursive: true, force: true });
  const kinds = { 'first tick': (args) => forget(args), 'later tick': () => undefined };
  for (const [kind, prepare] of Object.entries(kinds)) {
    const measure = (candidate) => {
      prepare(candidate);
      return wallMs(candidate.args);
    };
    const results = inTurn({ little, much }, pairs, measure);
    const [a, b] = [median(results.little), median(results.much)];
    prepare(much);
    const peak = peakMib(much.args);
    console.log(row(`${name}, ${kind}`, a, b, (b / a).toFixed(3), peak));
    held.push(judge(`${name}, ${kind}`, b / a, LIMIT_RATIO), judge('  peak memory', peak, LIMIT_MIB, ' MiB'));
  }
}

function candidate(directory, name) {
  const session = join(directory, name);
  mkdirSync(session, { recursive: true });
  return { session, args: tickArgs(session, OFF) };
}

async function compareEvents(directory) {
  const { CoordinatorDb } = await loadSource('src/runtime/demo/coordinator-db.ts');
  const [little, much] = [1000, 1_000_000].map((rows) => {
    const made = candidate(directory, `events-${rows}`);
    fillEvents(new CoordinatorDb(join(made.session, 'storage', 'coordinator.db')), rows);
    return made;
  });
  compare('1,000,000 events', little, much);
}

function fillEvents(coordinator, rows) {
  const { db } = coordinator;
  const insert = db.prepare(
    'INSERT INTO events (msg_id, from_agent, to_agent, topic, in_reply_to, payload, priority, ts) VALUES (?,?,?,?,?,?,?,?)',
  );
  const payload = JSON.stringify({
    kind: 'action_result',
    action: 'kernel_opt',
    state: 'succeeded',
    gain: 1.25,
  });
  const now = Date.now();
  db.transaction(() => {
    for (let seq = 1; seq <= rows; seq += 1) {
      const ts = new Date(now - (rows - seq) * 10).toISOString();
      insert.run(
        `m-${seq}`,
        'orchestration',
        seq % 3 === 0 ? 'robustness' : 'critic',
        'observation',
        null,
        payload,
        0,
        ts,
      );
    }
  })();
  coordinator.close();
}

function compareLogs(directory) {
  const [little, much] = [1, 1024].map((mib) => {
    const made = candidate(directory, `log-${mib}`);
    const place = join(made.session, 'runs', 'baseline', 'task-1');
    mkdirSync(place, { recursive: true });
    writeBlocks(join(place, 'server.log'), mib);
    return made;
  });
  compare('1 GiB log, no newline', little, much);
}

function writeBlocks(path, mib) {
  const block = Buffer.alloc(MIB, 'x');
  const descriptor = openSync(path, 'w');
  for (let count = 0; count < mib; count += 1) writeSync(descriptor, block);
  closeSync(descriptor);
}

/** An inbox of 5 MB, parsed by a tick in a process of its own: nothing is warm. */
function measurePrompt(directory) {
  const session = join(directory, 'prompt');
  mkdirSync(session);
  const rows = ['=== Inbox for robustness ==='];
  for (let size = 0, seq = 1; size < 5e6; seq += 1) {
    const text = `  seq=${seq} msg_id=m${seq} from=orchestration topic=observation kind='note' payload={'kind': 'note', 'text': '${'y'.repeat(80)}', 'n': ${seq}}`;
    rows.push(text);
    size += text.length + 1;
  }
  const args = tickArgs(session, { ...OFF, prompt: `${QUIET_PROMPT}\n${rows.join('\n')}\n` });
  const times = Array.from({ length: pairs }, () => phaseMs(stderrOf([...args, '--trace-timing']), 'prompt'));
  const peak = peakMib(args);
  console.log(row('prompt of 5 MB, parsing', '', median(times), '', peak));
  held.push(
    judge('prompt of 5 MB', median(times), LIMIT_PARSE_MS, ' ms'),
    judge('  peak memory', peak, LIMIT_MIB, ' MiB'),
  );
}

function phaseMs(table, phase) {
  const [, took] = new RegExp(`^${phase} +[\\d.]+ +([\\d.]+)$`, 'm').exec(table) ?? [];
  if (took === undefined) throw new Error(`the timing has no phase ${phase}`);
  return Number(took);
}
