import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it, vi } from 'vitest';
import { defaultsOf } from '../../src/foreign/config-field.js';
import { collectSnapshot } from '../../src/sources/collect.js';
import { type SourcesConfig, sourcesFields } from '../../src/sources/config.js';
import { NOW } from './support/collector-env.js';
import { fixture } from './support/fixture.js';
import { mountObstacle, stoppableMount } from './support/hung-mount.js';
import { tcpServer } from './support/servers.js';
import { StandIns } from './support/stand-in.js';
import { temporaryDirectory, writeTree } from './support/tree.js';

const obstacle = mountObstacle();
if (obstacle !== null) console.warn(`no hung file system in this test: ${obstacle}`);

async function look(tools: StandIns, env: Record<string, string>, config: Partial<SourcesConfig>) {
  const started = performance.now();
  const collected = await collectSnapshot({
    sessionDir: writeTree(temporaryDirectory(), {
      'manifest.json': '{"tp": 1}',
      'state.json': '{"tick": 1}',
    }),
    config: { ...defaultsOf(sourcesFields), ...config },
    env: { PATH: tools.path, ...env },
    nowUnix: NOW,
    promptDriven: true,
    memory: {},
    deadline: { signal: new AbortController().signal, remainingMs: () => 20_000 },
  });
  return { ...collected, ms: performance.now() - started };
}

/** Command lines of processes that mention a text, zombies left out. */
function processesWith(text: string): string[] {
  return readdirSync('/proc').flatMap((pid) => {
    try {
      const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
      return command.includes(text) && Number(pid) !== process.pid ? [command] : [];
    } catch {
      return [];
    }
  });
}

describe('a slow machine', () => {
  it('costs the time of its slowest part, not the sum', async () => {
    const tools = new StandIns();
    tools.prints('table', fixture('gpu/rocm-smi-6.2.csv')).prints('status', fixture('ray/status-2.9.txt'));
    tools.add('rocm-smi', `sleep 1.5; cat "${tools.directory}/table.out"`);
    tools.add('ray', `sleep 2; cat "${tools.directory}/status.out"`);
    const silent = await tcpServer(() => undefined);
    const { snapshot, ms } = await look(tools, {}, { health_probe_targets: [silent.url] });
    expect(snapshot.collectors).toMatchObject({
      gpu: { status: 'ok' },
      ray: { status: 'ok' },
      health: { status: 'ok' },
      state: { status: 'ok' },
      manifest: { status: 'ok' },
    });
    expect(snapshot.local_ray).toMatchObject({ healthy: true });
    expect(snapshot.local_server_health).toMatchObject([{ error: 'timeout', fail_streak: 1 }]);
    expect(ms).toBeLessThan(3500);
  });

  it('on which everything hangs yields the rest, says what hung, and keeps nothing of ours running', async () => {
    const tools = new StandIns();
    const stubborn = 'trap "" TERM INT HUP; sleep 611 & sleep 612 & wait; wait; sleep 613';
    tools.add('amd-smi', stubborn).add('rocm-smi', stubborn).add('nvidia-smi', stubborn).add('ray', stubborn);
    const silent = await tcpServer(() => undefined);
    const mount = obstacle === null ? await stoppableMount() : null;
    mount?.stop();
    const env = {
      OPENAI_BASE_URL: `http://127.0.0.1:${silent.port}/v1`,
      ...(mount ? { TRACELENS_ROOT: mount.path } : {}),
    };
    const { snapshot, ms, warnings } = await look(tools, env, {
      health_probe_targets: [silent.url],
      sources_deadline_s: 3,
      ray_probe_timeout_s: 1,
      external_mount_stat_timeout_s: 1,
    });
    expect(ms).toBeLessThan(4500);
    expect(snapshot.collectors).toMatchObject({
      gpu: { status: 'timeout' },
      ray: { status: 'timeout' },
      mounts: { status: mount ? 'timeout' : 'empty' },
      state: { status: 'ok' },
      manifest: { status: 'ok' },
      disk: { status: 'ok' },
    });
    expect(snapshot.local_gpu).toEqual({});
    expect(snapshot.local_ray).toEqual({});
    expect(warnings.join('\n')).toMatch(/gpu/);
    // They have got their SIGKILL by now; the kernel may need a moment.
    await vi.waitFor(() => {
      expect(processesWith(tools.directory)).toEqual([]);
      expect(processesWith('sleep 61')).toEqual([]);
    }, 2000);
  });
});
