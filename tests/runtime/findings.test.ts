import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { Finding } from '../../src/reactor/findings/finding.js';
import { findingId } from '../../src/reactor/findings/finding-id.js';
import { findingsPath } from '../../src/reactor/store/paths.js';
import { parseMoment } from '../../src/runtime/findings/filter.js';
import { run } from '../../src/runtime/findings.js';
import { CLI, cleanEnv } from '../support/cli.js';
import { runCommand } from '../support/command-io.js';
import { tempDir } from '../support/temp-dir.js';

function finding(tick: number, changes: Partial<Finding> = {}): Finding {
  return {
    tick_index: tick,
    timestamp_unix: 1_772_442_000 + tick * 60,
    symptom_name: 'disk_pressure',
    severity: 'high',
    summary: `disk / is full, tick ${tick}`,
    intents: [{ intent_type: 'alert', payload: { severity: 'high', summary: 'x' } }],
    evidence: { mountpoint: '/', hint: '\u001b[31mred\u001b[0m' },
    rca_text: '',
    subject: { mountpoint: '/' },
    cooldown_until_tick: tick + 5,
    ...changes,
  };
}

function session(...findings: readonly Finding[]): string {
  const directory = tempDir();
  const path = findingsPath(directory, 's');
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, findings.map((one) => `${JSON.stringify(one)}\n`).join(''));
  return directory;
}

const list = (directory: string, ...args: string[]) =>
  runCommand(run, ['list', '--session-dir', directory, '--session-id', 's', ...args]);

describe('findings list', () => {
  const low = finding(1, { severity: 'low', symptom_name: 'rule_failed', subject: {} });
  const medium = finding(2, { severity: 'medium' });
  const high = finding(3);

  it('shows every finding in 80 columns, without colour where there is no terminal', async () => {
    const { code, stdout } = await list(session(low, medium, high));
    expect(code).toBe(0);
    expect(stdout.match(/^[0-9a-f]{8} /gm)).toHaveLength(3);
    expect(stdout).not.toContain('\u001b');
    for (const line of stdout.split('\n')) expect(line.length).toBeLessThanOrEqual(80);
  });

  it.each<[string[], number[]]>([
    [
      ['--severity', 'medium'],
      [2, 3],
    ],
    [['--severity', 'HIGH'], [3]],
    [['--symptom', 'rule_failed'], [1]],
    [
      ['--since', '1772442120'],
      [2, 3],
    ],
    [['--until', '2026-03-02T09:01:00Z'], [1]],
  ])('filters by %j', async (args, ticks) => {
    const { stdout } = await list(session(low, medium, high), '--json', ...args);
    expect(
      stdout
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line).tick_index),
    ).toEqual(ticks);
  });

  it('counts lines that it cannot read, and goes on', async () => {
    const directory = session(high);
    appendFileSync(findingsPath(directory, 's'), '{"torn": \n');
    const { code, stdout, stderr } = await list(directory);
    expect(code).toBe(0);
    expect(stdout).toContain('tick 3');
    expect(stderr).toContain('1 unreadable');
  });

  it('says so when nothing matches, and when the question makes no sense', async () => {
    expect((await list(session(low), '--severity', 'high')).stderr).toBe('no findings match\n');
    for (const args of [
      ['--severity', 'urgent'],
      ['--since', 'yesterday'],
    ]) {
      expect(await list(session(low), ...args)).toMatchObject({
        code: 2,
        stderr: expect.stringMatching(/^RA_USAGE: /),
      });
    }
    const nowhere = await runCommand(run, ['list', '--session-dir', '/nonexistent']);
    expect(nowhere).toMatchObject({ code: 2, stderr: expect.stringMatching(/^RA_SESSION_DIR: /) });
  });
});

describe('findings show', () => {
  it('shows one finding whole, foreign control characters made harmless', async () => {
    const one = finding(3);
    const directory = session(one);
    const { code, stdout } = await runCommand(run, [
      ...['show', findingId(one), '--session-dir', directory, '--session-id', 's'],
    ]);
    expect(code).toBe(0);
    expect(stdout).toContain('evidence:');
    expect(stdout).toContain('"mountpoint": "/"');
    expect(stdout).not.toContain('\u001b');
  });

  it('ends with 1 for an id that is not there', async () => {
    const outcome = await runCommand(run, ['show', 'ffffffff', '--session-dir', session(finding(1))]);
    expect(outcome).toMatchObject({ code: 1, stderr: expect.stringMatching(/^RA_FINDING_UNKNOWN: /) });
  });
});

describe('findings tail', () => {
  it('shows the last ones', async () => {
    const directory = session(finding(1), finding(2), finding(3));
    const { stdout } = await runCommand(run, ['tail', '-n', '2', '--json', '--session-dir', directory]);
    expect(
      stdout
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line).tick_index),
    ).toEqual([2, 3]);
  });

  it('follows the file through a torn write and a rotation until it is interrupted', async () => {
    const directory = session(finding(1));
    const path = findingsPath(directory, 's');
    const child = spawn(
      process.execPath,
      [CLI, 'findings', 'tail', '-f', '--json', '--session-dir', directory],
      {
        env: cleanEnv(),
      },
    );
    onTestFinished(() => void child.kill('SIGKILL'));
    let out = '';
    child.stdout.on('data', (chunk: Buffer) => {
      out += chunk.toString();
    });
    const ticks = () =>
      out
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line).tick_index);
    await vi.waitFor(() => expect(ticks()).toEqual([1]), 10_000);
    const next = JSON.stringify(finding(2));
    appendFileSync(path, next.slice(0, 50));
    appendFileSync(path, `${next.slice(50)}\n`);
    await vi.waitFor(() => expect(ticks()).toEqual([1, 2]), 10_000);
    renameSync(path, path.replace('.jsonl', '.1.jsonl'));
    writeFileSync(path, `${JSON.stringify(finding(3))}\n`);
    await vi.waitFor(() => expect(ticks()).toEqual([1, 2, 3]), 10_000);
    child.kill('SIGINT');
    expect((await once(child, 'close'))[0]).toBe(0);
  });
});

describe('a moment', () => {
  it.each([
    ['30m', 1000 - 1800],
    ['1.5h', 1000 - 5400],
    ['1772442000', 1_772_442_000],
    ['2026-03-02T09:00:00', 1_772_442_000],
    ['2026-03-02T10:00:00+01:00', 1_772_442_000],
  ])('%s', (text, unix) => {
    expect(parseMoment(text, 1000)).toBe(unix);
  });
});
