import type { Json, JsonObject } from '../../../src/foreign/json.js';
import { hostHealth } from '../../../src/signals/rules/host_health.js';
import { type Sight, testRule } from '../../support/rule-tester.js';

const GIB = 2 ** 30;
const segments = { mountpoint: '/dev/shm', stale_count: 4, stale_bytes: 9 * GIB, names: ['nccl-a', 'psm_b'] };
const silent = { server: 'nas1', outstanding: 2, since_unix: 9000 };
const kill = { process: 'VLLM::EngineCore', pid: 71, constraint: 'memcg', last_unix: 9990, new: true };

function shm(...changes: readonly JsonObject[]): Sight {
  return { snapshot: { local_shm: changes.map((change) => ({ ...segments, ...change })) } };
}

function nfs(...changes: readonly JsonObject[]): Sight {
  return { snapshot: { local_kernel: { nfs: changes.map((change) => ({ ...silent, ...change })) } } };
}

function kills(changes: readonly JsonObject[], processes: Json = []): Sight {
  return {
    snapshot: {
      local_kernel: { oom_kills: changes.map((change) => ({ ...kill, ...change })) },
      local_processes: processes,
    },
  };
}

testRule(hostHealth, {
  valid: [
    { why: 'no source measures it', snapshot: {}, undecided: [] },
    {
      why: 'neither could be read',
      snapshot: { local_shm: null, local_kernel: null },
      undecided: ['host_oom_kill', 'nfs_server_unresponsive', 'shm_stale_segments'],
    },
    { why: 'small left-overs', ...shm({ stale_bytes: GIB - 1 }) },
    { why: 'the size is unknown', ...shm({ stale_bytes: null }) },
    { why: 'the server has answered since', ...nfs({ outstanding: 0 }) },
    { why: 'a server that is just slow', ...nfs({ since_unix: 9941 }) },
    { why: 'since when is unknown', ...nfs({ since_unix: null }) },
    { why: 'an old kill', ...kills([{ new: false }, { new: null }]) },
    { why: 'the collector knows it as somebody else’s', ...kills([{ session_owned: false }]) },
    {
      why: 'the process list knows it as somebody else’s',
      ...kills([{}], [{ pid: 71, session_owned: false }]),
    },
    {
      why: 'odd shapes',
      snapshot: { local_shm: 'x', local_kernel: { nfs: {}, oom_kills: [null, 'killed'] } },
    },
  ],
  invalid: [
    {
      why: 'left-overs fill the shared memory',
      ...shm({ names: Array.from({ length: 12 }, (_, i) => `nccl-${i}`) }),
      symptoms: [
        {
          name: 'shm_stale_segments',
          severity: 'medium',
          subject: { mountpoint: '/dev/shm' },
          source: 'local',
          evidence: {
            mountpoint: '/dev/shm',
            stale_count: 4,
            stale_bytes: 9 * GIB,
            names: Array.from({ length: 10 }, (_, i) => `nccl-${i}`),
          },
          summaryMentions: ['4 segments', '9.0 GiB', '/dev/shm'],
        },
      ],
    },
    { why: 'exactly the limit', ...shm({ stale_bytes: GIB }), symptoms: ['shm_stale_segments'] },
    {
      why: 'a server is silent',
      ...nfs({}, { server: 'nas2', since_unix: 9940, outstanding: 1 }),
      symptoms: [
        {
          name: 'nfs_server_unresponsive',
          severity: 'high',
          subject: { server: 'nas1' },
          evidence: { server: 'nas1', outstanding: 2, since_unix: 9000 },
          summaryMentions: ['nas1', '1000 s'],
        },
        { name: 'nfs_server_unresponsive', subject: { server: 'nas2' } },
      ],
    },
    {
      why: 'kills of one program are one symptom',
      ...kills([
        {},
        { pid: 72, last_unix: 9995 },
        { process: 'ray', pid: null, constraint: null, last_unix: null },
      ]),
      symptoms: [
        {
          name: 'host_oom_kill',
          severity: 'high',
          subject: { process: 'VLLM::EngineCore' },
          evidence: {
            process: 'VLLM::EngineCore',
            count: 2,
            pids: [71, 72],
            constraint: 'memcg',
            last_unix: 9995,
          },
          summaryMentions: ['2 times', 'its container'],
          suggestionMentions: ['container'],
        },
        {
          name: 'host_oom_kill',
          subject: { process: 'ray' },
          evidenceWith: { count: 1, pids: [], constraint: null, last_unix: null },
        },
      ],
    },
    {
      why: 'of unknown ownership',
      ...kills([{ constraint: 'host' }], [{ pid: 71, session_owned: null }]),
      symptoms: [{ name: 'host_oom_kill', summaryMentions: ['once', 'memory of the host'] }],
    },
  ],
});
