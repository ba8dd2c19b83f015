import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { acquireWorkerLock, startOf } from '../../../src/investigate/store/worker-lock.js';
import { tempDir } from '../../support/temp-dir.js';

describe('the lock of a worker', () => {
  it('names its holder, keeps others out, and is gone after it', () => {
    const root = tempDir();
    const lock = acquireWorkerLock(root);
    expect(JSON.parse(readFileSync(join(root, 'worker.lock'), 'utf8'))).toEqual({
      pid: process.pid,
      start_unix: expect.any(Number),
    });
    expect(acquireWorkerLock(root)).toBeNull();
    lock?.release();
    expect(acquireWorkerLock(root)).not.toBeNull();
  });

  it.each<[string, () => object | string]>([
    ['of a process that has ended', () => ({ pid: spawnSync('true').pid, start_unix: 1 })],
    ['of a pid that is another process by now', () => ({ pid: process.ppid, start_unix: 1 })],
    ['that is none', () => 'torn'],
  ])('%s is stale', (_what, content) => {
    const root = tempDir();
    const value = content();
    writeFileSync(join(root, 'worker.lock'), typeof value === 'string' ? value : JSON.stringify(value));
    expect(acquireWorkerLock(root)).not.toBeNull();
  });

  it('of a process that lives is none of ours', () => {
    const root = tempDir();
    const held = JSON.stringify({ pid: process.ppid, start_unix: startOf(process.ppid) });
    writeFileSync(join(root, 'worker.lock'), held);
    expect(acquireWorkerLock(root)).toBeNull();
    expect(readFileSync(join(root, 'worker.lock'), 'utf8')).toBe(held);
  });
});
