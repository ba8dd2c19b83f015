import { spawnSync } from 'node:child_process';
import {
  closeSync,
  ftruncateSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { stamp } from '../../investigate/session/build-session.js';

const MIB = 2 ** 20;
const CLI = resolve('dist/cli.js');

let directory: string;

/** A log of the given size whose last part is real text; the rest is a hole, which no disk has to hold. */
function writeLog(task: string, bytes: number, tail: string): void {
  const folder = join(directory, 'runs/explore', task);
  mkdirSync(folder, { recursive: true });
  const fd = openSync(join(folder, 'server.log'), 'w');
  try {
    ftruncateSync(fd, bytes);
    writeSync(fd, tail, bytes - Buffer.byteLength(tail));
  } finally {
    closeSync(fd);
  }
}

beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'large-'));
  const now = Date.now() / 1000;
  const line = (index: number): string =>
    `${stamp(now - 60)} INFO 200 OK request ${index} handled in 12 ms\n`;
  const text = Array.from({ length: 300_000 }, (_, index) => line(index)).join('');
  for (const task of ['t-1', 't-2', 't-3', 't-4']) {
    writeLog(task, 256 * MIB, `\n${text}${stamp(now - 5)} ERROR HIP out of memory\n`);
  }
  // One file larger than any memory, without a single line.
  writeLog('t-5', 10 * 1024 * MIB, 'no newline anywhere');
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

describe('a session with more logs than memory', () => {
  it('is investigated within 300 MiB and its time', () => {
    const probe = join(directory, 'probe.cjs');
    writeFileSync(
      probe,
      "process.on('exit', () => process.stderr.write('peak ' + process.resourceUsage().maxRSS + '\\n'));",
    );
    const begun = performance.now();
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      ['--require', probe, CLI, 'investigate', 'the server died', '--session-dir', directory, '--json'],
      {
        encoding: 'utf8',
        env: { PATH: process.env['PATH'], ROBUSTNESS_DISABLE_LOCAL_PROBE: '1' },
        timeout: 50_000,
      },
    );
    expect([status, stderr.replace(/peak \d+\n/, '').replace(/^r\d+ .*\n/gm, '')]).toEqual([0, '']);
    const peakMib = Number(/peak (\d+)/.exec(stderr)?.[1]) / 1024;
    expect(peakMib).toBeLessThan(300);
    expect(performance.now() - begun).toBeLessThan(50_000);
    const result = JSON.parse(stdout);
    expect(result.root_cause).toMatchObject({ error_type: 'oom', confidence_level: 'low' });
    expect(result.warnings.join()).toContain('not everything was looked at');
    expect(readdirSync(join(directory, 'agents/robustness/investigations'))).toContain('index.jsonl');
  });
});
