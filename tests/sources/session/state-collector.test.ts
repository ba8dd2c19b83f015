import { execFileSync, spawn } from 'node:child_process';
import { rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type JsonObject, objectOr } from '../../../src/foreign/json.js';
import type { CollectorAnswer, CollectorEnv } from '../../../src/sources/collector.js';
import { stateCollector } from '../../../src/sources/session/state-collector.js';
import { SessionBuilder } from '../../support/session-builder.js';
import { look } from '../collector-harness.js';

const NOW = Math.floor(Date.now() / 1000);

let session: SessionBuilder;
let memory: JsonObject;
beforeEach(() => {
  session = new SessionBuilder();
  memory = {};
});
afterEach(() => session.remove());

async function read(over: Partial<CollectorEnv> = {}, configOver: JsonObject = {}): Promise<CollectorAnswer> {
  const answer = await look(stateCollector, {
    sessionDir: session.dir,
    nowUnix: NOW,
    memory,
    configOver,
    ...over,
  });
  memory = { ...memory, ...answer.memory };
  return answer;
}

const part = (answer: CollectorAnswer, key: string) =>
  objectOr(objectOr(answer.slots.local_state_integrity)[key]);
const state = async () => part(await read(), 'state_json');
const coordinator = async (over: Partial<CollectorEnv> = {}) => part(await read(over), 'coordinator');
const deadPid = (): number =>
  Number(execFileSync(process.execPath, ['-p', 'process.pid'], { encoding: 'utf8' }));

describe('state.json', () => {
  it('of a young session is missing, which is normal', async () => {
    const answer = await read();
    expect(part(answer, 'state_json')).toEqual({
      valid: false,
      error: 'missing',
      path: session.path('state.json'),
    });
    expect(answer.verdicts.state).toMatchObject({ status: 'empty', reason: 'missing' });
  });

  it('that was there and is gone keeps its size and the moment, until it is back', async () => {
    session.state({ phase: 'EXPLORE' });
    await read();
    rmSync(session.path('state.json'));
    const gone = await state();
    expect(gone).toMatchObject({ valid: false, error: 'missing', missing_since_unix: NOW });
    expect(gone['previous_size_bytes']).toBeGreaterThan(10);
    expect(await state()).toEqual(gone);
    session.state({ phase: 'EXPLORE' });
    expect(await state()).toMatchObject({ valid: true });
    rmSync(session.path('state.json'));
    expect(part(await read({ nowUnix: NOW + 90 }), 'state_json')['missing_since_unix']).toBe(NOW + 90);
  });

  it('that is valid gives what rules read, and itself to other collectors', async () => {
    session.state({ phase: 'EXPLORE', tick: 5, deadline_unix: NOW + 60, loss: 1 }, NOW - 30);
    const answer = await read();
    expect(part(answer, 'state_json')).toMatchObject({
      valid: true,
      mtime: NOW - 30,
      stop_reason: '',
      terminal: false,
      phase: 'EXPLORE',
      tick: 5,
      deadline_unix: NOW + 60,
      previous_size_bytes: null,
    });
    expect(answer.facts?.stateJson).toMatchObject({ loss: 1 });
  });

  it.each<[unknown, string, boolean]>([
    [null, '', false],
    [0, '', false],
    [[], '', false],
    ['deadline', 'deadline', true],
    [['a', 1], "['a', 1]", true],
    [true, 'True', true],
    ['  ', '  ', false],
  ])('with stop reason %j reads %j, terminal %s', async (reason, text, terminal) => {
    session.state({ stop_reason: reason });
    expect(await state()).toMatchObject({ stop_reason: text, terminal });
  });

  it('is terminal in its last phase once the report is written', async () => {
    session.state({ phase: 'CLOSE' });
    expect(await state()).toMatchObject({ terminal: false });
    session.file('reports/final.md', 'done');
    expect(await state()).toMatchObject({ terminal: true });
  });

  it('accepts what Python writes', async () => {
    session.file('state.json', '\ufeff{"a": NaN, "b": [Infinity], "tick": 3}');
    expect(await state()).toMatchObject({ valid: true, tick: 3 });
  });

  it.each([
    ['', 0],
    ['  ', 2],
    ['[]', 2],
    ['"\u00e9"', 4],
    ['['.repeat(300_000), 300_000],
  ])('that is no object is corrupt, with its size in bytes', async (content, bytes) => {
    session.file('state.json', content);
    const answer = await read();
    expect(part(answer, 'state_json')).toMatchObject({
      valid: false,
      error: 'json_parse_failed',
      size_bytes: bytes,
    });
    expect(answer.verdicts.state).toMatchObject({ status: 'error', reason: 'corrupt' });
  });

  it('that is not UTF-8 cannot be read', async () => {
    session.file('state.json', Buffer.from([0x7b, 0xff, 0x7d]));
    expect(String((await state())['error'])).toMatch(/^read_failed: /);
  });

  it('that is complete a moment later is not called corrupt', async () => {
    session.file('state.json', '{"tick": ');
    setTimeout(() => session.state({ tick: 9 }), 60);
    expect(await state()).toMatchObject({ valid: true, tick: 9 });
  });

  it('that is still being written at the second look is unknown', async () => {
    session.file('state.json', '{"tick": ');
    setTimeout(() => session.file('state.json', '{"tick": 1, '), 60);
    const answer = await read();
    expect(part(answer, 'state_json')).toEqual({});
    expect(answer.verdicts.state).toMatchObject({ status: 'unknown' });
  });

  it('that has shrunk shows the size before for an hour, or until it has grown again', async () => {
    session.state({ history: 'x'.repeat(9000) });
    const size = Number((await state())['size_bytes']);
    session.file('state.json', '{}');
    expect(await state()).toMatchObject({ size_bytes: 2, previous_size_bytes: size });
    expect(part(await read({ nowUnix: NOW + 3000 }), 'state_json')).toMatchObject({
      previous_size_bytes: size,
    });
    await read({ nowUnix: NOW + 3700 });
    expect(part(await read({ nowUnix: NOW + 3701 }), 'state_json')).toMatchObject({ previous_size_bytes: 2 });
  });

  it.each([
    ['a pipe', (path: string) => execFileSync('mkfifo', [path]), 'missing'],
    ['a link out of the session', (path: string) => symlinkSync('/etc/hostname', path), 'read_failed'],
    ['a dangling link', (path: string) => symlinkSync('/nowhere', path), 'missing'],
  ])('with %s in its place costs no time', async (_name, plant, error) => {
    plant(session.path('state.json'));
    expect(String((await state())['error'])).toContain(error);
  });
});

describe('the write-ahead log', () => {
  it('tells what waits to be copied back, whatever its size', async () => {
    const db = session.database();
    db.db.pragma('wal_autocheckpoint = 0');
    for (let i = 0; i < 10; i += 1) db.event({ topic: 'event' });
    const wal = part(await read(), 'wal');
    expect(wal).toMatchObject({ wal_present: true, previous_wal_bytes: null });
    expect(Number(wal['wal_frames_pending'])).toBeGreaterThan(10);
    db.db.pragma('wal_checkpoint(FULL)');
    const after = part(await read(), 'wal');
    expect(after).toMatchObject({
      wal_frames_pending: 0,
      wal_bytes: wal['wal_bytes'],
      previous_wal_bytes: wal['wal_bytes'],
    });
  });

  it('that is not there is not one without bytes', async () => {
    expect(part(await read(), 'wal')).toMatchObject({
      wal_present: false,
      wal_bytes: 0,
      db_bytes: 0,
      wal_frames_pending: null,
    });
  });
});

describe('mailboxes', () => {
  it('are listed for roles that have one', async () => {
    session.file('agents/critic/inbox.jsonl', '12345');
    session.file('agents/b/outbox.jsonl', '1');
    expect(part(await read(), 'agents')).toEqual({
      b: expect.objectContaining({ inbox_bytes: 0, outbox_bytes: 1 }),
      critic: expect.objectContaining({
        inbox_bytes: 5,
        inbox_path: session.path('agents/critic/inbox.jsonl'),
      }),
    });
  });
});

describe('the Coordinator', () => {
  it('is whom the lock names, alive with its start, and our ancestor when it is', async () => {
    session.lock({ pid: process.pid });
    expect(await coordinator()).toMatchObject({
      recorded_pid: process.pid,
      alive: true,
      identity_source: 'lock',
      hostname: hostname(),
      is_parent: false,
      pid_file: session.path('runtime/optimizer.lock'),
    });
    session.lock({ pid: process.ppid });
    const parent = await coordinator();
    expect(parent).toMatchObject({ alive: true, is_parent: true });
    expect(Math.abs(Number(parent['started_unix']) - NOW)).toBeLessThan(86_400);
  });

  it('is dead when no such process exists, or another one has the number by now', async () => {
    session.lock({ pid: deadPid() });
    expect(await coordinator()).toMatchObject({ alive: false, started_unix: null });
    session.lock({ pid: process.pid, startedUnix: NOW - 1e6 });
    expect(await coordinator()).toMatchObject({ alive: false });
  });

  it('is dead when only a zombie is left of it', async () => {
    const parent = spawn('sh', ['-c', 'sleep 0 & echo $!; exec sleep 30'], {
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const pid = await new Promise<number>((resolve) =>
      parent.stdout.once('data', (data: Buffer) => resolve(Number(String(data)))),
    );
    session.lock({ pid });
    let alive: unknown = true;
    for (let i = 0; i < 50 && alive !== false; i += 1) alive = (await coordinator())['alive'];
    expect(alive).toBe(false);
    parent.kill('SIGKILL');
  });

  it('on another host cannot be known', async () => {
    session.lock({ pid: deadPid(), host: 'elsewhere' });
    expect(await coordinator()).toMatchObject({ alive: null, hostname: 'elsewhere' });
    session.lock({ pid: process.pid, host: `${hostname()}.some.domain` });
    expect(await coordinator()).toMatchObject({ alive: true });
  });

  it('is alive when it has asked, whatever the records say', async () => {
    session.lock({ pid: deadPid() });
    expect(await coordinator({ promptDriven: true })).toMatchObject({
      alive: true,
      identity_source: 'caller',
      started_unix: null,
    });
  });

  it('is looked for in the launch files of the workspace, the manifest, the pid files', async () => {
    session.workspaceFile('optimizer_runs/run_1.pid', '"  4194000  "\n77\n', NOW - 50);
    session.workspaceFile('optimizer_runs/run_2.pid', 'not a pid', NOW - 10);
    expect(await coordinator()).toMatchObject({
      recorded_pid: 4_194_000,
      identity_source: 'pid_file',
      alive: null,
    });
    session.manifest({ pid: process.pid });
    expect(await coordinator()).toMatchObject({
      recorded_pid: process.pid,
      identity_source: 'manifest',
      alive: true,
    });
    session.launch('other', { session_dir: '/somewhere/else', pid: 5 });
    session.launch('ours', { pid: process.ppid });
    const answer = await read();
    expect(part(answer, 'coordinator')).toMatchObject({
      recorded_pid: process.ppid,
      identity_source: 'launch',
    });
    expect(answer.facts?.coordinator).toMatchObject({
      workspaceRoot: session.workspace,
      runLog: expect.stringContaining('run_ours.log'),
    });
    session.launch('ours', { pid: process.ppid, run_log: '/etc/passwd' });
    expect((await read()).facts?.coordinator?.runLog).toBeNull();
  });

  it('is nobody when nothing names one', async () => {
    writeFileSync(session.path('runtime-file'), '');
    session.file('runtime/optimizer.lock', '{"pid": "x"}');
    expect(await coordinator()).toMatchObject({
      recorded_pid: null,
      alive: null,
      pid_file: '',
      identity_source: '',
    });
    session.file('runtime/optimizer.lock', JSON.stringify({ pid: 0, hostname: hostname() }));
    expect(await coordinator()).toMatchObject({ recorded_pid: 0, alive: null });
  });

  it('is known to others even when nobody wants to hear about the files', async () => {
    session.lock({ pid: process.pid });
    const answer = await read({}, { state_integrity_enabled: false });
    expect(answer.verdicts.state).toMatchObject({ status: 'skipped', reason: 'disabled' });
    expect(answer.slots).toEqual({});
    expect(answer.facts?.coordinator).toMatchObject({ pid: process.pid, alive: true });
  });
});
