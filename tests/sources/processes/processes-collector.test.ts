import { type ChildProcess, spawn } from 'node:child_process';
import { chmodSync, copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type JsonObject, objectsOf } from '../../../src/foreign/json.js';
import type { CollectorAnswer, CollectorEnv } from '../../../src/sources/collector.js';
import { parsePs } from '../../../src/sources/processes/fallback-table.js';
import { processesCollector } from '../../../src/sources/processes/processes-collector.js';
import { SessionBuilder } from '../../support/session-builder.js';
import { look } from '../collector-harness.js';

/** A pattern of our own, so that nothing else on the machine matches. */
const NAME = `guarded-server-${process.pid}`;
const PATTERNS = { server_process_patterns: [NAME], benchmark_process_patterns: [] };

let session: SessionBuilder;
let children: ChildProcess[];
beforeEach(() => {
  session = new SessionBuilder();
  children = [];
  copyFileSync('/bin/sleep', session.path(NAME));
  chmodSync(session.path(NAME), 0o755);
});
afterEach(() => {
  for (const child of children) child.kill('SIGKILL');
  session.remove();
});

/** Starts a server that sleeps, and waits until it is seen under its own name. */
async function serve(
  options: { cwd?: string; env?: Record<string, string>; args?: string[]; program?: string } = {},
): Promise<number> {
  const { cwd = '/', env = {}, args = ['60'], program = session.path(NAME) } = options;
  const child = spawn(program, args, { cwd, env, stdio: 'ignore', argv0: NAME });
  children.push(child);
  const pid = child.pid ?? 0;
  for (let i = 0; i < 100; i += 1) {
    if (objectsOf((await read()).slots.local_processes).some((entry) => entry['pid'] === pid)) break;
    await delay(10);
  }
  return pid;
}

function read(over: Partial<CollectorEnv> = {}, configOver: JsonObject = {}): Promise<CollectorAnswer> {
  return look(processesCollector, {
    sessionDir: session.dir,
    configOver: { ...PATTERNS, ...configOver },
    ...over,
  });
}

async function entryOf(pid: number, over: Partial<CollectorEnv> = {}): Promise<JsonObject | undefined> {
  return objectsOf((await read(over)).slots.local_processes).find((entry) => entry['pid'] === pid);
}

const coordinator = (pid: number) => ({
  coordinator: {
    pid,
    alive: true,
    startedUnix: null,
    hostname: '',
    otherHost: false,
    workspaceRoot: session.workspace,
    runLog: null,
  },
});

describe('processes', () => {
  it('are described with what is known of them', async () => {
    const pid = await serve({ cwd: session.path('runs') });
    const answer = await read();
    expect(answer.slots).toMatchObject({ local_processes_known: true, local_zombies: [] });
    const entry = await entryOf(pid);
    expect(entry).toMatchObject({
      is_server: true,
      cwd: session.path('runs'),
      cmd: `${NAME} 60`,
      ppid: process.pid,
      uid: process.getuid?.(),
      session_owned: true,
      owned_by: 'cwd',
      port: null,
    });
    expect(Number(entry?.['rss_mb'])).toBeGreaterThan(0);
    expect(Math.abs(Number(entry?.['start_unix']) - Date.now() / 1000)).toBeLessThan(30);
  });

  it('that match nothing are none, which is known', async () => {
    // A machine of our own: on this one somebody else's server may run.
    const stat = '4242 (odd) name) S 1 4242 4242 0 -1 4194304 0 0 0 0 0 0 0 0 20 0 1 0 100 0 50 0';
    session.file('proc/4242/stat', stat);
    session.file('proc/4242/cmdline', 'tail\0-f\0/x/vllm.entrypoints.log\0');
    session.file('proc/2/stat', '2 (kthreadd) S 0 0 0 0 -1 2129984 0 0 0 0 0 0 0 0 20 0 1 0 0 0 0 0');
    session.file('proc/uptime', '1000.00 1.00');
    const answer = await read({ procRoot: session.path('proc') });
    expect(answer.slots).toMatchObject({ local_processes: [], local_processes_known: true });
    expect(answer.verdicts.processes).toMatchObject({ status: 'empty' });
    expect(answer.facts?.processes?.processes.map(({ pid, argv }) => [pid, argv])).toEqual([
      [4242, ['tail', '-f', '/x/vllm.entrypoints.log']],
    ]);
  });

  it.each([
    ['an argument below it', (dir: string) => ['--result-dir', `${dir}/r`], true],
    ['a part after a second equals sign', (dir: string) => [`--a=b="${dir}/r"`], true],
    ['a sibling with a longer name', (dir: string) => ['--x', `${dir}-retry`], null],
    ['a path that leads out again', (dir: string) => ['--x', `${dir}/../other`], null],
  ])('belong to the session by %s: %s', async (_name, args, owned) => {
    const child = spawn('/bin/sh', ['-c', 'sleep 60; :', ...args(session.dir)], {
      argv0: NAME,
      cwd: '/',
      stdio: 'ignore',
    });
    children.push(child);
    let entry: JsonObject | undefined;
    for (let i = 0; i < 100 && entry === undefined; i += 1) {
      await delay(10);
      entry = await entryOf(child.pid ?? 0);
    }
    expect(entry).toMatchObject({ session_owned: owned, owned_by: owned === true ? 'argument' : '' });
  });

  it('belong to the session by their environment, or to the session that it names', async () => {
    const ours = await serve({
      env: { INFERENCE_OPTIMIZER_CURRENT_SESSION_DIR: session.dir, API_TOKEN: 'x' },
    });
    expect(await entryOf(ours)).toMatchObject({ session_owned: true, owned_by: 'environment' });
    const other = join(session.workspace, 'model', 'other-session');
    const theirs = await serve({ env: { INFERENCE_OPTIMIZER_CURRENT_SESSION_DIR: other } });
    const answer = await read();
    expect(objectsOf(answer.slots.local_processes).find((entry) => entry['pid'] === theirs)).toMatchObject({
      session_owned: false,
    });
    expect(answer.facts?.processes?.processes.find((process) => process.pid === theirs)?.otherSession).toBe(
      other,
    );
    const sibling = await serve({ env: { RESULT_DIR: join(other, 'runs') } });
    expect(await entryOf(sibling, { facts: coordinator(1) })).toMatchObject({ session_owned: false });
    const unrelated = await serve({ env: { RESULT_DIR: '/data/results' } });
    expect(await entryOf(unrelated, { facts: coordinator(1) })).toMatchObject({ session_owned: null });
  });

  it('belong to the session by their ancestors, the Coordinator among them', async () => {
    const pid = await serve();
    expect(await entryOf(pid)).toMatchObject({ session_owned: null });
    expect(await entryOf(pid, { facts: coordinator(process.pid) })).toMatchObject({
      session_owned: true,
      owned_by: 'ancestor',
    });
  });

  it('belong to the session by a pid file', async () => {
    const pid = await serve();
    session.file('runs/explore/t1/sglang_31234.pid', `${pid} ${pid}\n`);
    expect(await entryOf(pid)).toMatchObject({ session_owned: true, owned_by: 'pid_file' });
  });

  it('that are dead but not gone are zombies of ours', async () => {
    const parent = spawn('/bin/sh', ['-c', 'sleep 0 & exec sleep 60'], { cwd: session.dir, stdio: 'ignore' });
    children.push(parent);
    let zombies: JsonObject[] = [];
    for (let i = 0; i < 100 && zombies.length === 0; i += 1) {
      await delay(10);
      zombies = objectsOf((await read({ facts: coordinator(parent.pid ?? 0) })).slots.local_zombies);
    }
    expect(zombies).toMatchObject([{ ppid: parent.pid, title: 'sleep', session_owned: true }]);
  });

  it('hide their credentials', async () => {
    const secret = spawn('/bin/sh', ['-c', 'sleep 60; :', '--api-key', 'abcdefghijkl', '--x'], {
      argv0: NAME,
      stdio: 'ignore',
    });
    children.push(secret);
    let command = '';
    for (let i = 0; i < 100 && command === ''; i += 1) {
      await delay(10);
      command = String((await entryOf(secret.pid ?? 0))?.['cmd'] ?? '');
    }
    expect(command).toContain('[redacted]');
    expect(command).not.toContain('abcdefghijkl');
  });
});

describe('a listing', () => {
  it('without /proc is that of ps', async () => {
    const bin = session.path('bin');
    mkdirSync(bin);
    const ps = join(bin, 'ps');
    writeFileSync(
      ps,
      `#!/bin/sh\nprintf '  77 1 0 Ssl 120 1048576 ${NAME} --port 9001 \\377\\n 78 2 0 S 5 0 [kworker]\\nodd\\n'\n`,
    );
    chmodSync(ps, 0o755);
    const answer = await read({ procRoot: '/nowhere', env: { PATH: bin }, nowUnix: 1000 });
    expect(objectsOf(answer.slots.local_processes)).toMatchObject([
      { pid: 77, rss_mb: 1024, is_server: true, port: 9001, start_unix: 880, cwd: '', session_owned: null },
    ]);
    expect(answer.slots).toMatchObject({ local_processes_known: true, local_processes_scope: 'namespace' });
  });

  it.each([
    ['without ps', '', 'not_on_path'],
    ['with a ps that fails', 'exit 1', 'exit_nonzero'],
    ['with a ps that prints nothing', 'exit 0', 'bad_output'],
  ])('%s is unknown', async (_name, body, reason) => {
    const bin = session.path('bin');
    mkdirSync(bin);
    if (body !== '') {
      writeFileSync(join(bin, 'ps'), `#!/bin/sh\n${body}\n`);
      chmodSync(join(bin, 'ps'), 0o755);
    }
    const answer = await read({ procRoot: '/nowhere', env: { PATH: bin } });
    expect(answer.verdicts.processes).toMatchObject({ status: 'unknown', reason });
    expect(answer.slots).toEqual({});
  });

  it('of ps reads its columns and skips what it cannot', () => {
    expect(parsePs(' 5 1 1000 Zs 10 33 a b\n x\n', 100)).toMatchObject([
      { pid: 5, state: 'Z', rssMb: 0, argv: ['a', 'b'], startUnix: 90 },
    ]);
  });
});
