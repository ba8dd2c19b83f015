import { describe, expect, it } from 'vitest';
import type { ProcessFact } from '../../../src/sources/facts.js';
import { gpuHoldersJoin } from '../../../src/sources/gpu/holders-join.js';
import { collectorEnv } from '../support/collector-env.js';

function processFact(changes: Partial<ProcessFact>): ProcessFact {
  return {
    pid: 4100001,
    ppid: 1,
    uid: 0,
    state: 'S',
    startUnix: 1,
    argv: ['python3', '-m', 'sglang.launch_server'],
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

function joined(holder: { readonly alive: true | null }, fact?: ProcessFact) {
  const env = collectorEnv({
    env: { HF_TOKEN: 'abcdefgh12345' },
    facts: fact ? { processes: { scope: 'host', processes: [fact] } } : {},
  });
  const entry = { pid: 4100001, vram_mb: 5, owner_session: null, owner_session_alive: null, ...holder };
  return gpuHoldersJoin.join({ local_gpu: { tool: 'sysfs', gpus: [{ gpu_id: 0, holders: [entry] }] } }, env);
}

function only(slots: ReturnType<typeof joined>): unknown {
  return slots.local_gpu;
}

describe('the join of holders and processes', () => {
  it('names the process and its owner, without its secrets', () => {
    const argv = ['python3', 'serve.py', '--api-key', 'x', 'abcdefgh12345'];
    expect(only(joined({ alive: true }, processFact({ argv, sessionOwned: true })))).toMatchObject({
      gpus: [{ holders: [{ cmd: 'python3 serve.py --api-key [redacted] [redacted]', session_owned: true }] }],
    });
  });

  it('takes a process that names another session for not ours', () => {
    expect(only(joined({ alive: true }, processFact({ otherSession: '/s/other' })))).toMatchObject({
      gpus: [{ holders: [{ session_owned: false }] }],
    });
  });

  it('knows nothing about a pid of another namespace, even when the number exists here', () => {
    expect(only(joined({ alive: null }, processFact({ sessionOwned: true })))).toMatchObject({
      gpus: [{ holders: [{ cmd: '', session_owned: null }] }],
    });
  });

  it('knows nothing when the processes could not be listed', () => {
    expect(only(joined({ alive: true }))).toMatchObject({
      gpus: [{ holders: [{ cmd: '', session_owned: null }] }],
    });
  });

  it('leaves unknown holders unknown and a snapshot without GPUs alone', () => {
    const env = collectorEnv();
    expect(gpuHoldersJoin.join({ local_gpu: { gpus: [{ gpu_id: 0, holders: null }] } }, env)).toEqual({
      local_gpu: { gpus: [{ gpu_id: 0, holders: null }] },
    });
    expect(gpuHoldersJoin.join({ local_gpu: {} }, env)).toEqual({});
  });
});
