import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { acquireLock, processStartTime } from '../../../src/reactor/store/state-lock.js';
import { tempDir } from '../../support/temp-dir.js';

const lockPath = () => join(tempDir(), 'agents', 'detector_state.lock');

async function sleeper(): Promise<number> {
  const child = spawn('sleep', ['60'], { stdio: 'ignore' });
  onTestFinished(() => {
    child.kill('SIGKILL');
  });
  await once(child, 'spawn');
  return child.pid ?? 0;
}

describe('the lock of the detector state', () => {
  it('names its owner and goes when it is released', async () => {
    const path = lockPath();
    const outcome = await acquireLock(path);
    expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual({
      pid: process.pid,
      start_time: processStartTime('self'),
      host: hostname(),
    });
    if (outcome.held) outcome.lock.release();
    expect(readdirSync(join(path, '..'))).toEqual([]);
  });

  it('is not given twice while its owner lives', async () => {
    const path = lockPath();
    const first = await acquireLock(path);
    expect(first.held).toBe(true);
    const second = await acquireLock(path, 50);
    expect(second).toMatchObject({ held: false, why: expect.stringContaining(String(process.pid)) });
  });

  it('is given on as soon as it is released', async () => {
    const path = lockPath();
    const first = await acquireLock(path);
    const waiting = acquireLock(path, 10_000);
    if (first.held) first.lock.release();
    expect((await waiting).held).toBe(true);
  });

  it('is taken over from a process that was killed', async () => {
    const path = lockPath();
    await acquireLock(path).then((outcome) => outcome.held && outcome.lock.release());
    const pid = await sleeper();
    writeFileSync(path, JSON.stringify({ pid, start_time: processStartTime(pid), host: hostname() }));
    expect((await acquireLock(path, 50)).held).toBe(false);
    process.kill(pid, 'SIGKILL');
    expect((await acquireLock(path, 10_000)).held).toBe(true);
  });

  it('is taken over when the pid belongs to another process by now', async () => {
    const path = lockPath();
    await acquireLock(path).then((outcome) => outcome.held && outcome.lock.release());
    const pid = await sleeper();
    writeFileSync(path, JSON.stringify({ pid, start_time: 1, host: hostname() }));
    expect((await acquireLock(path, 1000)).held).toBe(true);
  });

  it('of another host is respected', async () => {
    const path = lockPath();
    await acquireLock(path).then((outcome) => outcome.held && outcome.lock.release());
    writeFileSync(path, JSON.stringify({ pid: 1, start_time: 1, host: 'elsewhere' }));
    expect((await acquireLock(path, 50)).held).toBe(false);
    expect(existsSync(path)).toBe(true);
  });

  it('that cannot be read is nobody’s', async () => {
    const path = lockPath();
    await acquireLock(path).then((outcome) => outcome.held && outcome.lock.release());
    writeFileSync(path, 'not json');
    expect((await acquireLock(path, 1000)).held).toBe(true);
  });

  it('says why it cannot be had where nothing can be written', async () => {
    expect(await acquireLock('/proc/none/detector_state.lock', 50)).toMatchObject({
      held: false,
      why: expect.stringContaining('cannot be written'),
    });
  });
});
