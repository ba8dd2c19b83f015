import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { defaultsOf } from '../../src/foreign/config-field.js';
import type { JsonObject } from '../../src/foreign/json.js';
import { cachePath } from '../../src/sources/cache.js';
import { type Collected, type CollectRequest, collectSnapshot } from '../../src/sources/collect.js';
import type { Collector, CollectorAnswer, CollectorEnv } from '../../src/sources/collector.js';
import { sourcesFields } from '../../src/sources/config.js';
import { COLLECTORS } from '../../src/sources/registry.js';
import { COLLECTOR_NAMES } from '../../src/sources/snapshot.js';
import { abortSignal } from '../../src/sources/tools/stop.js';
import { SessionBuilder } from '../support/session-builder.js';

let session: SessionBuilder;
beforeEach(() => {
  session = new SessionBuilder();
});
afterEach(() => session.remove());

function collect(over: Partial<CollectRequest> & { configOver?: JsonObject } = {}): Promise<Collected> {
  const { configOver, ...rest } = over;
  return collectSnapshot({
    sessionDir: session.dir,
    config: { ...defaultsOf(sourcesFields), ...configOver },
    env: { PATH: '/usr/bin:/bin' },
    nowUnix: Date.now() / 1000,
    promptDriven: true,
    memory: {},
    deadline: { signal: new AbortController().signal, remainingMs: () => 20_000 },
    joins: [],
    ...rest,
  });
}

function collector(over: Partial<Collector> & Pick<Collector, 'names' | 'collect'>): Collector {
  return { hostBound: false, needs: [], budgetMs: () => 2000, whenUnknown: {}, ...over };
}

const answer = (over: Partial<CollectorAnswer> = {}): CollectorAnswer => ({
  verdicts: {},
  slots: {},
  ...over,
});
const never = () => new Promise<CollectorAnswer>(() => undefined);

describe('collection', () => {
  it('runs collectors beside each other and gives each its own time', async () => {
    const started = performance.now();
    const slow = (name: 'ray' | 'gpu' | 'fd') =>
      collector({
        names: [name],
        collect: () => delay(200).then(() => answer({ slots: { local_ray: { [name]: true } } })),
      });
    const { snapshot } = await collect({ collectors: [slow('ray'), slow('gpu'), slow('fd')] });
    expect(performance.now() - started).toBeLessThan(550);
    expect(snapshot.local_ray).toEqual({ ray: true, gpu: true, fd: true });
    expect(snapshot.collectors).toMatchObject({
      ray: { status: 'ok' },
      gpu: { status: 'ok' },
      fd: { status: 'ok' },
    });
  });

  it('does not wait for one that never answers, and tells it to stop', async () => {
    let stopped = false;
    const hung = collector({
      names: ['mounts'],
      budgetMs: () => 50,
      whenUnknown: { local_external_deps: { mounts: null } },
      collect: (_env, signal) => {
        abortSignal(signal).addEventListener('abort', () => {
          stopped = true;
        });
        return never();
      },
    });
    const fine = collector({
      names: ['tracelens'],
      collect: async () => answer({ slots: { local_external_deps: { tracelens_cli: {} } } }),
    });
    const { snapshot, warnings } = await collect({ collectors: [hung, fine] });
    expect(stopped).toBe(true);
    expect(snapshot.collectors?.mounts).toMatchObject({ status: 'timeout', reason: 'deadline' });
    expect(snapshot.local_external_deps).toEqual({ mounts: null, tracelens_cli: {} });
    expect(snapshot.degraded_reason).toContain('mounts: timeout');
    expect(warnings).toEqual([expect.stringContaining('collector mounts: timeout')]);
  });

  it('isolates one that breaks, at once or later', async () => {
    const broken = (name: 'ray' | 'gpu', fail: () => Promise<CollectorAnswer>) =>
      collector({ names: [name], collect: fail });
    const { snapshot } = await collect({
      collectors: [
        broken('ray', () => Promise.reject(new TypeError('odd'))),
        broken('gpu', () => {
          throw new RangeError('worse');
        }),
        collector({
          names: ['memory'],
          collect: async () => answer({ slots: { local_memory: { total_mb: 1 } } }),
        }),
      ],
    });
    expect(snapshot.collectors).toMatchObject({
      ray: { status: 'error', reason: 'exception', detail: 'TypeError: odd' },
      gpu: { status: 'error', detail: 'RangeError: worse' },
      memory: { status: 'ok' },
    });
    expect(snapshot.local_memory).toEqual({ total_mb: 1 });
  });

  it('gives facts to those that need them, whatever their order in the list', async () => {
    const seen: unknown[] = [];
    const reader = collector({
      names: ['health'],
      needs: ['processes', 'state'],
      collect: async (env: CollectorEnv) => {
        seen.push(env.facts.stateJson, env.facts.manifest);
        return answer();
      },
    });
    const provider = collector({
      names: ['state'],
      collect: () => delay(30).then(() => answer({ facts: { stateJson: { a: 1 } } })),
    });
    const failing = collector({ names: ['processes'], budgetMs: () => 20, collect: never });
    await collect({ collectors: [reader, provider, failing] });
    expect(seen).toEqual([{ a: 1 }, undefined]);
  });

  it('ends at its limit, and what has not begun by then is late', async () => {
    const started = performance.now();
    const { snapshot } = await collect({
      configOver: { sources_deadline_s: 0.1 },
      collectors: [
        collector({ names: ['state'], collect: never }),
        collector({ names: ['processes'], needs: ['state'], collect: async () => answer() }),
        collector({ names: ['memory'], collect: async () => answer() }),
      ],
    });
    expect(performance.now() - started).toBeLessThan(600);
    expect(snapshot.collectors).toMatchObject({
      state: { status: 'timeout' },
      processes: { status: 'timeout' },
      memory: { status: 'ok' },
    });
  });

  it('never goes beyond the time of its caller, nor past its signal', async () => {
    const stop = new AbortController();
    setTimeout(() => stop.abort(), 40);
    const started = performance.now();
    const hung = collector({ names: ['state'], budgetMs: () => 9000, collect: never });
    await collect({ collectors: [hung], deadline: { signal: stop.signal, remainingMs: () => 5000 } });
    await collect({
      collectors: [hung],
      deadline: { signal: new AbortController().signal, remainingMs: () => 50 },
    });
    expect(performance.now() - started).toBeLessThan(1000);
  });

  it('serves the quiet snapshot with the real cause when not one collector answered', async () => {
    const { snapshot, memory } = await collect({
      configOver: { source_fail_threshold: 1 },
      collectors: [
        collector({
          names: ['gpu'],
          whenUnknown: { local_shm: null },
          collect: () => Promise.reject(new Error('no luck')),
        }),
      ],
    });
    expect(snapshot).toMatchObject({
      sources_used: ['quiet-fallback'],
      local_processes_known: false,
      local_shm: null,
    });
    expect(snapshot.collectors?.gpu?.detail).toContain('no luck');
    expect(memory['router']).toMatchObject({ 'local-probe': { state: 'degraded', fail_streak: 1 } });
  });

  it('remembers what collectors want remembered, in the state and in the cache file', async () => {
    const remember = (memory: JsonObject, cache: JsonObject) =>
      collect({
        memory: { a: 1, b: 2 },
        collectors: [collector({ names: ['gpu'], collect: async () => answer({ memory, cache }) })],
      });
    const { memory } = await remember({ b: undefined, c: 3 }, { mounts: { pid: 7 } });
    expect(memory).toMatchObject({ a: 1, c: 3 });
    expect(memory).not.toHaveProperty('b');
    expect(JSON.parse(readFileSync(cachePath(session.dir), 'utf8'))).toEqual({ mounts: { pid: 7 } });
    await remember({}, { gateway: 'x', mounts: undefined, huge: 'y'.repeat(2 ** 21) });
    expect(JSON.parse(readFileSync(cachePath(session.dir), 'utf8'))).toEqual({ gateway: 'x' });
    writeFileSync(cachePath(session.dir), '{"torn');
    await remember({}, { fresh: 1 });
    expect(JSON.parse(readFileSync(cachePath(session.dir), 'utf8'))).toEqual({ fresh: 1 });
  });

  it('lets a failing join change nothing', async () => {
    const { snapshot, notes } = await collect({
      collectors: [
        collector({ names: ['gpu'], collect: async () => answer({ slots: { local_gpu: { tool: 'x' } } }) }),
      ],
      joins: [
        {
          name: 'odd',
          join: () => {
            throw new Error('no');
          },
        },
        { name: 'fine', join: () => ({ local_memory: { joined: true } }) },
      ],
    });
    expect(snapshot).toMatchObject({ local_gpu: { tool: 'x' }, local_memory: { joined: true } });
    expect(notes).toMatchObject([{ level: 'error', fields: { fault: 'odd: Error: no' } }]);
  });
});

describe('a session on a file system that does not answer', () => {
  it('costs one short question, and the machine is still seen', async () => {
    session.file(
      'proc/self/mountinfo',
      `1 0 8:1 / / rw - ext4 x rw\n2 1 0:40 / ${session.dir} rw - nfs4 server:/x rw\n`,
    );
    const ls = session.file('bin/ls', '#!/bin/sh\nexec sleep 60\n');
    chmodSync(ls, 0o755);
    const roots = { proc: session.path('proc'), sys: '/sys', dev: '/dev' };
    const started = performance.now();
    let seenDir: string | null = 'x';
    const { snapshot } = await collect({
      roots,
      env: { PATH: `${session.path('bin')}:/bin:/usr/bin` },
      collectors: [
        collector({ names: ['state'], needsSession: true, collect: never }),
        collector({
          names: ['memory'],
          collect: async (env) => {
            seenDir = env.sessionDir;
            return answer({ slots: { local_memory: {} } });
          },
        }),
      ],
    });
    expect(performance.now() - started).toBeLessThan(3500);
    expect(seenDir).toBeNull();
    expect(snapshot.collectors).toMatchObject({
      state: { status: 'timeout', detail: 'the session directory does not answer' },
      memory: { status: 'ok' },
    });
  });
});

describe('the real collectors', () => {
  it('answer under every name once, and need only names that exist', () => {
    const names = COLLECTORS.flatMap((entry) => entry.names);
    expect([...names].sort()).toEqual([...COLLECTOR_NAMES].sort());
    for (const { needs } of COLLECTORS) for (const name of needs) expect(names).toContain(name);
  });

  const ADDITIVE = [
    ...['coordinator_last_seen', 'coordinator_bus', 'local_processes_scope', 'local_zombies', 'local_memory'],
    ...['local_engine', 'local_shm', 'local_kernel', 'local_model_config', 'collectors', 'collected_unix'],
  ];

  it('fill every additive slot of every snapshot, with null for what is not known', async () => {
    const snapshots = [
      await collect({ collectors: COLLECTORS }),
      await collect({ collectors: COLLECTORS, sessionDir: null }),
      await collect({ collectors: COLLECTORS, configOver: { disable_local_probe: true, nodes: 2 } }),
      await collect({
        collectors: COLLECTORS,
        roots: { proc: '/nowhere', sys: '/nowhere', dev: '/nowhere' },
        env: { PATH: '/nowhere' },
      }),
    ];
    for (const { snapshot } of snapshots) {
      for (const slot of ADDITIVE) expect(snapshot).toHaveProperty(slot);
      expect(snapshot.local_task_progress).toHaveProperty('running_kinds');
      expect(Object.keys(snapshot.collectors ?? {}).sort()).toEqual([...COLLECTOR_NAMES].sort());
      expect(JSON.parse(JSON.stringify(snapshot))).toEqual(snapshot);
    }
  });

  it('of this host are silent on a run over several nodes, the others are not', async () => {
    session.state();
    session.database().event({ topic: 'event' });
    const { snapshot, warnings } = await collect({
      collectors: COLLECTORS,
      configOver: { disable_local_probe: true, nodes: 2 },
    });
    const silent = ['processes', 'gpu', 'disk', 'health', 'ray', 'fd', 'aiter', 'shm', 'kernel'] as const;
    for (const name of silent)
      expect(snapshot.collectors?.[name]).toMatchObject({ status: 'skipped', reason: 'multi_node' });
    expect(snapshot.collectors).toMatchObject({
      events: { status: 'ok' },
      state: { status: 'ok' },
      memory: { status: 'ok' },
    });
    expect(snapshot).toMatchObject({ local_processes_known: false, sources_used: ['local-probe'] });
    expect(snapshot.degraded_reason).toContain('disable_local_probe');
    expect(warnings).toEqual([]);
    const single = await collect({ collectors: COLLECTORS, configOver: { disable_local_probe: true } });
    expect(single.snapshot.collectors?.gpu).toMatchObject({ status: 'skipped', reason: 'disabled' });
  });

  it('that read the session are skipped without one', async () => {
    const { snapshot } = await collect({ collectors: COLLECTORS, sessionDir: null });
    expect(snapshot.collectors).toMatchObject({
      events: { status: 'skipped', reason: 'no_session' },
      state: { status: 'skipped', reason: 'no_session' },
      memory: { status: 'ok' },
    });
  });
});
