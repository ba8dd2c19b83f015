import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { runCli } from '../support/cli.js';
import { CoordinatorDb } from '../support/coordinator-db.js';
import { tempDir } from '../support/temp-dir.js';
import { requestFiles } from '../support/tick-request.js';

/** A key such as people paste into a command line; it must not be in what leaves the machine. */
const SECRET = 'sk-canary0123456789abcdef';

describe('a recording', () => {
  it('is decided by replay exactly as the ticks were, from the state in which it began', async () => {
    const sessionDir = tempDir();
    const writer = new CoordinatorDb(join(sessionDir, 'storage/coordinator.db'));
    onTestFinished(() => writer.close());
    const recording = join(tempDir(), 'session.jsonl');
    const live: unknown[] = [];
    const start = Math.floor(Date.now() / 1000);
    for (let tick = 1; tick <= 6; tick += 1) {
      const now = start + tick * 60;
      writer.event({
        topic: 'delegated_result',
        payload: { kind: 'sweep', state: 'failed', task_id: `t${tick}`, error: `key ${SECRET}` },
        at: now - 5,
      });
      const options = {
        disable_local_probe: false,
        ray_probe_enabled: false,
        delegated_failure_threshold: 3,
      };
      const { request, out } = requestFiles(sessionDir, {
        sessionDir,
        tick,
        nowUnix: now,
        crashCount: tick,
        options,
      });
      // The first tick is not recorded, so the recording begins with a state that is not empty.
      const record = tick === 1 ? [] : ['--record', recording];
      const run = await runCli(['tick', '--request', request, '--out', out, ...record]);
      expect(run.code).toBe(0);
      if (tick > 1) live.push(JSON.parse(readFileSync(out, 'utf8')));
    }
    const replayed = await runCli(['replay', recording]);
    expect(replayed).toMatchObject({ code: 0, stderr: '' });
    const lines = replayed.stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines.map(({ intent_envelope, parse_warnings }) => ({ intent_envelope, parse_warnings }))).toEqual(
      live.map((emit) => {
        const { intent_envelope, parse_warnings } = emit as {
          intent_envelope: unknown;
          parse_warnings: unknown;
        };
        return { intent_envelope, parse_warnings };
      }),
    );
    expect(lines.some(({ findings }) => findings.length > 0)).toBe(true);
    expect(readFileSync(recording, 'utf8')).not.toContain(SECRET);
  });

  it('can be tried under other settings, odd ones included', async () => {
    const sessionDir = tempDir();
    const recording = join(tempDir(), 'session.jsonl');
    const { request } = requestFiles(sessionDir, { sessionDir, crashCount: 5 });
    await runCli(['tick', '--request', request, '--record', recording]);
    const config = join(sessionDir, 'other.json');
    writeFileSync(config, JSON.stringify({ crash_high_threshold: 50, cooldown_ticks: -1, colour: 'red' }));
    const run = await runCli(['replay', recording, '--config', config]);
    expect(run.code).toBe(0);
    expect(JSON.parse(run.stdout).findings[0].severity).toBe('medium');
    expect(run.stderr).toMatch(/colour/);
  });

  it('with a line that is none says where, and decides the others', async () => {
    const sessionDir = tempDir();
    const recording = join(tempDir(), 'session.jsonl');
    const { request } = requestFiles(sessionDir, { sessionDir });
    await runCli(['tick', '--request', request, '--record', recording]);
    writeFileSync(recording, `{"request": 5}\n${readFileSync(recording, 'utf8')}`);
    const run = await runCli(['replay', recording]);
    expect(run.code).toBe(2);
    expect(run.stderr).toMatch(/^RA_RECORDING: .*:1: request/);
    expect(run.stdout.trim().split('\n')).toHaveLength(1);
  });
});
