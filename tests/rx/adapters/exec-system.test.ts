import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DEFAULT_LIMITS, execSystem } from '../../../src/rx/adapters/exec-system.js';
import type { ProgramLimits } from '../../../src/rx/adapters/run-program.js';
import type { SystemUnderTest } from '../../../src/rx/adapters/system.js';
import { runAaCheck } from '../../../src/rx/experiment/aa-check.js';
import { Mt19937 } from '../../../src/stats/mt19937.js';

let directory = '';

beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'rx-exec-test-'));
});

afterAll(() => {
  rmSync(directory, { recursive: true, force: true });
});

/** A system whose program is the body of a Node script. */
function systemOf(body: string, limits: Partial<ProgramLimits> = {}, signal?: AbortSignal) {
  const script = join(directory, `program-${Math.abs(hash(body))}.cjs`);
  writeFileSync(
    script,
    `const fs = require('node:fs');\nconst out = process.env.RX_OUT;\n${PRELUDE}\n${body}\n`,
  );
  return execSystem({
    command: `"${process.execPath}" "${script}"`,
    cwd: directory,
    env: process.env,
    limits: { ...DEFAULT_LIMITS, ...limits },
    ...(signal === undefined ? {} : { signal }),
  });
}

const PRELUDE = `
const line = (turn, failed) => JSON.stringify({
  run_id: 'r', turn, agent_id: 'a', action_succeeded: !failed, failure_classification: failed || null,
}) + '\\n';`;

const GOOD = `fs.writeFileSync(out, line(0, 'agent_error') + line(1, '') + '{"run_id":"r","turn":2,"agent_id":"a","action_succeeded":false}\\n');`;
const request = { config: { workers: 3 }, seed: 17, arm: 'control' } as const;

describe('exec adapter', () => {
  it('hands over configuration, seed, arm and file, and counts what the program wrote', async () => {
    const seen = join(directory, 'seen.json');
    const system = systemOf(
      `${GOOD} fs.writeFileSync(${JSON.stringify(seen)}, JSON.stringify([process.env.RX_CONFIG_JSON, process.env.RX_SEED, process.env.RX_ARM]));`,
    );
    expect(await system.measure(request)).toEqual({
      ok: true,
      metrics: { actions: 3, failures: 2, by_class: { agent_error: 1, unclassified: 1 } },
    });
    expect(JSON.parse(readFileSync(seen, 'utf8'))).toEqual(['{"workers":3}', '17', 'control']);
  });

  it('gives the runs of different places different names', async () => {
    const system = systemOf(GOOD);
    const [first, second] = [await system.trace(request, 0), await system.trace(request, 1)];
    expect(first.ok && first.events.map((event) => event.run_id)).toEqual(['0:r', '0:r', '0:r']);
    expect(second.ok && second.events[0]?.run_id).toBe('1:r');
  });

  it.each([
    ['a non-zero exit', `${GOOD} console.error('boom'); process.exit(3);`, /exit code 3: boom/],
    ['a signal', `process.kill(process.pid, 'SIGKILL'); setInterval(() => {}, 1000);`, /SIGKILL|137/],
    ['a missing file', '', /RX_OUT cannot be read/],
    ['an empty file', `fs.writeFileSync(out, '\\n');`, /holds no event/],
    ['one bad line', `fs.writeFileSync(out, line(0, '') + '{"turn": 1}\\n');`, /line 2 of RX_OUT: run_id/],
    ['broken JSON', `fs.writeFileSync(out, '{');`, /line 1 of RX_OUT: not valid JSON/],
  ])('calls a run failed after %s', async (_name, body, reason) => {
    const result = await systemOf(body).measure(request);
    expect(result.ok ? '' : result.reason).toMatch(reason);
  });

  it('says so when the command does not exist', async () => {
    const system = execSystem({
      command: 'rx-no-such-command',
      cwd: directory,
      env: process.env,
      limits: DEFAULT_LIMITS,
    });
    expect(await system.measure(request)).toMatchObject({ ok: false });
  });

  it('ends a run that takes too long, with all that it started', async () => {
    const pidFile = join(directory, 'grandchild.pid');
    const body = `
      const child = require('node:child_process').spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)']);
      fs.writeFileSync(${JSON.stringify(pidFile)}, String(child.pid));
      setInterval(() => {}, 1000);`;
    const result = await systemOf(body, { timeoutMs: 1500 }).measure(request);
    expect(result).toEqual({ ok: false, reason: 'not finished after 1.5 s' });
    const grandchild = Number(readFileSync(pidFile, 'utf8'));
    await expect.poll(() => isAlive(grandchild), { timeout: 5000 }).toBe(false);
  });

  it('ends a run that writes too much', async () => {
    const body = `setInterval(() => fs.appendFileSync(out, line(0, '').repeat(1000)), 5);`;
    const result = await systemOf(body, { maxOutputBytes: 100_000 }).measure(request);
    expect(result).toEqual({ ok: false, reason: 'more than 100000 bytes in RX_OUT' });
  });

  it('stops the whole run of rx when it is interrupted', async () => {
    const abort = new AbortController();
    const started = join(directory, 'started');
    const body = `fs.writeFileSync(${JSON.stringify(started)}, ''); setInterval(() => {}, 1000);`;
    const running = systemOf(body, {}, abort.signal).measure(request);
    const outcome = expect(running).rejects.toThrow('interrupted');
    await expect.poll(() => existsSync(started), { timeout: 10_000 }).toBe(true);
    abort.abort();
    await outcome;
    await expect(systemOf(GOOD, {}, abort.signal).measure(request)).rejects.toThrow('interrupted');
  });

  it('leaves no file behind', async () => {
    const before = readdirSync(tmpdir()).filter((name) => name.startsWith('rx-run-'));
    await systemOf(GOOD).measure(request);
    expect(readdirSync(tmpdir()).filter((name) => name.startsWith('rx-run-'))).toEqual(before);
  });
});

describe('A/A check', () => {
  it('recognises a system that repeats itself for the same seed', async () => {
    const check = await runAaCheck(systemOf(GOOD), { workers: 3 }, 5, 3);
    expect(check).toEqual({
      n_pairs: 3,
      n_dropped: 0,
      p_first_worse: 1,
      p_second_worse: 1,
      reproducible: true,
      broken: null,
    });
  });

  it('refuses a harness that carries something over from run to run', async () => {
    let runs = 0;
    const leaking: SystemUnderTest = {
      measure: async () => {
        runs += 1;
        return { ok: true, metrics: { actions: 60, failures: runs % 2 === 0 ? 25 : 20, by_class: {} } };
      },
      trace: async () => ({ ok: false, reason: '' }),
    };
    const check = await runAaCheck(leaking, {}, 5, 10);
    expect(check).toMatchObject({
      reproducible: false,
      n_pairs: 10,
      p_second_worse: 1 / 1024,
      p_first_worse: 1,
    });
    expect(check.broken).toContain('differs from itself');
  });

  it('tolerates luck', async () => {
    const random = new Mt19937(4);
    const noisy: SystemUnderTest = {
      measure: async () => ({ ok: true, metrics: { actions: 60, failures: random.below(30), by_class: {} } }),
      trace: async () => ({ ok: false, reason: '' }),
    };
    expect(await runAaCheck(noisy, {}, 5, 10)).toMatchObject({ reproducible: false, broken: null });
  });

  it('refuses a system that loses its runs', async () => {
    const check = await runAaCheck(systemOf('process.exit(1)'), {}, 5, 10);
    expect(check.broken).toContain('pairs were lost');
    expect(check.reproducible).toBe(false);
  });
});

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

function hash(text: string): number {
  return [...text].reduce((sum, char) => (sum * 31 + char.charCodeAt(0)) | 0, 7);
}
