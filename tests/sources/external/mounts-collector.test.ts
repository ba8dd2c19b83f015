import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { objectOr, objectsOf } from '../../../src/foreign/json.js';
import { mountsCollector } from '../../../src/sources/external/mounts-collector.js';
import { readProcStat } from '../../../src/sources/liveness.js';
import { endTools } from '../../../src/sources/tools/tool-groups.js';
import { collectorEnv, type EnvChanges } from '../support/collector-env.js';
import { mountObstacle, stoppableMount } from '../support/hung-mount.js';
import { temporaryDirectory, writeTree } from '../support/tree.js';

const obstacle = mountObstacle();
if (obstacle !== null) console.warn(`the tests on a hung file system are left out: ${obstacle}`);

async function look(changes: EnvChanges) {
  const env = { ...collectorEnv(changes), procRoot: '/proc' };
  const answer = await mountsCollector.collect(env, new AbortController().signal);
  return { answer, mounts: objectsOf(objectOr(answer.slots.local_external_deps)['mounts']) };
}

/** Processes whose command line mentions a text. */
function processesOn(text: string): string[] {
  const listing = spawnSync('pgrep', ['-f', '-a', text], { encoding: 'utf8' }).stdout.trim();
  return listing.split('\n').filter((line) => line.includes('mounted') && !/bindfs|pgrep/.test(line));
}

describe('external mounts', () => {
  it('are those of the three variables that are set, in their order', async () => {
    const directory = writeTree(temporaryDirectory(), { file: 'x' });
    const { mounts, answer } = await look({
      env: {
        INFERENCEX_PATH: `${directory}/file`,
        TRACELENS_ROOT: ` ${directory} `,
        TRACELENS_INTERNAL_ROOT: `${directory}/gone`,
      },
    });
    expect(answer.verdicts.mounts?.status).toBe('ok');
    expect(mounts).toEqual([
      {
        env_name: 'TRACELENS_ROOT',
        path: directory,
        ok: true,
        error: null,
        latency_ms: expect.any(Number),
        timeout_ms: 5000,
      },
      {
        env_name: 'TRACELENS_INTERNAL_ROOT',
        path: `${directory}/gone`,
        ok: false,
        error: 'not_found',
        latency_ms: expect.any(Number),
        timeout_ms: 5000,
      },
      expect.objectContaining({ env_name: 'INFERENCEX_PATH', ok: true, error: null }),
    ]);
  });

  it('are empty when nothing is set', async () => {
    const { answer, mounts } = await look({ env: { TRACELENS_ROOT: '  ' } });
    expect(answer.verdicts.mounts?.status).toBe('empty');
    expect(mounts).toEqual([]);
  });

  it('tell a path below a file from a missing one', async () => {
    const directory = writeTree(temporaryDirectory(), { file: 'x' });
    const { mounts } = await look({ env: { TRACELENS_ROOT: `${directory}/file/below` } });
    expect(mounts[0]).toMatchObject({ ok: false, error: 'oserror: OSError: ENOTDIR' });
  });

  describe.skipIf(obstacle !== null)('on a file system that hangs', () => {
    const config = { external_mount_stat_timeout_s: 0.6 };

    it('answer with a timeout within their limit, the others beside it, and leave nothing behind', async () => {
      const mount = await stoppableMount();
      const good = temporaryDirectory();
      const env = { TRACELENS_ROOT: mount.path, TRACELENS_INTERNAL_ROOT: good, INFERENCEX_PATH: mount.path };
      const before = await look({ env, config: { external_mount_stat_timeout_s: 5 } });
      expect(before.mounts.map((row) => row['ok'])).toEqual([true, true, true]);

      mount.stop();
      const started = performance.now();
      const { answer, mounts } = await look({ env, config });
      expect(performance.now() - started).toBeLessThan(1500);
      expect(answer.verdicts.mounts).toMatchObject({ status: 'timeout', reason: 'deadline' });
      expect(mounts.map((row) => [row['ok'], row['error']])).toEqual([
        [false, 'timeout'],
        [true, null],
        [false, 'timeout'],
      ]);
      expect(mounts[0]).toMatchObject({ latency_ms: 600, timeout_ms: 600 });
      await endTools(1000);
      // They have got their SIGKILL by now; the kernel may need a moment.
      await vi.waitFor(() => expect(processesOn(mount.path)).toEqual([]), 2000);
    });
  });

  it('are not asked a second time while the first child hangs', async () => {
    const directory = temporaryDirectory();
    const env = { TRACELENS_ROOT: directory };
    // Stands for a child that even SIGKILL does not end.
    const child = spawn('sleep', ['600'], { stdio: 'ignore' });
    onTestFinished(() => void child.kill('SIGKILL'));
    const pid = child.pid ?? 0;
    const start_ticks = readProcStat('/proc', pid)?.startTicks ?? 0;
    const memory = { mounts: { [directory]: { pid, start_ticks } } };

    const second = await look({ env, memory });
    expect(second.mounts).toMatchObject([{ ok: false, error: 'timeout', latency_ms: 5000 }]);
    expect(second.answer.memory).toEqual(memory);

    const reused = { mounts: { [directory]: { pid, start_ticks: start_ticks - 1 } } };
    expect((await look({ env, memory: reused })).mounts).toMatchObject([{ ok: true }]);

    child.kill('SIGKILL');
    await once(child, 'exit');
    const third = await look({ env, memory });
    expect(third.mounts).toMatchObject([{ ok: true }]);
    expect(third.answer.memory).toEqual({ mounts: undefined });
  });
});
