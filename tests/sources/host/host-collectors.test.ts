import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  statfsSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type JsonObject, objectOr, objectsOf } from '../../../src/foreign/json.js';
import type { CollectorEnv } from '../../../src/sources/collector.js';
import type { ProcessFact } from '../../../src/sources/facts.js';
import { diskCollector } from '../../../src/sources/host/disk-collector.js';
import { kernelCollector } from '../../../src/sources/host/kernel-collector.js';
import { parseRawLine, parseRecord } from '../../../src/sources/host/kernel-log.js';
import {
  asDelivered,
  describeKernel,
  type KernelMessage,
} from '../../../src/sources/host/kernel-messages.js';
import { memoryCollector } from '../../../src/sources/host/memory-collector.js';
import { shmCollector } from '../../../src/sources/host/shm-collector.js';
import { endTools } from '../../../src/sources/tools/tool-groups.js';
import { look } from '../collector-harness.js';

const NOW = Math.floor(Date.now() / 1000);

/** A directory in which a test lays out its own `/proc`, `/sys` and `/dev`. */
let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'robustness-host-'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function file(relative: string, content: string): string {
  const path = join(root, relative);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
  return path;
}

const roots = (): Partial<CollectorEnv> => ({
  procRoot: join(root, 'proc'),
  sysRoot: join(root, 'sys'),
  devRoot: join(root, 'dev'),
  nowUnix: NOW,
});

describe('disk', () => {
  it('counts blocks kept for root as used, and says what each file system is to us', async () => {
    const { slots } = await look(diskCollector, { sessionDir: root });
    const entry = objectOr(objectOr(slots.local_disk)['/']);
    const { bsize, blocks, bavail } = statfsSync('/');
    expect(entry['total_gb']).toBeCloseTo((blocks * bsize) / 2 ** 30, 1);
    expect(Number(entry['used_gb']) + Number(entry['free_gb'])).toBeCloseTo(Number(entry['total_gb']), 1);
    expect(entry['used_pct']).toBeCloseTo(((blocks - bavail) / blocks) * 100, 1);
    expect(Number(entry['df_used_pct'])).toBeLessThanOrEqual(Number(entry['used_pct']) + 0.01);
    expect(entry['roles']).toContain('root');
    expect(Object.values(objectOr(slots.local_disk)).flatMap((disk) => objectOr(disk)['roles'])).toEqual(
      expect.arrayContaining(['root', 'session', 'tmp']),
    );
  });

  it('leaves out what is not there', async () => {
    const { slots, verdicts } = await look(diskCollector, {
      configOver: { disk_mountpoints: ['/nowhere/at/all', 'relative'] },
    });
    expect(Object.keys(objectOr(slots.local_disk))).not.toContain('/nowhere/at/all');
    expect(verdicts.disk).toMatchObject({ status: 'ok' });
  });

  it('asks a file system that may hang in a child, and goes on without it', async () => {
    file('proc/self/mountinfo', '1 0 8:1 / / rw - ext4 x rw\n2 1 0:40 / /mnt/far rw - nfs4 server:/x rw\n');
    const stat = file('bin/stat', '#!/bin/sh\nexec sleep 60\n');
    chmodSync(stat, 0o755);
    const started = performance.now();
    const env = { PATH: `${join(root, 'bin')}:/bin:/usr/bin` };
    const answer = await look(diskCollector, {
      ...roots(),
      env,
      configOver: { disk_mountpoints: ['/', '/mnt/far'] },
    });
    expect(performance.now() - started).toBeLessThan(2500);
    expect(answer.verdicts.disk).toMatchObject({
      status: 'timeout',
      detail: expect.stringContaining('/mnt/far'),
    });
    expect(Object.keys(objectOr(answer.slots.local_disk))).toContain('/');
    await endTools(600);
    writeFileSync(stat, '#!/bin/sh\necho 1048576 100 20 15 0 0\n');
    const second = await look(diskCollector, {
      ...roots(),
      env,
      configOver: { disk_mountpoints: ['/mnt/far'] },
    });
    expect(objectOr(second.slots.local_disk)['/mnt/far']).toMatchObject({
      used_pct: 85,
      df_used_pct: 84.21,
      inodes_used_pct: null,
      fs_type: 'nfs4',
      roles: ['configured'],
    });
  });
});

describe('memory', () => {
  const MEMINFO =
    'MemTotal:       16777216 kB\nMemFree:  100 kB\nMemAvailable:    8388608 kB\nSwapTotal: 2048 kB\nSwapFree: 1024 kB\n';
  const memory = async () => (await look(memoryCollector, roots())).slots.local_memory;

  it('is that of the host without a limit', async () => {
    file('proc/meminfo', MEMINFO);
    file('proc/self/cgroup', '0::/user.slice\n');
    file('sys/fs/cgroup/memory.max', 'max\n');
    expect(await memory()).toEqual({
      total_mb: 16384,
      available_mb: 8192,
      available_pct: 50,
      swap_total_mb: 2,
      swap_used_mb: 1,
      limit_mb: null,
      limit_used_mb: null,
    });
  });

  it('is that of the tightest control group above us, without what the kernel gives back', async () => {
    file('proc/meminfo', MEMINFO);
    file('proc/self/cgroup', '0::/pod/box\n');
    file('sys/fs/cgroup/pod/memory.max', `${4 * 2 ** 30}\n`);
    file('sys/fs/cgroup/pod/memory.current', `${3 * 2 ** 30}\n`);
    file('sys/fs/cgroup/pod/memory.stat', `anon 5\ninactive_file ${2 ** 30}\n`);
    expect(await memory()).toMatchObject({ limit_mb: 4096, limit_used_mb: 2048, available_pct: 50 });
    file('sys/fs/cgroup/pod/memory.stat', 'anon 5\ninactive_file 0\n');
    expect(await memory()).toMatchObject({ available_pct: 25 });
  });

  it('knows the older layout of control groups, whose highest limit is none', async () => {
    file('proc/meminfo', MEMINFO);
    file('proc/self/cgroup', '4:memory:/box\n0::/\n');
    file('sys/fs/cgroup/memory/box/memory.limit_in_bytes', `${2 ** 30}\n`);
    file('sys/fs/cgroup/memory/box/memory.usage_in_bytes', `${2 ** 29}\n`);
    file('sys/fs/cgroup/memory/memory.limit_in_bytes', '9223372036854771712\n');
    file('sys/fs/cgroup/memory/memory.usage_in_bytes', '1\n');
    expect(await memory()).toMatchObject({ limit_mb: 1024, limit_used_mb: 512 });
  });

  it('is unknown where nothing tells', async () => {
    const answer = await look(memoryCollector, roots());
    expect(answer.verdicts.memory).toMatchObject({ status: 'unknown' });
    expect(answer.slots).toEqual({});
  });
});

describe('the messages of the kernel', () => {
  const at = (uptime: number, text: string): KernelMessage => ({ uptime, text });

  it('tell of killed processes, not of the reaper', () => {
    const messages = [
      at(10, 'Out of memory: Killed process 71 (srv one) total-vm:1kB'),
      at(20, 'Memory cgroup out of memory: Killed process 72 (python3) total-vm:1kB'),
      at(21, 'oom_reaper: reaped process 72 (python3), now anon-rss:0kB'),
    ];
    expect(describeKernel(messages, 1000, 1015)['oom_kills']).toEqual([
      { process: 'srv one', pid: 71, constraint: 'host', last_unix: 1010, new: false },
      { process: 'python3', pid: 72, constraint: 'memcg', last_unix: 1020, new: true },
    ]);
  });

  it('count what a file server owes, until it says OK', () => {
    const messages = [
      at(1, 'nfs: server a not responding, still trying'),
      at(2, 'nfs: server b not responding, timed out'),
      at(3, 'nfs: server a OK'),
      at(4, 'nfs: server b not responding, still trying'),
    ];
    expect(describeKernel(messages, 0, 0)['nfs']).toEqual([{ server: 'b', outstanding: 2, since_unix: 2 }]);
  });

  it('name the GPU that is gone', () => {
    const messages = [
      at(1, 'NVRM: Xid (PCI:0000:3b:00): 79, pid=12, GPU has fallen off the bus.'),
      at(2, 'NVRM: GPU 0000:3b:00.0: GPU has fallen off the bus.'),
      at(3, 'amdgpu 0000:c1:00.0: amdgpu: device lost from bus!'),
      at(4, 'amdgpu 0000:c1:00.0: amdgpu: ring gfx timeout'),
    ];
    expect(objectsOf(describeKernel(messages, 0, 2)['gpu_off_bus'])).toMatchObject([
      { bus_id: '0000:3b:00', new: false },
      { bus_id: '0000:3b:00.0', new: false },
      { bus_id: '0000:c1:00.0', last_unix: 3, new: true },
    ]);
  });

  it('tell of the GPU that hangs or is reset, once per GPU, the first new message first', () => {
    const messages = [
      at(1, 'amdgpu 0000:c1:00.0: amdgpu: GPU reset begin!'),
      at(5, 'amdgpu 0000:25:00.0: amdgpu: ring gfx_0.0.0 timeout, signaled seq=1, emitted seq=2'),
      at(6, 'amdgpu 0000:25:00.0: amdgpu: GPU reset begin!'),
      at(7, 'amdgpu 0000:c1:00.0: amdgpu: GPU reset begin!'),
      at(8, 'amdgpu 0000:41:00.0: amdgpu: [drm] Fence fallback timer expired on ring sdma1.0'),
      at(9, 'amdgpu 0000:41:00.0: amdgpu: GPU reset(1) succeeded!'),
    ];
    expect(describeKernel(messages, 0, 2)['gpu_faults']).toEqual([
      expect.objectContaining({
        bus_id: '0000:c1:00.0',
        pattern: 'GPU reset begin',
        last_unix: 7,
        new: true,
      }),
      expect.objectContaining({
        bus_id: '0000:25:00.0',
        pattern: 'amdgpu ring timeout',
        last_unix: 5,
        new: true,
      }),
    ]);
    expect(asDelivered(describeKernel(messages, 0, 2))['gpu_faults']).toMatchObject([
      { new: false },
      { new: false },
    ]);
  });

  it('are read in both forms', () => {
    expect(parseRecord('6,1234,98765432,-;text; more\n SUBSYSTEM=pci\n')).toEqual({
      uptime: 98.765432,
      text: 'text; more',
    });
    expect(parseRawLine('<4>[   98.765432] text')).toEqual({ uptime: 98.765432, text: 'text' });
    expect(parseRecord('odd')).toBeUndefined();
    expect(parseRawLine('')).toBeUndefined();
  });

  it('come from dmesg where the ring cannot be read, at most once a minute, and are new once', async () => {
    file('proc/uptime', '100000.00 1.0\n');
    const dmesg = file(
      'bin/dmesg',
      '#!/bin/sh\necho "<3>[99990.000000] Out of memory: Killed process 71 (srv)"\n',
    );
    chmodSync(dmesg, 0o755);
    const env = { PATH: join(root, 'bin') };
    const first = await look(kernelCollector, { ...roots(), env });
    const kills = (slots: typeof first.slots) => objectsOf(objectOr(slots.local_kernel)['oom_kills']);
    expect(kills(first.slots)).toMatchObject([{ pid: 71, new: true }]);
    rmSync(dmesg);
    const memory: JsonObject = first.memory ?? {};
    const second = await look(kernelCollector, { ...roots(), env, memory, nowUnix: NOW + 30 });
    expect(kills(second.slots)).toMatchObject([{ pid: 71, new: false }]);
    const third = await look(kernelCollector, { ...roots(), env, memory, nowUnix: NOW + 61 });
    expect(third.slots.local_kernel).toBeNull();
    expect(third.verdicts.kernel).toMatchObject({ status: 'unknown' });
  });
});

describe('shared memory', () => {
  const SIZE = 96 * 2 ** 20;

  function segment(name: string, ageS: number): void {
    const path = file(`dev/shm/${name}`, '');
    writeFileSync(path, Buffer.alloc(SIZE, 1));
    utimesSync(path, NOW - ageS, NOW - ageS);
  }

  const fact = (pid: number, state = 'S'): ProcessFact => ({
    ...{ pid, ppid: 1, uid: 0, state, startUnix: null, argv: [], cwd: '', isServer: false, matched: false },
    ...{ sessionOwned: null, otherSession: null, port: null, host: null },
  });

  const shm = (processes: readonly ProcessFact[], scope: 'host' | 'namespace' = 'host') =>
    look(shmCollector, { ...roots(), nowUnix: NOW + 7200, facts: { processes: { scope, processes } } });

  it('that nobody maps is stale', async () => {
    segment('nccl-dead', 0);
    segment('psm_used', 0);
    segment('others', 0);
    file(
      'proc/12/maps',
      `7f00-7f01 rw-s 00000000 00:19 5  ${join(root, 'dev/shm')}/psm_used\n7f02-7f03 r-xp 0 0:0 1 /lib/x\n`,
    );
    const { slots } = await shm([fact(12), fact(13)]);
    expect(slots.local_shm).toEqual([
      { mountpoint: join(root, 'dev/shm'), stale_count: 1, stale_bytes: SIZE, names: ['nccl-dead'] },
    ]);
  });

  it('is unknown when a process that might map it cannot be looked into', async () => {
    segment('nccl-dead', 0);
    file('proc/12/status', '');
    expect((await shm([fact(12)])).slots.local_shm).toBeNull();
    expect((await shm([fact(13, 'D')])).slots.local_shm).toBeNull();
    expect((await shm([], 'namespace')).slots.local_shm).toBeNull();
    mkdirSync(join(root, 'proc/self/ns'), { recursive: true });
    symlinkSync('ipc:[4026532999]', join(root, 'proc/self/ns/ipc'));
    expect(objectsOf((await shm([], 'namespace')).slots.local_shm)).toHaveLength(1);
  });

  it('that is young, small or somebody else’s is nothing', async () => {
    file('dev/shm/nccl-small', 'x');
    expect((await shm([])).slots.local_shm).toEqual([]);
    segment('nccl-young', 0);
    const { slots } = await look(shmCollector, {
      ...roots(),
      facts: { processes: { scope: 'host', processes: [] } },
    });
    expect(slots.local_shm).toEqual([]);
    truncateSync(join(root, 'dev/shm/nccl-young'), 0);
    rmSync(join(root, 'dev'), { recursive: true });
    expect((await shm([])).slots.local_shm).toEqual([]);
  });
});
