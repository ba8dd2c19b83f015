import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { CLI, cleanEnv, runCli } from '../support/cli.js';
import { SessionBuilder } from '../support/session-builder.js';
import { tempDir } from '../support/temp-dir.js';

/** A session whose state and bus say that sweep fails again and again, and that it crashed. */
function troubledSession() {
  const session = new SessionBuilder({ parent: tempDir() });
  const db = session.database();
  onTestFinished(() => db.close());
  const now = Date.now() / 1000;
  session.manifest();
  session.state({ crash_count: 6, phase: 'EXPLORE', stop_reason: '' });
  for (let i = 0; i < 3; i += 1) {
    db.event({
      topic: 'delegated_result',
      payload: { kind: 'sweep', state: 'failed', task_id: `t${i}` },
      at: now - 60,
    });
  }
  for (const from of ['orchestration', 'critic']) db.event({ from, topic: 'heartbeat', at: now - 20 });
  return { session, db };
}

const QUIET = { ROBUSTNESS_EXTERNAL_DEPS_ENABLED: 'false', ROBUSTNESS_RAY_PROBE_ENABLED: 'false' };
const findingsOf = (dir: string) => join(dir, `agents/robustness/findings/${dir.split('/').at(-1)}.jsonl`);

describe('the standalone loop', () => {
  it('finds what is wrong without a prompt, in a state of its own', async () => {
    const { session } = troubledSession();
    const run = await runCli(['run', '--session-dir', session.dir, '--ticks', '1'], { env: QUIET });
    expect(run).toMatchObject({ code: 0, stderr: '' });
    expect(run.stdout).toContain('crash_count_high');
    expect(run.stdout).toContain('repeated_failure');
    const lines = readFileSync(findingsOf(session.dir), 'utf8').trim().split('\n');
    for (const line of lines) expect(JSON.parse(line)).toMatchObject({ origin: 'run', tick_index: 1 });
    expect(existsSync(session.path('agents/robustness/detector_state.run.json'))).toBe(true);
    expect(existsSync(session.path('agents/robustness/detector_state.json'))).toBe(false);
  });

  it('says a thing once, goes on, and ends on SIGTERM with its state saved', async () => {
    const { session } = troubledSession();
    const argv = [CLI, 'run', '--session-dir', session.dir, '--interval', '0.05'];
    const child = spawn(process.execPath, argv, { env: cleanEnv(QUIET) });
    onTestFinished(() => void child.kill('SIGKILL'));
    let out = '';
    child.stdout.on('data', (chunk: Buffer) => {
      out += chunk.toString();
    });
    const presence = findingsOf(session.dir).replace('/findings/', '/presence/');
    const ticks = () => (existsSync(presence) ? readFileSync(presence, 'utf8').trim().split('\n').length : 0);
    await vi.waitFor(() => expect(ticks()).toBeGreaterThan(3), 20_000);
    child.kill('SIGTERM');
    expect((await once(child, 'close'))[0]).toBe(0);
    expect(out.match(/crash_count_high/g)).toHaveLength(1);
    const state = JSON.parse(readFileSync(session.path('agents/robustness/detector_state.run.json'), 'utf8'));
    expect(state.standalone.tick).toBe(1);
  });

  it('writes the postmortem when the state shows a stop', async () => {
    const { session } = troubledSession();
    session.state({ crash_count: 6, stop_reason: 'target_reached' });
    await runCli(['run', '--session-dir', session.dir, '--ticks', '1'], { env: QUIET });
    expect(readFileSync(session.path('reports/robustness_postmortem.md'), 'utf8')).toContain(
      'stop_reason: `target_reached`',
    );
  });

  it('survives a state file that is no JSON', async () => {
    const { session } = troubledSession();
    session.file('state.json', '{"phase": ');
    const run = await runCli(['run', '--session-dir', session.dir, '--ticks', '1'], { env: QUIET });
    expect(run.code).toBe(0);
    expect(run.stdout).toContain('state_json_corrupt');
  });

  it('asks for a session when none is named', async () => {
    expect(await runCli(['run'])).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/^RA_SESSION_DIR: /),
    });
  });
});

describe('doctor', () => {
  it('finds a good session in order', async () => {
    const { session } = troubledSession();
    const run = await runCli(['doctor', '--session-dir', session.dir], { env: QUIET });
    expect(run).toMatchObject({ code: 0, stderr: '' });
    expect(run.stdout).toMatch(/^ok {4}database {2,}readable beside its writer/m);
    expect(run.stdout).toMatch(/root cause {2,}RCA is off/);
    // A path stays in one piece, so that it can be copied.
    for (const line of run.stdout.split('\n'))
      if (!line.includes('/')) expect(line.length).toBeLessThanOrEqual(80);
  });

  it('says what is wrong with a bad one, and what to do', async () => {
    const { session, db } = troubledSession();
    db.close();
    session.file('storage/coordinator.db', 'garbage'.repeat(2000));
    session.file('state.json', '[');
    session.file('robustness.config.json', '{"colour": "red"}');
    const run = await runCli(['doctor', '--session-dir', session.dir, '--json'], { env: QUIET });
    expect(run.code).toBe(1);
    const failed = JSON.parse(run.stdout).filter((check: { status: string }) => check.status === 'fail');
    expect(failed.map((check: { name: string }) => check.name)).toEqual(['settings', 'database', 'state']);
    for (const check of failed) expect(check.todo).toBeTruthy();
  });

  it('notices a clock that is behind', async () => {
    const { session, db } = troubledSession();
    db.event({ topic: 'heartbeat', from: 'critic', at: Date.now() / 1000 + 3600 });
    const run = await runCli(['doctor', '--session-dir', session.dir], { env: QUIET });
    expect(run.code).toBe(1);
    expect(run.stdout).toMatch(/^fail {2}clock/m);
  });
});

describe('a reader that has seen enough', () => {
  it('is no failure', async () => {
    const { session } = troubledSession();
    writeFileSync(session.path('x'), '');
    const child = spawn('sh', ['-c', `"${process.execPath}" "${CLI}" rules list | head -n 1`], {
      env: cleanEnv(),
    });
    let out = '';
    child.stdout.on('data', (chunk: Buffer) => {
      out += chunk.toString();
    });
    expect((await once(child, 'close'))[0]).toBe(0);
    expect(out.trim().split('\n')).toHaveLength(1);
  });
});
