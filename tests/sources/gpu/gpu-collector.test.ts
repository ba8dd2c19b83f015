import { symlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { isObject, type JsonObject, objectOr, objectsOf } from '../../../src/foreign/json.js';
import type { CollectorAnswer } from '../../../src/sources/collector.js';
import { collectGpu } from '../../../src/sources/gpu/collect-gpu.js';
import { gpuCollector } from '../../../src/sources/gpu/gpu-collector.js';
import { collect, collectorEnv, type EnvChanges, NOW } from '../support/collector-env.js';
import { fixture } from '../support/fixture.js';
import { mountObstacle, stoppableMount } from '../support/hung-mount.js';
import { StandIns } from '../support/stand-in.js';
import { writeTree } from '../support/tree.js';
import { Machine } from './machine.js';

function gpusOf(answer: CollectorAnswer): JsonObject[] {
  return objectsOf(objectOr(answer.slots.local_gpu)['gpus']);
}

function toolOf(answer: CollectorAnswer): unknown {
  return objectOr(answer.slots.local_gpu)['tool'];
}

/** Eight boards of 192 GiB; the kernel accounts what the processes hold. */
function eightBoards(used: readonly number[]): Machine {
  const machine = new Machine();
  for (const [index, usedGib] of used.entries()) {
    machine.board({ pci: `0000:${(index + 1).toString(16).padStart(2, '0')}:00.0`, usedGib });
    machine.kfdNode(1000 + index, index + 1);
  }
  return machine;
}

describe('AMD sources', () => {
  it('prefers amd-smi and lets sysfs fill the gaps', async () => {
    const machine = new Machine()
      .board({
        pci: '0000:c1:00.0',
        usedGib: 1,
        files: { 'hwmon/hwmon3/temp1_input': '41000', 'hwmon/hwmon3/temp1_label': 'edge' },
      })
      .board({ pci: '0000:05:00.0', usedGib: 2, files: { unique_id: 'a1b2c3d4e5f60718\n' } });
    const tools = new StandIns().prints('amd-smi', fixture('gpu/amd-smi-metric-mi300x.json'));
    const answer = await collect(gpuCollector, { root: machine.root, env: { PATH: tools.path } });

    expect(answer.verdicts.gpu?.status).toBe('ok');
    expect(toolOf(answer)).toBe('amd-smi+sysfs');
    expect(gpusOf(answer)).toMatchObject([
      {
        gpu_id: 0,
        vendor: 'amd',
        pci: '0000:05:00.0',
        uuid: 'GPU-a1b2c3d4e5f60718',
        util_gpu_pct: 97,
        util_mem_pct: 91.67,
        mem_activity_pct: 41,
        power_watts: 689,
        temperature_c: 88,
        temperature_source: 'junction',
        temperature_junction_c: 88,
        temperature_memory_c: 61,
        vram_used_mb: 180224,
        vram_total_mb: 196592,
      },
      { gpu_id: 1, pci: '0000:c1:00.0', util_mem_pct: 0.14, temperature_c: 41, temperature_source: 'edge' },
    ]);
  });

  it('keeps a device that nobody could read, with the reason', async () => {
    const tools = new StandIns().prints('amd-smi', fixture('gpu/amd-smi-metric-gpu-data.json'));
    const [first, second] = gpusOf(await collect(gpuCollector, { env: { PATH: tools.path } }));
    expect(first).toMatchObject({ gpu_id: 0, util_mem_pct: 0.1, temperature_junction_c: 36 });
    expect(first).not.toHaveProperty('util_gpu_pct');
    expect(first).not.toHaveProperty('error');
    expect(second).toMatchObject({ gpu_id: 1, error: expect.any(String), error_kind: 'unreadable' });
  });

  it('asks amd-smi once more without flags when the release does not know them', async () => {
    const tools = new StandIns().add(
      'amd-smi',
      `case "$*" in *--usage*) echo 'amd-smi metric: error: unrecognized arguments' >&2; exit 2;; esac
       echo '[{"gpu":0,"usage":{"gfx_activity":5}}]'`,
    );
    const answer = await collect(gpuCollector, { env: { PATH: tools.path } });
    expect(gpusOf(answer)).toMatchObject([{ gpu_id: 0, util_gpu_pct: 5 }]);
    expect(tools.calls('amd-smi').slice(0, 2)).toEqual([
      'metric --usage --mem-usage --power --temperature --json',
      'metric --json',
    ]);
  });

  it('does not start rocm-smi beside an amd-smi that answers, and does when that fails', async () => {
    const good = new StandIns()
      .prints('amd-smi', fixture('gpu/amd-smi-metric-plain.json'))
      .prints('rocm-smi', fixture('gpu/rocm-smi-5.7.csv'));
    expect(toolOf(await collect(gpuCollector, { env: { PATH: good.path } }))).toBe('amd-smi');
    expect(good.calls('rocm-smi')).toEqual([]);

    const bad = new StandIns().prints('amd-smi', '', 1).prints('rocm-smi', fixture('gpu/rocm-smi-5.7.csv'));
    const answer = await collect(gpuCollector, { env: { PATH: bad.path } });
    expect(toolOf(answer)).toBe('rocm-smi');
    expect(answer.verdicts.gpu).toMatchObject({ status: 'ok', detail: 'amd-smi: exit 1: printed nothing' });
  });

  it('asks rocm-smi when amd-smi is silent for two seconds, and does not wait for it any longer', async () => {
    const tools = new StandIns()
      .add('amd-smi', 'sleep 60')
      .prints('rocm-smi', fixture('gpu/rocm-smi-6.2.csv'));
    const started = performance.now();
    const answer = await collect(gpuCollector, { env: { PATH: tools.path } });
    expect(toolOf(answer)).toBe('rocm-smi');
    expect(performance.now() - started).toBeGreaterThanOrEqual(2000);
    expect(performance.now() - started).toBeLessThan(6000);
  });

  it('uses a complete table in spite of the exit code, and says so', async () => {
    const tools = new StandIns().prints('rocm-smi', fixture('gpu/rocm-smi-5.7.csv'), 2);
    const answer = await collect(gpuCollector, { env: { PATH: tools.path } });
    expect(gpusOf(answer)).toHaveLength(2);
    expect(answer.verdicts.gpu?.detail).toContain('exit 2');
  });

  it('asks rocm-smi for JSON when its CSV lists no device', async () => {
    const tools = new StandIns().add(
      'rocm-smi',
      `case "$*" in *--json*) echo '{"card0": {"GPU use (%)": "9"}}';; *) echo 'unexpected';; esac`,
    );
    expect(gpusOf(await collect(gpuCollector, { env: { PATH: tools.path } }))).toMatchObject([
      { gpu_id: 0, util_gpu_pct: 9 },
    ]);
  });

  it('numbers boards in sysfs by PCI address, whatever card number they have', async () => {
    const machine = new Machine()
      .foreignCard()
      .board({ pci: '0000:c1:00.0', usedGib: 3 })
      .board({
        pci: '0000:05:00.0',
        usedGib: 1,
        files: { gpu_busy_percent: '17\n', 'hwmon/hwmon1/power1_average': '214000000' },
      });
    const answer = await collect(gpuCollector, { root: machine.root });
    expect(toolOf(answer)).toBe('sysfs');
    expect(gpusOf(answer)).toMatchObject([
      { gpu_id: 0, pci: '0000:05:00.0', vram_used_mb: 1024, util_gpu_pct: 17, power_watts: 214 },
      { gpu_id: 1, pci: '0000:c1:00.0', vram_used_mb: 3072 },
    ]);
  });

  it('delivers the limits that the device states', async () => {
    const machine = new Machine().board({
      pci: '0000:05:00.0',
      usedGib: 1,
      files: {
        'hwmon/hwmon1/temp2_input': '52000',
        'hwmon/hwmon1/temp2_label': 'junction',
        'hwmon/hwmon1/temp2_crit': '110000',
        'hwmon/hwmon1/temp3_input': '48000',
        'hwmon/hwmon1/temp3_label': 'mem',
        'hwmon/hwmon1/temp3_crit': '105000',
      },
    });
    expect(gpusOf(await collect(gpuCollector, { root: machine.root }))[0]).toMatchObject({
      temperature_c: 52,
      temperature_source: 'junction',
      temperature_limits_c: { junction: 110, memory: 105 },
    });
  });

  it('asks amd-smi for limits once, and remembers them', async () => {
    const tools = new StandIns();
    tools
      .prints('metric', fixture('gpu/amd-smi-metric-mi300x.json'))
      .prints('static', fixture('gpu/amd-smi-static-limit.json'))
      .add('amd-smi', `cat "${tools.directory}/$1.out" 2>/dev/null`);
    const env = { PATH: tools.path };
    const first = await collect(gpuCollector, { env });
    const cache = first.cache ?? {};
    const second = await collect(gpuCollector, { env, cache, nowUnix: NOW + 3600 });
    for (const answer of [first, second]) {
      expect(gpusOf(answer)[0]).toMatchObject({ temperature_limits_c: { junction: 100, memory: 105 } });
      expect(gpusOf(answer)[1]).not.toHaveProperty('temperature_limits_c');
    }
    expect(second.cache).toBeUndefined();
    expect(tools.calls('amd-smi').filter((call) => call.startsWith('static'))).toHaveLength(1);
  });

  const obstacle = mountObstacle();
  if (obstacle !== null) console.warn(`the test on a hung file system is left out: ${obstacle}`);

  it.skipIf(obstacle !== null)('loses only the metrics of a board that is wedged in the kernel', async () => {
    const machine = new Machine()
      .board({ pci: '0000:05:00.0', usedGib: 1 })
      .board({ pci: '0000:06:00.0', usedGib: 2 });
    const mount = await stoppableMount();
    symlinkSync(join(mount.path, 'file'), join(machine.root, 'sys/class/drm/card1/device/mem_busy_percent'));
    mount.stop();
    const started = performance.now();
    const gpus = gpusOf(await collect(gpuCollector, { root: machine.root }));
    expect(performance.now() - started).toBeLessThan(4000);
    expect(gpus).toMatchObject([
      { gpu_id: 0, vram_used_mb: 1024 },
      { gpu_id: 1, error_kind: 'unreadable' },
    ]);
  });

  it('does not mix up partitions with the boards of sysfs', async () => {
    const machine = new Machine().board({ pci: '0000:05:00.0', usedGib: 50 });
    const tools = new StandIns().prints('rocm-smi', 'device,GPU use (%)\ncard0,5\ncard8,N/A\n');
    const gpus = gpusOf(await collect(gpuCollector, { root: machine.root, env: { PATH: tools.path } }));
    expect(gpus.map((entry) => [entry['gpu_id'], entry['vram_used_mb']])).toEqual([
      [0, undefined],
      [8, undefined],
    ]);
  });
});

describe('NVIDIA and both', () => {
  it('reports occupancy from bytes and activity apart: a busy board with empty VRAM is no full one', async () => {
    const tools = new StandIns().prints(
      'nvidia-smi',
      '0, 97, 99, 71, 10, 81559, GPU-1234, 600, Disabled, 00000000:18:00.0\n',
    );
    expect(gpusOf(await collect(gpuCollector, { env: { PATH: tools.path } }))[0]).toMatchObject({
      vendor: 'nvidia',
      util_mem_pct: 0.01,
      mem_activity_pct: 99,
    });
  });

  it('asks for the basic columns when a release does not know one', async () => {
    const tools = new StandIns().add(
      'nvidia-smi',
      `case "$*" in *mig.mode*) echo 'Field "mig.mode.current" is not a valid field to query.'; exit 2;; *query-gpu*) echo '0, 1, 2, 40, 10, 100';; esac`,
    );
    expect(gpusOf(await collect(gpuCollector, { env: { PATH: tools.path } }))).toMatchObject([
      { gpu_id: 0, util_mem_pct: 10 },
    ]);
  });

  it('lists a lost board and one that needs a reset, so that rules see them', async () => {
    const lost = new StandIns().prints('nvidia-smi', fixture('gpu/nvidia-lost.txt'), 15);
    const answer = await collect(gpuCollector, { env: { PATH: lost.path } });
    expect(objectOr(answer.slots.local_gpu)['lost_gpus']).toEqual(['0000:3b:00.0']);
    expect(gpusOf(answer)[2]).toMatchObject({ pci: '0000:3b:00.0', error_kind: 'lost' });

    const reset = new StandIns().prints('nvidia-smi', fixture('gpu/nvidia-h100.csv'));
    expect(gpusOf(await collect(gpuCollector, { env: { PATH: reset.path } }))[3]).toMatchObject({
      error_kind: 'reset_required',
    });
  });

  it('keeps the numbers of two vendors apart', async () => {
    const machine = new Machine().board({ pci: '0000:05:00.0', usedGib: 1 });
    const tools = new StandIns().prints(
      'nvidia-smi',
      '0, 1, 2, 40, 10, 100, GPU-1234, 1, Disabled, 00000000:18:00.0\n',
    );
    const answer = await collect(gpuCollector, { root: machine.root, env: { PATH: tools.path } });
    expect(gpusOf(answer).map((entry) => [entry['gpu_id'], entry['vendor']])).toEqual([
      [0, 'amd'],
      [1000, 'nvidia'],
    ]);
    expect(toolOf(answer)).toBe('sysfs+nvidia-smi');
  });
});

describe('visible devices', () => {
  const visible = async (env: EnvChanges['env']) => {
    const machine = eightBoards([1, 1, 1]);
    writeTree(machine.root, { 'sys/class/drm/card2/device/unique_id': 'feed0000feed0000' });
    return gpusOf(await collect(gpuCollector, { root: machine.root, ...(env ? { env } : {}) })).map(
      (entry) => entry['visible'],
    );
  };

  it('are all without a variable, none with an empty one', async () => {
    expect(await visible({})).toEqual([true, true, true]);
    expect(await visible({ ROCR_VISIBLE_DEVICES: '' })).toEqual([false, false, false]);
  });

  it('come from the first variable that is set', async () => {
    expect(await visible({ ROCR_VISIBLE_DEVICES: '0, 2', HIP_VISIBLE_DEVICES: '1' })).toEqual([
      true,
      false,
      true,
    ]);
    expect(await visible({ HIP_VISIBLE_DEVICES: '1', CUDA_VISIBLE_DEVICES: '0' })).toEqual([
      false,
      true,
      false,
    ]);
  });

  it('may be named by the beginning of a UUID; an element that does not exist ends the list', async () => {
    expect(await visible({ ROCR_VISIBLE_DEVICES: 'GPU-feed' })).toEqual([false, false, true]);
    expect(await visible({ ROCR_VISIBLE_DEVICES: '1,9,0' })).toEqual([false, true, false]);
    expect(await visible({ CUDA_VISIBLE_DEVICES: '0,-1,1' })).toEqual([true, false, false]);
  });

  it('are unknown when the names mean nothing here', async () => {
    expect(await visible({ ROCR_VISIBLE_DEVICES: 'GPU-0badbeef' })).toEqual([null, null, null]);
  });
});

describe('holders of VRAM', () => {
  it('shows one leaked board out of eight beside a living server on the other seven', async () => {
    const machine = eightBoards([170, 170, 170, 170, 170, 170, 170, 170]).hostNamespace().process(4100001);
    machine.kfdProcess(4100001, {
      1000: 169,
      1001: 169,
      1002: 169,
      1003: 169,
      1004: 169,
      1006: 169,
      1007: 169,
    });
    const gpus = gpusOf(await collect(gpuCollector, { root: machine.root }));
    expect(gpus.map((entry) => objectsOf(entry['holders']).map((holder) => holder['pid']))).toEqual(
      [0, 1, 2, 3, 4, 5, 6, 7].map((id) => (id === 5 ? [] : [4100001])),
    );
  });

  it('drops holders that are dead or zombies, but not a leader whose threads live on', async () => {
    const machine = eightBoards([170]).hostNamespace();
    machine.process(4100002, { state: 'Z' }).process(4100003, { state: 'Z', threads: 3 });
    machine
      .kfdProcess(4100001, { 1000: 50 })
      .kfdProcess(4100002, { 1000: 50 })
      .kfdProcess(4100003, { 1000: 50 });
    const [entry] = gpusOf(await collect(gpuCollector, { root: machine.root }));
    expect(entry?.['holders']).toEqual([
      { pid: 4100003, vram_mb: 50 * 1024, alive: true, owner_session: null, owner_session_alive: null },
    ]);
  });

  it('never takes a pid of another namespace for a dead one', async () => {
    const machine = eightBoards([170]);
    machine.kfdProcess(4100001, { 1000: 169 });
    const [entry] = gpusOf(await collect(gpuCollector, { root: machine.root }));
    expect(entry?.['holders']).toMatchObject([{ pid: 4100001, alive: null }]);
  });

  it('is silent about a device that the kernel does not account for us', async () => {
    const machine = eightBoards([170, 170]);
    machine.board({ pci: '0000:99:00.0', usedGib: 180 });
    const gpus = gpusOf(await collect(gpuCollector, { root: machine.root }));
    expect(gpus.map((entry) => entry['holders'])).toEqual([[], [], null]);
  });

  it('proves nothing on a board whose display somebody uses; a display of another vendor does not matter', async () => {
    const machine = eightBoards([170]).hostNamespace();
    expect(gpusOf(await collect(gpuCollector, { root: machine.root }))[0]).toMatchObject({ holders: [] });
    machine.foreignCard().process(4100001, { files: ['/dev/dri/card1'] });
    expect(gpusOf(await collect(gpuCollector, { root: machine.root }))[0]).toMatchObject({ holders: [] });
    machine.process(4100002, { files: ['/dev/dri/card0'] });
    expect(gpusOf(await collect(gpuCollector, { root: machine.root }))[0]).toMatchObject({ holders: null });
  });

  it('is silent when the kernel lists processes without accounting them', async () => {
    const machine = eightBoards([170])
      .hostNamespace()
      .process(4100001, { files: ['/dev/kfd'] });
    writeTree(machine.root, { 'sys/class/kfd/kfd/proc/4100001/pasid': '32770\n' });
    expect(gpusOf(await collect(gpuCollector, { root: machine.root }))[0]).toMatchObject({ holders: null });
  });

  it('shares the holders among the partitions of one board', async () => {
    const machine = new Machine().kfdNode(1, 5, 0).kfdNode(2, 5, 1);
    machine.kfdProcess(4100001, { 2: 40 });
    const tools = new StandIns().prints(
      'rocm-smi',
      `device,VRAM Total Memory (B),VRAM Total Used Memory (B)\ncard0,206141652992,42949672960\ncard8,N/A,N/A\n`,
    );
    const gpus = gpusOf(await collect(gpuCollector, { root: machine.root, env: { PATH: tools.path } }));
    expect(gpus.map((entry) => objectsOf(entry['holders']).map((holder) => holder['pid']))).toEqual([
      [4100001],
      [4100001],
    ]);
  });

  it('names the session of an orphan, and whether its Coordinator lives', async () => {
    const machine = eightBoards([170]).hostNamespace();
    const other = writeTree(machine.root, {
      'other/runtime/optimizer.lock': JSON.stringify({ pid: 4100999, hostname: hostname() }),
    });
    const environ = `A=1\0INFERENCE_OPTIMIZER_CURRENT_SESSION_DIR=${other}/other\0B=2`;
    machine.process(4100001, { environ }).kfdProcess(4100001, { 1000: 100 });
    const holder = async () =>
      objectsOf(gpusOf(await collect(gpuCollector, { root: machine.root }))[0]?.['holders'])[0];
    expect(await holder()).toMatchObject({ owner_session: `${other}/other`, owner_session_alive: false });

    machine.process(4100999);
    expect(await holder()).toMatchObject({ owner_session_alive: true });

    writeTree(other, {
      'other/runtime/optimizer.lock': JSON.stringify({ pid: 4100998, hostname: 'elsewhere' }),
    });
    expect(await holder()).toMatchObject({ owner_session_alive: null });
  });

  describe('without the kernel’s accounts', () => {
    const nvidia = (used: number, apps = '') =>
      new StandIns().add(
        'nvidia-smi',
        `case "$*" in *query-gpu*) echo '0, 1, 1, 40, ${used}, 81559, GPU-1234, 70, Disabled, 00000000:18:00.0';; *) printf '${apps}';; esac`,
      );
    const holders = async (machine: Machine, tools: StandIns) =>
      gpusOf(await collect(gpuCollector, { root: machine.root, env: { PATH: tools.path } }))[0]?.['holders'];

    it('believes a tool that accounts for the VRAM in use', async () => {
      const machine = new Machine().hostNamespace().process(4100001, { files: ['/dev/nvidia0'] });
      expect(await holders(machine, nvidia(79000, 'GPU-1234, 4100001, 78500\\n'))).toMatchObject([
        { pid: 4100001, vram_mb: 78500 },
      ]);
    });

    it('finds a leak when nobody else has the device open', async () => {
      const machine = new Machine().hostNamespace().process(4100001, { files: ['/dev/null'] });
      expect(await holders(machine, nvidia(79000))).toEqual([]);
    });

    it('proves nothing where the device files are not, as in a container that has only the tool', async () => {
      const machine = new Machine().hostNamespace().withoutDeviceFiles().process(4100001);
      expect(await holders(machine, nvidia(79000))).toBeNull();
    });

    it('proves nothing when somebody whom the tool does not list has the device open', async () => {
      const machine = new Machine().hostNamespace().process(4100001, { files: ['/dev/nvidia0'] });
      expect(await holders(machine, nvidia(79000))).toBeNull();
    });

    it('proves nothing in a private PID namespace', async () => {
      expect(await holders(new Machine().process(4100001), nvidia(79000))).toBeNull();
    });

    it('proves nothing about a MIG board, nor about apps that run on its slices', async () => {
      const machine = new Machine().hostNamespace().process(4100001);
      const tools = new StandIns().add(
        'nvidia-smi',
        `case "$*" in *query-gpu*) echo '0, [N/A], [N/A], 40, 79000, 81559, GPU-1234, 70, Enabled, 00000000:18:00.0';; *) echo 'MIG-9876-aa, 4100001, [N/A]';; esac`,
      );
      const [entry] = gpusOf(await collect(gpuCollector, { root: machine.root, env: { PATH: tools.path } }));
      expect(entry).toMatchObject({ mig: true, holders: null });
    });

    it('asks amd-smi for processes', async () => {
      const machine = new Machine()
        .hostNamespace()
        .process(4100123, { files: ['/dev/kfd', '/dev/dri/renderD128'] });
      const tools = new StandIns();
      tools
        .prints('metric', fixture('gpu/amd-smi-metric-mi300x.json'))
        .prints('process', fixture('gpu/amd-smi-process.json'));
      tools.add('amd-smi', `cat "${tools.directory}/$1.out"`);
      const gpus = gpusOf(await collect(gpuCollector, { root: machine.root, env: { PATH: tools.path } }));
      expect(gpus.map((entry) => objectsOf(entry['holders']).length)).toEqual([1, 0]);
    });
  });
});

describe('tools that misbehave', () => {
  const silent = (tools: StandIns, memory: JsonObject = {}) =>
    collectGpu(collectorEnv({ env: { PATH: tools.path }, memory }), new AbortController().signal, 400);

  it('knows nothing on a host without GPUs', async () => {
    const answer = await collect(gpuCollector, { env: { PATH: new StandIns().path } });
    expect(answer.verdicts.gpu).toMatchObject({ status: 'unknown', reason: 'not_on_path' });
    expect(answer.slots.local_gpu).toEqual({});
  });

  it('reports a hanging tool as a timeout and gives what sysfs says all the same', async () => {
    const tools = new StandIns().add('amd-smi', 'trap "" TERM; sleep 60 & wait');
    const answer = await silent(tools);
    expect(answer.verdicts.gpu).toMatchObject({ status: 'timeout', reason: 'deadline' });
    const machine = new Machine().board({ pci: '0000:05:00.0', usedGib: 1 });
    const env = collectorEnv({ env: { PATH: tools.path }, root: machine.root });
    const withSysfs = await collectGpu(env, new AbortController().signal, 400);
    expect(toolOf(withSysfs)).toBe('sysfs');
    expect(withSysfs.verdicts.gpu).toMatchObject({
      status: 'ok',
      detail: expect.stringContaining('amd-smi'),
    });
  });

  it('lets the last good sample stand in for a minute, without its holders', async () => {
    const sample = (age: number) => ({
      gpu_last: {
        tool: 'amd-smi',
        sampled_unix: NOW - age,
        gpus: [{ gpu_id: 0, vram_used_mb: 5, holders: [] }],
      },
    });
    const tools = new StandIns().add('amd-smi', 'sleep 60');
    const young = await silent(tools, sample(60));
    expect(young.verdicts.gpu?.status).toBe('timeout');
    expect(young.slots.local_gpu).toMatchObject({
      sampled_unix: NOW - 60,
      gpus: [{ gpu_id: 0, vram_used_mb: 5, holders: null }],
    });
    expect((await silent(tools, sample(61))).slots.local_gpu).toEqual({});
  });

  it('takes a tool that says nothing, or has no driver, as unknown and quotes it', async () => {
    const tools = new StandIns().add(
      'amd-smi',
      'echo "Driver not initialized (amdgpu not found in modules)" >&2',
    );
    expect((await silent(tools)).verdicts.gpu).toEqual({
      status: 'unknown',
      reason: 'bad_output',
      detail: 'amd-smi: Driver not initialized (amdgpu not found in modules)',
    });
  });

  it('survives bytes that are no UTF-8, endless output and a file that is no program', async () => {
    const bytes = new StandIns().add('rocm-smi', `printf 'device,GPU use (%%)\\n\\377\\376\\ncard0,5\\n'`);
    expect(gpusOf(await silent(bytes))).toMatchObject([{ util_gpu_pct: 5 }]);

    const endless = new StandIns().add('rocm-smi', 'exec yes device,GPU');
    expect((await silent(endless)).verdicts.gpu).toMatchObject({
      status: expect.stringMatching(/error|timeout/),
      detail: expect.stringContaining('rocm-smi'),
    });

    const broken = new StandIns().brokenFormat('rocm-smi');
    expect((await silent(broken)).verdicts.gpu).toMatchObject({ status: 'unknown' });
  });

  it('is not kept waiting by a grandchild that holds the pipe', async () => {
    const tools = new StandIns().add('rocm-smi', `printf 'device,GPU use (%%)\\ncard0,5\\n'\nsleep 60 &`);
    const started = performance.now();
    expect(gpusOf(await silent(tools))).toHaveLength(1);
    expect(performance.now() - started).toBeLessThan(2000);
  });

  it('shows people what could not be parsed', async () => {
    const tools = new StandIns().prints('rocm-smi', 'some garbage token=abcdefghijklmnop');
    const slot = (await silent(tools)).slots.local_gpu;
    expect(isObject(slot) && slot['raw_csv']).toBe('some garbage token=[redacted]');
  });
});
