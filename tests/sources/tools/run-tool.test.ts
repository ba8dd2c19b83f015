import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { findExecutable } from '../../../src/sources/tools/find-executable.js';
import { runTool, type ToolRequest } from '../../../src/sources/tools/run-tool.js';
import { endTools } from '../../../src/sources/tools/tool-groups.js';

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'robustness-tools-'));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

function script(name: string, body: string, mode = 0o755): string {
  const path = join(directory, name);
  writeFileSync(path, `#!/bin/sh\n${body}\n`);
  chmodSync(path, mode);
  return path;
}

function run(executable: string, over: Partial<ToolRequest> = {}) {
  return runTool({
    executable,
    args: [],
    env: { PATH: '/usr/bin:/bin', SECRET_TOKEN: 'x', COLUMNS: '40' },
    timeoutMs: 5000,
    signal: new AbortController().signal,
    ...over,
  });
}

/** Pids that a script has written, one a line. */
const pidsIn = (path: string) =>
  existsSync(path) ? readFileSync(path, 'utf8').trim().split('\n').map(Number) : [];

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.startsWith('Z') === false;
  } catch {
    return false;
  }
}

async function untilDead(pids: readonly number[]): Promise<boolean> {
  for (let i = 0; i < 100; i += 1) {
    if (!pids.some(isAlive)) return true;
    await delay(20);
  }
  return false;
}

async function untilWritten(path: string, lines: number): Promise<number[]> {
  for (let i = 0; i < 250 && pidsIn(path).length < lines; i += 1) await delay(20);
  return pidsIn(path);
}

describe('a tool', () => {
  it('gives its output, its exit code and nothing to a shell', async () => {
    const tool = script('t', 'echo "out:$1"; echo err >&2; exit 3');
    expect(await run(tool, { args: ['a b; $(echo x)'] })).toMatchObject({
      kind: 'exited',
      code: 3,
      stdout: 'out:a b; $(echo x)\n',
      stderr: 'err\n',
    });
  });

  it('gets a small environment and no input', async () => {
    const outcome = await run(script('t', 'env; cat'), { extraEnv: { RAY_ADDRESS: 'here' } });
    const stdout = outcome.kind === 'exited' ? outcome.stdout : '';
    expect(stdout).toContain('LC_ALL=C.UTF-8');
    expect(stdout).toContain('RAY_ADDRESS=here');
    expect(stdout).not.toMatch(/SECRET_TOKEN|COLUMNS/);
  });

  it('may print bytes that are no text', async () => {
    expect(await run(script('t', "printf 'a\\377b'"))).toMatchObject({ stdout: 'a\ufffdb' });
  });

  it('that prints without end is stopped at the cap', async () => {
    const outcome = await run(script('t', 'yes'), { stdoutLimit: 1000 });
    expect(outcome).toMatchObject({ kind: 'too_large' });
    expect(outcome.kind === 'too_large' ? outcome.stdout.length : 0).toBe(1000);
    await endTools(600);
  });

  it('that hangs and ignores SIGTERM is answered for in time, and dies with its children', async () => {
    const pids = join(directory, 'pids');
    const tool = script(
      't',
      `trap '' TERM; echo $$ >>'${pids}'; (trap '' TERM; sh -c 'echo $$ >>"${pids}"; exec sleep 60'); sleep 60`,
    );
    const started = performance.now();
    const running = run(tool, { timeoutMs: 400 });
    const known = await untilWritten(pids, 2);
    expect(await running).toMatchObject({ kind: 'timeout' });
    expect(performance.now() - started).toBeLessThan(3000);
    await endTools(600);
    expect(known).toHaveLength(2);
    expect(await untilDead(known)).toBe(true);
  });

  it('that ends while a child of it holds the pipe is answered for at once, and the child goes', async () => {
    const pids = join(directory, 'pids');
    const tool = script(
      't',
      `sh -c 'echo $$ >>"${pids}"; exec sleep 60' & while [ ! -s '${pids}' ]; do :; done; echo done`,
    );
    const started = performance.now();
    expect(await run(tool)).toMatchObject({ kind: 'exited', code: 0, stdout: 'done\n' });
    expect(performance.now() - started).toBeLessThan(3000);
    expect(await untilDead(pidsIn(pids))).toBe(true);
  });

  it('ends with its signal', async () => {
    const stop = new AbortController();
    const running = run(script('t', 'exec sleep 60'), { signal: stop.signal });
    stop.abort();
    expect(await running).toMatchObject({ kind: 'timeout' });
    await endTools(600);
    expect(await run(script('u', 'true'), { signal: stop.signal })).toMatchObject({ kind: 'not_started' });
  });

  it.each([
    ['is missing', () => join(directory, 'nothing'), false],
    ['may not be executed', () => script('t', 'true', 0o644), true],
  ])('that %s is not started, which is an answer', async (_name, path, permission) => {
    expect(await run(path())).toMatchObject({ kind: 'not_started', permission });
  });
});

it('a tool with a bad format ends with a failure', async () => {
  const path = join(directory, 'bad');
  writeFileSync(path, '\u007fELFnot really');
  chmodSync(path, 0o755);
  const outcome = await run(path);
  expect(outcome.kind === 'exited' ? outcome.code : outcome.kind).not.toBe(0);
});

describe('the search for an executable', () => {
  it('takes the first on the path that is one, and ignores relative entries', () => {
    script('plain', 'true', 0o644);
    const tool = script('tool', 'true');
    expect(findExecutable('tool', `.:/nowhere:${directory}`)).toBe(tool);
    expect(findExecutable('plain', directory)).toBeNull();
    expect(findExecutable('tool', undefined)).toBeNull();
    expect(findExecutable(tool, '')).toBe(tool);
  });
});
