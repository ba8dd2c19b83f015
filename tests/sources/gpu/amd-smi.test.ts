import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  isAmdSmiUsageError,
  parseAmdSmiLimits,
  parseAmdSmiMetric,
  parseAmdSmiProcesses,
} from '../../../src/sources/gpu/amd-smi.js';
import { fixture } from '../support/fixture.js';

describe('amd-smi metric', () => {
  it('reads the generation with values and units', () => {
    expect(parseAmdSmiMetric(fixture('gpu/amd-smi-metric-mi300x.json'))).toEqual([
      {
        gpu_id: 0,
        metrics: {
          util_gpu_pct: 97,
          mem_activity_pct: 41,
          temperature_junction_c: 88,
          temperature_memory_c: 61,
          power_watts: 689,
          vram_used_mb: 180224,
          vram_total_mb: 196592,
        },
      },
      {
        gpu_id: 1,
        metrics: {
          util_gpu_pct: 0,
          mem_activity_pct: 0,
          temperature_junction_c: 41,
          temperature_memory_c: 35,
          power_watts: 138,
          vram_used_mb: 283,
          vram_total_mb: 196592,
        },
      },
    ]);
  });

  it('reads the generation with gpu_data behind a warning that holds brackets, and sections that are just "N/A"', () => {
    expect(parseAmdSmiMetric(fixture('gpu/amd-smi-metric-gpu-data.json'))).toEqual([
      { gpu_id: 0, metrics: { temperature_junction_c: 36, vram_used_mb: 283, vram_total_mb: 294896 } },
      { gpu_id: 1, metrics: {} },
    ]);
  });

  it('reads the generation with bare numbers', () => {
    expect(parseAmdSmiMetric(fixture('gpu/amd-smi-metric-plain.json'))).toEqual([
      { gpu_id: 0, metrics: { util_gpu_pct: 12, power_watts: 31, vram_used_mb: 2048, vram_total_mb: 16368 } },
    ]);
  });

  it('accepts {"gpu": [...]} and one device object', () => {
    expect(parseAmdSmiMetric('{"gpu": [{"gpu": 3, "usage": {"gfx_activity": "7 %"}}]}')).toEqual([
      { gpu_id: 3, metrics: { util_gpu_pct: 7 } },
    ]);
    expect(parseAmdSmiMetric('{"gpu": 0, "usage": {"gfx_activity": 7}}')).toEqual([
      { gpu_id: 0, metrics: { util_gpu_pct: 7 } },
    ]);
  });

  it('converts memory by the printed unit', () => {
    const device = (value: string) => `[{"gpu": 0, "mem_usage": {"total_vram": ${value}}}]`;
    const total = (value: string) => parseAmdSmiMetric(device(value))?.[0]?.metrics.vram_total_mb;
    expect(total('{"value": 192, "unit": "GB"}')).toBe(192 * 1024);
    expect(total('"2 GiB"')).toBe(2048);
    expect(total('{"value": 2048, "unit": "KB"}')).toBe(2);
    expect(total('{"value": 1048576, "unit": "B"}')).toBe(1);
    expect(total('{"value": 5, "unit": "parsecs"}')).toBeUndefined();
    expect(total('{"value": 5, "unit": "__proto__"}')).toBeUndefined();
  });

  it('prefers socket power, then current, then average', () => {
    const power = (json: string) =>
      parseAmdSmiMetric(`[{"gpu": 0, "power": ${json}}]`)?.[0]?.metrics.power_watts;
    expect(power('{"average_socket_power": 1, "current_socket_power": 2, "socket_power": 3}')).toBe(3);
    expect(power('{"average_socket_power": 1, "current_socket_power": 2, "socket_power": "N/A"}')).toBe(2);
    expect(power('{"average_socket_power": 1, "current_socket_power": 65535}')).toBe(1);
  });

  it.each([
    '',
    'N/A',
    'No JSON data to report',
    'Driver not initialized (amdgpu not found in modules)',
    '[]',
    '{}',
    '{"gpu_data": "N/A"}',
    '[{"gpu": "N/A"}]',
    '[[[[',
  ])('lists no device in %j', (output) => {
    expect(parseAmdSmiMetric(output)).toBeUndefined();
  });

  it('never throws and never lets an impossible number through', () => {
    const value = fc.oneof(
      fc.double(),
      fc.string(),
      fc.constantFrom('N/A', 'nan', 'inf', '-1', '1e999', null, true, []),
      fc.record({ value: fc.oneof(fc.double(), fc.string()), unit: fc.string() }),
    );
    const device = fc.record({
      gpu: fc.oneof(fc.nat(9), fc.string()),
      usage: fc.oneof(value, fc.record({ gfx_activity: value, umc_activity: value })),
      temperature: fc.record({ edge: value, hotspot: value }),
      power: fc.record({ socket_power: value }),
      mem_usage: fc.record({ used_vram: value, total_vram: value }),
    });
    fc.assert(
      fc.property(fc.array(device), fc.string(), (devices, noise) => {
        for (const { metrics } of parseAmdSmiMetric(`${noise}\n${JSON.stringify(devices)}`) ?? []) {
          for (const [key, number] of Object.entries(metrics)) {
            expect(Number.isFinite(number)).toBe(true);
            if (key.endsWith('_pct')) expect(number >= 0 && number <= 100).toBe(true);
            if (key.endsWith('_c')) expect(number >= -20 && number <= 150).toBe(true);
            if (key.endsWith('_mb') || key.endsWith('_watts')) expect(number).toBeGreaterThanOrEqual(0);
          }
        }
      }),
    );
  });
});

describe('amd-smi process', () => {
  it('lists pids with their VRAM per device, and an empty device as empty', () => {
    expect(parseAmdSmiProcesses(fixture('gpu/amd-smi-process.json'))).toEqual([
      { gpu_id: 0, pid: 4100123, vram_mb: 188978561024 / 2 ** 20 },
    ]);
  });

  it('says nothing when the output is no process list', () => {
    expect(parseAmdSmiProcesses('[{"gpu": 0}]')).toBeUndefined();
    expect(parseAmdSmiProcesses('permission denied')).toBeUndefined();
  });
});

describe('amd-smi static --limit', () => {
  it('gives the slow-down temperatures that the device states', () => {
    const limits = parseAmdSmiLimits(fixture('gpu/amd-smi-static-limit.json'));
    expect([...limits]).toEqual([[0, { junction: 100, memory: 105 }]]);
  });
});

describe('a refusal of the arguments', () => {
  it('is told from other failures', () => {
    expect(isAmdSmiUsageError(2, 'amd-smi: error: unrecognized arguments: --mem-usage')).toBe(true);
    expect(
      isAmdSmiUsageError(255, 'Command is invalid. Parameter not a valid argument, run -h, --help'),
    ).toBe(true);
    expect(isAmdSmiUsageError(1, 'Driver not initialized')).toBe(false);
    expect(isAmdSmiUsageError(0, 'usage: amd-smi')).toBe(false);
  });
});
