import { describe, expect, it } from 'vitest';
import { defaultSharedState, type ReactorContext } from '../../../src/reactor/context.js';
import { gpuHealth } from '../../../src/signals/rules/gpu_health.js';
import { gpuLeak } from '../../../src/signals/rules/gpu_leak.js';
import { localHealth } from '../../../src/signals/rules/local_health.js';
import type { ProcessFact } from '../../../src/sources/facts.js';
import { gpuCollector } from '../../../src/sources/gpu/gpu-collector.js';
import { gpuHoldersJoin } from '../../../src/sources/gpu/holders-join.js';
import { emptySnapshot, type Snapshot } from '../../../src/sources/snapshot.js';
import { collectorEnv, type EnvChanges, NOW } from '../support/collector-env.js';
import { fixture } from '../support/fixture.js';
import { StandIns } from '../support/stand-in.js';
import { Machine } from './machine.js';

function context(tick: number): ReactorContext {
  return {
    session_id: 's',
    session_dir: '/s',
    tick_index: tick,
    now_unix: NOW + 30 * tick,
    phase: 'EXPLORE',
    shared_state: { ...defaultSharedState(), tick },
    phase_budget: [],
    conversation_progress: null,
    inbox: [],
  };
}

async function snapshot(changes: EnvChanges): Promise<Snapshot> {
  const env = collectorEnv(changes);
  const { slots } = await gpuCollector.collect(env, new AbortController().signal);
  const joined = { ...slots, ...gpuHoldersJoin.join(slots, env) };
  return { ...emptySnapshot(), local_processes_known: changes.facts?.processes !== undefined, ...joined };
}

/** The names of all symptoms that the GPU rules see in three ticks on the same machine. */
async function accusations(changes: EnvChanges): Promise<string[]> {
  const names = new Set<string>();
  for (const rule of [gpuLeak, gpuHealth, localHealth]) {
    let rawState = {};
    for (const tick of [1, 2, 3]) {
      const run = rule.run({
        context: context(tick),
        snapshot: await snapshot({ ...changes, nowUnix: NOW + 30 * tick }),
        bus: { inboxFirst: [], eventsFirst: [] },
        config: {},
        rawState,
      });
      for (const symptom of run.symptoms) names.add(symptom.name);
      rawState = run.finalState({ isSettled: () => false }) ?? rawState;
    }
  }
  return [...names];
}

function fact(pid: number, changes: Partial<ProcessFact> = {}): ProcessFact {
  return {
    pid,
    ppid: 1,
    uid: 0,
    state: 'S',
    startUnix: 1,
    argv: ['python3', '-m', 'vllm.entrypoints.openai.api_server'],
    cwd: '/',
    isServer: true,
    matched: true,
    sessionOwned: null,
    otherSession: null,
    port: null,
    host: null,
    ...changes,
  };
}

const listing = (...processes: ProcessFact[]) => ({ processes: { scope: 'host' as const, processes } });

function boards(count: number, usedGib: number, totalGib = 192): Machine {
  const machine = new Machine().hostNamespace();
  for (let index = 0; index < count; index += 1) {
    machine.board({ pci: `0000:${(index + 1).toString(16).padStart(2, '0')}:00.0`, usedGib, totalGib });
    machine.kfdNode(1000 + index, index + 1);
  }
  return machine;
}

describe('what the GPU collector sees, judged by the rules', () => {
  it('finds one leaked GPU out of eight beside a living server', async () => {
    const machine = boards(8, 170).process(4100001);
    for (const id of [0, 1, 2, 3, 4, 6, 7]) machine.kfdProcess(4100001, { [1000 + id]: 169 });
    const facts = listing(fact(4100001, { sessionOwned: true }));
    expect(await accusations({ root: machine.root, facts })).toContain('gpu_memory_leaked');
  });

  it('accuses nobody of a busy server with almost empty VRAM', async () => {
    const busy = '0, 97, 99, 71, 10, 81559, GPU-1234, 600, Disabled, 00000000:18:00.0\n';
    const tools = new StandIns().add('nvidia-smi', `case "$*" in *query-gpu*) echo '${busy}';; esac`);
    const machine = new Machine().hostNamespace().process(4100001);
    expect(await accusations({ root: machine.root, env: { PATH: tools.path }, facts: listing() })).toEqual(
      [],
    );
  });

  it.each([
    [0.3, 0.5],
    [0.49, 0.5],
    [0.9, 1],
  ])('accuses nobody of an integrated GPU that uses %f of %f GiB for itself', async (usedGib, totalGib) => {
    const machine = boards(1, usedGib, totalGib).process(4100001);
    expect(await accusations({ root: machine.root, facts: listing() })).toEqual([]);
  });

  it('accuses nobody on a desktop whose display uses the memory', async () => {
    const machine = boards(1, 12, 16).process(4100001, { files: ['/dev/dri/card0'] });
    expect(await accusations({ root: machine.root, facts: listing() })).toEqual([]);
  });

  it('accuses nobody where processes cannot be listed', async () => {
    const tools = new StandIns().prints(
      'rocm-smi',
      'device,VRAM Total Memory (B),VRAM Total Used Memory (B)\ncard0,206141652992,204141652992\n',
    );
    expect(await accusations({ env: { PATH: tools.path } })).toEqual([]);
  });

  it('accuses nobody on a MIG host', async () => {
    const full = '0, [N/A], [N/A], 40, 81000, 81559, GPU-1234, 70, Enabled, 00000000:18:00.0';
    const tools = new StandIns().add(
      'nvidia-smi',
      `case "$*" in *query-gpu*) echo '${full}';; *) echo 'MIG-9876-aa, 4100001, [N/A]';; esac`,
    );
    const machine = new Machine().hostNamespace().process(4100001, { files: ['/dev/nvidia0'] });
    expect(await accusations({ root: machine.root, env: { PATH: tools.path }, facts: listing() })).toEqual(
      [],
    );
  });

  it('does not call the memory of a co-tenant leaked', async () => {
    const machine = boards(2, 180).process(4100001);
    machine.kfdProcess(4100001, { 1000: 179, 1001: 179 });
    const facts = listing(fact(4100001, { sessionOwned: false, otherSession: '/other' }));
    expect(await accusations({ root: machine.root, facts })).toEqual([]);
  });

  it('does not call a co-tenant in another PID namespace a leak', async () => {
    const machine = new Machine().board({ pci: '0000:01:00.0', usedGib: 180 }).kfdNode(1000, 1);
    machine.kfdProcess(4100001, { 1000: 179 });
    expect(await accusations({ root: machine.root, facts: listing() })).toEqual([]);
  });

  it('accuses nobody of the junction temperature of a busy healthy board', async () => {
    const tools = new StandIns().prints('amd-smi', fixture('gpu/amd-smi-metric-mi300x.json'));
    expect(await accusations({ env: { PATH: tools.path } })).toEqual([]);
  });

  it('reports a lost GPU and one that needs a reset', async () => {
    for (const name of ['gpu/nvidia-lost.txt', 'gpu/nvidia-h100.csv']) {
      const tools = new StandIns().prints('nvidia-smi', fixture(name));
      expect(await accusations({ env: { PATH: tools.path } })).toEqual(['gpu_lost']);
    }
  });
});
