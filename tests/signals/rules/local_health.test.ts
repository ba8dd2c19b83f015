import { localHealth } from '../../../src/signals/rules/local_health.js';
import { testRule } from '../../support/rule-tester.js';

const gpu = (...entries: unknown[]) => ({ local_gpu: { gpus: entries as object[] } });
const disk = (mountpoint: string, used_pct: unknown, free_gb: unknown = 10) => ({
  local_disk: { [mountpoint]: { used_pct, free_gb, used_gb: 900, total_gb: 1000 } } as object,
});

const taskEnded = (state: string, ts: number) => ({
  id: 1,
  agent: 'coordinator',
  to_agent: '*',
  topic: 'delegated_result',
  ts,
  payload: { kind: 'explore', state },
});
const withException = (row: object) => ({
  local_log_errors: [
    { pattern: 'unhandled exception', line: '[x.log] KeyError: 3', file: 'x.log', new: true },
  ],
  coordinator_events: [row],
});

testRule(localHealth, {
  valid: [
    {
      why: 'a GPU just below its limit',
      snapshot: gpu({
        gpu_id: 0,
        temperature_c: 84.99,
        temperature_junction_c: 99.99,
        temperature_memory_c: 99.99,
      }),
    },
    {
      why: 'a temperature that is text, or of an unknown sensor',
      snapshot: gpu(
        { gpu_id: 0, temperature_c: '95' },
        { gpu_id: 1, temperature_c: 99, temperature_source: 'x' },
      ),
    },
    {
      why: 'a junction at 90 degrees is normal, also in place of the edge (local_health-8)',
      snapshot: gpu({ gpu_id: 0, temperature_c: 90, temperature_source: 'junction' }),
    },
    { why: 'a disk just below its limit', snapshot: disk('/', 84.99) },
    { why: 'a large disk with enough free (local_health-10)', snapshot: disk('/data', 96, 200) },
    {
      why: 'a percentage that is text, or stats that are a list',
      snapshot: { local_disk: { '/': { used_pct: '99' }, '/x': [99] } },
    },
    ...[
      ['no task has failed', taskEnded('succeeded', 9900)],
      ['the failure was an hour ago', taskEnded('failed', 6000)],
      ['nobody knows when the task failed', { ...taskEnded('failed', 9900), ts: null }],
    ].map(([why, row]) => ({
      why: `an exception that the engine may have survived: ${why}`,
      context: { now_unix: 10_000 },
      snapshot: withException(row as object),
    })),
    {
      why: 'inodes below their limit, of unknown number, or not judged',
      snapshot: {
        local_disk: {
          '/a': { used_pct: 46, free_gb: 480, inodes_used_pct: 89.9 },
          '/b': { used_pct: 46, free_gb: 480, inodes_used_pct: null },
        },
      },
    },
    {
      why: 'inodes are not judged on demand',
      snapshot: { local_disk: { '/': { used_pct: 46, free_gb: 480, inodes_used_pct: 100 } } },
      config: { disk_inodes_warn_pct: 0, disk_inodes_crit_pct: 0 },
    },
    {
      why: 'what the kernel said of a GPU earlier has been told',
      snapshot: {
        local_kernel: { gpu_faults: [{ pattern: 'GPU reset begin', line: 'x', new: false }] },
      },
    },
    { why: 'shared memory just below its limit', snapshot: disk('/dev/shm', 74.99) },
    { why: 'Ray is healthy', snapshot: { local_ray: { healthy: true } } },
    { why: 'Ray was not looked at', snapshot: { local_ray: { pending_tasks: 1 } } },
    { why: 'Ray of unknown health', snapshot: { local_ray: { healthy: null } } },
    { why: 'descriptors just below the limit', snapshot: { local_fd: { pid: 1, used_pct: 79.99 } } },
    {
      why: 'an unlimited process has no percentage',
      snapshot: { local_fd: { pid: 1, used: 5000, limit: null, used_pct: null } },
    },
    {
      why: 'slots of odd shapes are skipped (local_health-6)',
      snapshot: {
        local_server_health: ['x', null],
        local_processes: [7],
        local_log_errors: ['x', null, 7],
        local_gpu: [],
        local_disk: 'x',
        local_ray: [false],
        local_fd: 'x',
      },
    },
  ],
  invalid: [
    {
      why: 'a warm edge (default limit 85)',
      snapshot: gpu({ gpu_id: 3, temperature_c: 85 }),
      symptoms: [
        {
          name: 'gpu_thermal_high',
          severity: 'medium',
          subject: { gpu_id: '3' },
          evidence: { gpu_id: 3, temperature_c: 85, warn_threshold: 85, crit_threshold: 100, sensor: 'edge' },
        },
      ],
    },
    {
      why: 'a hot edge',
      snapshot: gpu({ gpu_id: 3, temperature_c: 100 }),
      symptoms: [{ name: 'gpu_thermal_high', severity: 'high' }],
    },
    {
      why: 'a hot junction on a card without edge sensor (local_health-8)',
      snapshot: gpu({ gpu_id: 8, temperature_junction_c: 105 }),
      symptoms: [
        {
          name: 'gpu_thermal_high',
          severity: 'high',
          evidenceWith: { sensor: 'junction', warn_threshold: 100, crit_threshold: 105 },
        },
      ],
    },
    {
      why: 'the worst sensor speaks for the card: severity first (local_health-8)',
      snapshot: gpu({ gpu_id: 0, temperature_c: 99, temperature_memory_c: 105 }),
      symptoms: [{ name: 'gpu_thermal_high', severity: 'high', evidenceWith: { sensor: 'memory' } }],
    },
    {
      why: 'then the excess over the limit, then the order of sensors (local_health-8)',
      snapshot: gpu(
        { gpu_id: 0, temperature_c: 88, temperature_junction_c: 104 },
        { gpu_id: 1, temperature_junction_c: 102, temperature_memory_c: 102 },
      ),
      symptoms: [
        { name: 'gpu_thermal_high', evidenceWith: { sensor: 'junction' } },
        { name: 'gpu_thermal_high', evidenceWith: { sensor: 'junction' } },
      ],
    },
    {
      why: 'a card without id is named by its place (local_health-8)',
      snapshot: gpu('x', { temperature_c: 101 }),
      symptoms: [{ name: 'gpu_thermal_high', subject: { gpu_id: '1' }, evidenceWith: { gpu_id: null } }],
    },
    {
      why: 'a disk with space that takes no more files',
      snapshot: {
        local_disk: { '/': { used_pct: 46, free_gb: 480.9, total_gb: 893, inodes_used_pct: 98.2 } },
      },
      symptoms: [
        {
          name: 'disk_pressure',
          severity: 'high',
          subject: { mountpoint: '/' },
          evidenceWith: { used_pct: 46, inodes_used_pct: 98.2, inodes_warn_pct: 90, inodes_crit_pct: 98 },
          summaryMentions: ['inodes', '98.2 %', '480.9 GiB'],
          suggestionMentions: ['small files'],
        },
      ],
    },
    {
      why: 'inodes that run low are a warning',
      snapshot: { local_disk: { '/': { used_pct: 46, free_gb: 480, inodes_used_pct: 90 } } },
      symptoms: [{ name: 'disk_pressure', severity: 'medium' }],
    },
    {
      why: 'a disk that is full both ways is full',
      snapshot: { local_disk: { '/': { used_pct: 97, free_gb: 9, inodes_used_pct: 99 } } },
      symptoms: [{ name: 'disk_pressure', severity: 'high', evidenceWithout: ['inodes_used_pct'] }],
    },
    {
      why: 'an exception in a log while a task of the session fails',
      context: { now_unix: 10_000 },
      snapshot: withException(taskEnded('failed', 9000)),
      symptoms: [
        { name: 'log_error_pattern', severity: 'medium', subject: { pattern: 'unhandled exception' } },
      ],
    },
    {
      why: 'the kernel tells of a GPU that hangs, as a line of a log',
      snapshot: {
        local_kernel: {
          gpu_faults: [
            { bus_id: '0000:25:00.0', pattern: 'amdgpu ring timeout', line: 'ring x timeout', new: true },
          ],
        },
      },
      symptoms: [
        {
          name: 'log_error_pattern',
          severity: 'high',
          subject: { pattern: 'amdgpu ring timeout' },
          evidenceWith: { samples: ['[kernel] ring x timeout'], files: ['kernel'], role: 'root' },
        },
      ],
    },
    {
      why: 'a disk that is nearly full in percent and in size',
      snapshot: disk('/', 95, 49.9),
      symptoms: [
        {
          name: 'disk_pressure',
          severity: 'high',
          subject: { mountpoint: '/' },
          evidence: {
            mountpoint: '/',
            used_pct: 95,
            used_gb: 900,
            free_gb: 49.9,
            total_gb: 1000,
            warn_pct: 85,
            crit_pct: 95,
          },
          suggestionMentions: ['profile'],
        },
      ],
    },
    {
      why: 'a large disk is a warning before it is urgent (local_health-10)',
      snapshot: disk('/', 96, 199),
      symptoms: [{ name: 'disk_pressure', severity: 'medium' }],
    },
    {
      why: 'without sizes the percentage decides',
      snapshot: { local_disk: { '/': { used_pct: 96 } } },
      symptoms: [
        {
          name: 'disk_pressure',
          severity: 'high',
          evidenceWith: { used_gb: null, free_gb: null, total_gb: null },
        },
      ],
    },
    {
      why: 'with the sizes off the percentage decides (reference profile)',
      snapshot: disk('/', 95, 9000),
      config: { disk_warn_free_gb: 0, disk_crit_free_gb: 0 },
      symptoms: [{ name: 'disk_pressure', severity: 'high' }],
    },
    {
      why: 'shared memory is judged as such, by percentage alone',
      snapshot: disk('/dev/shm', 90, 900),
      symptoms: [
        {
          name: 'shm_pressure',
          severity: 'high',
          evidenceWithout: ['used_gb'],
          summaryMentions: ['hard failure'],
          suggestionMentions: ['tensor parallelism'],
        },
      ],
    },
    {
      why: 'shared memory at its first limit',
      snapshot: disk('/dev/shm', 75),
      symptoms: [{ name: 'shm_pressure', severity: 'medium' }],
    },
    {
      why: 'the Ray head is dead',
      snapshot: { local_ray: { healthy: false, stderr: '😀'.repeat(400), returncode: 1 } },
      symptoms: [
        {
          name: 'ray_head_dead',
          severity: 'high',
          evidence: { reason: 'unknown', stderr: '😀'.repeat(240), returncode: 1 },
        },
      ],
    },
    {
      why: 'descriptors run out',
      snapshot: { local_fd: { pid: 77, used: 800, limit: 1000, used_pct: 80, target: 'coordinator' } },
      symptoms: [
        {
          name: 'fd_pressure',
          severity: 'medium',
          subject: { pid: '77' },
          evidence: {
            pid: 77,
            used: 800,
            limit: 1000,
            used_pct: 80,
            warn_pct: 80,
            crit_pct: 95,
            target: 'coordinator',
          },
        },
      ],
    },
    {
      why: 'descriptors are nearly gone, of a process without pid',
      snapshot: { local_fd: { pid: 0, used_pct: 95 } },
      symptoms: [{ name: 'fd_pressure', severity: 'high', subject: { pid: '' } }],
    },
    {
      why: 'everything at once, in the documented order',
      snapshot: {
        local_server_health: [{ url: 'u', reachable: false }],
        local_processes: [{ is_server: true, cmd: 'x' }],
        local_log_errors: [{ pattern: 'Killed', line: 'x' }],
        ...gpu({ gpu_id: 0, temperature_c: 90 }),
        local_disk: { '/dev/shm': { used_pct: 99 }, '/': { used_pct: 99 } },
        local_ray: { healthy: false },
        local_fd: { pid: 1, used_pct: 99 },
      },
      symptoms: [
        'local_server_unreachable',
        'log_error_pattern',
        'gpu_thermal_high',
        'disk_pressure',
        'shm_pressure',
        'ray_head_dead',
        'fd_pressure',
      ],
    },
  ],
});
