import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  NVIDIA_BASIC_COLUMNS,
  parseNvidiaApps,
  parseNvidiaQuery,
} from '../../../src/sources/gpu/nvidia-smi.js';
import { fixture } from '../support/fixture.js';

describe('nvidia-smi --query-gpu', () => {
  it('judges each cell on its own, so that MIG, unified memory and a board in need of reset stay in the list', () => {
    const { devices, lost } = parseNvidiaQuery(fixture('gpu/nvidia-h100.csv'));
    expect(lost).toEqual([]);
    expect(devices).toEqual([
      {
        gpu_id: 0,
        metrics: {
          util_gpu_pct: 97,
          mem_activity_pct: 88,
          temperature_edge_c: 71,
          vram_used_mb: 79000,
          vram_total_mb: 81559,
          power_watts: 612.4,
        },
        uuid: 'GPU-11111111-aaaa-bbbb-cccc-000000000000',
        pci: '0000:18:00.0',
        mig: false,
      },
      {
        gpu_id: 1,
        metrics: { temperature_edge_c: 40, vram_used_mb: 10, vram_total_mb: 81559, power_watts: 71.12 },
        uuid: 'GPU-22222222-aaaa-bbbb-cccc-000000000001',
        pci: '0000:2a:00.0',
        mig: true,
      },
      {
        gpu_id: 2,
        metrics: { temperature_edge_c: 38 },
        uuid: 'GPU-33333333-aaaa-bbbb-cccc-000000000002',
        pci: '0000:3a:00.0',
      },
      {
        gpu_id: 3,
        metrics: {},
        uuid: 'GPU-44444444-aaaa-bbbb-cccc-000000000003',
        pci: '0000:5d:00.0',
        failure: { kind: 'reset_required', text: expect.stringContaining('[GPU requires reset]') },
      },
    ]);
  });

  it('reads the six columns that every release knows', () => {
    const { devices } = parseNvidiaQuery(fixture('gpu/nvidia-basic.csv'), NVIDIA_BASIC_COLUMNS);
    expect(devices.map((gpu) => Object.keys(gpu.metrics).length)).toEqual([5, 3, 1, 0]);
    expect(devices[3]?.failure?.kind).toBe('reset_required');
  });

  it('keeps the other rows beside a lost device and gives it the number of its address', () => {
    const { devices, lost } = parseNvidiaQuery(fixture('gpu/nvidia-lost.txt'));
    expect(lost).toEqual(['0000:3b:00.0']);
    expect(devices.map((gpu) => [gpu.gpu_id, gpu.failure?.kind])).toEqual([
      [0, undefined],
      [1, undefined],
      [2, 'lost'],
    ]);
  });

  it('gives a lost device the index that was printed', () => {
    const { devices } = parseNvidiaQuery(
      '0, 1, 1, 40, 5, 100\nUnable to determine the device handle for GPU5: 0000:3B:00.0: Unknown Error',
      NVIDIA_BASIC_COLUMNS,
    );
    expect(devices.map((gpu) => gpu.gpu_id)).toEqual([0, 5]);
  });

  it('reads a vGPU that tells neither temperature nor power', () => {
    const { devices } = parseNvidiaQuery(fixture('gpu/nvidia-vgpu.csv'));
    expect(devices[0]?.metrics).toEqual({
      util_gpu_pct: 0,
      mem_activity_pct: 0,
      vram_used_mb: 1024,
      vram_total_mb: 16384,
    });
    expect(devices[0]?.failure).toBeUndefined();
  });

  it.each([
    'No devices were found',
    "NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver.",
    'Failed to initialize NVML: Driver/library version mismatch',
    '',
  ])('lists no device in %j', (output) => {
    expect(parseNvidiaQuery(output)).toEqual({ devices: [], lost: [] });
  });

  it('never throws and keeps every row that begins with an index', () => {
    const cell = fc.constantFrom('[N/A]', 'ERR!', '5', '-3', '65535', '[Unknown Error]', '', 'x'.repeat(50));
    fc.assert(
      fc.property(fc.array(fc.array(cell, { minLength: 5, maxLength: 5 }), { maxLength: 20 }), (rows) => {
        const output = rows.map((cells, index) => `${index}, ${cells.join(', ')}`).join('\n');
        expect(parseNvidiaQuery(output, NVIDIA_BASIC_COLUMNS).devices).toHaveLength(rows.length);
      }),
    );
  });
});

describe('nvidia-smi --query-compute-apps', () => {
  it('lists pids, with or without their memory', () => {
    expect(parseNvidiaApps(fixture('gpu/nvidia-apps.csv'))).toEqual([
      { uuid: 'GPU-11111111-aaaa-bbbb-cccc-000000000000', pid: 4100123, vram_mb: 78400 },
      { uuid: 'GPU-11111111-aaaa-bbbb-cccc-000000000000', pid: 4100124, vram_mb: null },
    ]);
  });

  it('takes an empty answer for what it is: nothing runs', () => {
    expect(parseNvidiaApps('')).toEqual([]);
    expect(parseNvidiaApps('\n')).toEqual([]);
  });

  it('takes nothing else for an answer', () => {
    expect(parseNvidiaApps('[Not Supported]')).toBeUndefined();
    expect(parseNvidiaApps('GPU-1234-5678, not-a-pid, 5')).toBeUndefined();
  });
});
