import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { csvCells, parseRocmSmiCsv, parseRocmSmiJson } from '../../../src/sources/gpu/rocm-smi.js';
import { fixture } from '../support/fixture.js';

const MIB = 2 ** 20;

describe('rocm-smi CSV', () => {
  it('keeps activity of the memory controller apart from occupancy (names up to ROCm 6.1)', () => {
    expect(parseRocmSmiCsv(fixture('gpu/rocm-smi-5.7.csv'))?.[0]).toEqual({
      gpu_id: 0,
      metrics: {
        util_gpu_pct: 98,
        mem_activity_pct: 63,
        temperature_edge_c: 58,
        temperature_junction_c: 74,
        temperature_memory_c: 68,
        power_watts: 287,
        vram_total_mb: 68702699520 / MIB,
        vram_used_mb: 66571993088 / MIB,
      },
    });
  });

  it('reads the names since ROCm 6.2 behind a warning, and keeps what a secondary die does say', () => {
    expect(parseRocmSmiCsv(fixture('gpu/rocm-smi-6.2.csv'))).toEqual([
      {
        gpu_id: 0,
        metrics: {
          util_gpu_pct: 3,
          mem_activity_pct: 1,
          allocated_pct: 91,
          temperature_junction_c: 57,
          temperature_memory_c: 49,
          power_watts: 214,
          vram_used_mb: 188978561024 / MIB,
          vram_total_mb: 196592,
        },
      },
      { gpu_id: 1, metrics: { vram_used_mb: 297517056 / MIB, vram_total_mb: 196592 } },
    ]);
  });

  it('merges blocks', () => {
    expect(parseRocmSmiCsv(fixture('gpu/rocm-smi-5.4-blocks.csv'))).toEqual([
      { gpu_id: 0, metrics: { util_gpu_pct: 41, mem_activity_pct: 63 } },
      { gpu_id: 1, metrics: { util_gpu_pct: 7, vram_used_mb: 1024, vram_total_mb: 4096 } },
    ]);
  });

  it('survives a byte order mark, CRLF, banners, quotes, units in cells and other names of the device', () => {
    expect(parseRocmSmiCsv(fixture('gpu/rocm-smi-noise.csv'))).toEqual([
      {
        gpu_id: 0,
        metrics: {
          util_gpu_pct: 5,
          temperature_junction_c: 62,
          temperature_memory_c: 57,
          vram_total_mb: 65536,
          vram_used_mb: 32768,
        },
      },
      { gpu_id: 1, metrics: { util_gpu_pct: 7, temperature_junction_c: 61, vram_total_mb: 65536 } },
    ]);
  });

  it('orders by id, not by text, and lets the later row win', () => {
    const csv = 'device,GPU use (%)\ncard10,1\nCard2,2\ncard 3,3\ncard2,4\n';
    expect(parseRocmSmiCsv(csv)?.map((gpu) => [gpu.gpu_id, gpu.metrics.util_gpu_pct])).toEqual([
      [2, 4],
      [3, 3],
      [10, 1],
    ]);
  });

  it('lets the later of two power columns win, unless it is unusable', () => {
    const header = 'device,Average Graphics Package Power (W),Current Socket Graphics Package Power (W)';
    const power = (row: string) => parseRocmSmiCsv(`${header}\n${row}`)?.[0]?.metrics.power_watts;
    expect(power('card0,100,140')).toBe(140);
    expect(power('card0,100,N/A')).toBe(100);
  });

  it.each([
    '',
    'some garbage',
    'card0,5',
    'device,GPU use (%)\ncard-1,3\ncard0x,4\nsystem,5',
    'name,value\ncard0,3',
  ])('lists no device in %j', (output) => {
    expect(parseRocmSmiCsv(output)).toBeUndefined();
  });

  it('gives back what was printed, whatever noise stands around it', () => {
    const noise = fc.constantFrom('WARNING: low-power state', '======', 'ERROR: x', 'system,1');
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.nat(127), { minLength: 1, maxLength: 16 }),
        fc.array(noise, { maxLength: 3 }),
        fc.constantFrom('\n', '\r\n'),
        (ids, lines, end) => {
          const rows = ids.map((id) => `card${id},${id % 100}`);
          const csv = [...lines, 'device,GPU use (%)', ...lines, ...rows, ...lines].join(end);
          const read = parseRocmSmiCsv(csv) ?? [];
          expect(read.map((gpu) => gpu.gpu_id)).toEqual([...ids].sort((a, b) => a - b));
          for (const gpu of read) expect(gpu.metrics.util_gpu_pct).toBe(gpu.gpu_id % 100);
        },
      ),
    );
  });

  it('never throws', () => {
    fc.assert(
      fc.property(fc.string(), (text) => void parseRocmSmiCsv(`device,GPU use (%)\ncard0,${text}\n${text}`)),
    );
  });
});

describe('rocm-smi JSON', () => {
  it('reads old names and ignores the system block', () => {
    expect(parseRocmSmiJson(fixture('gpu/rocm-smi-old.json'))).toEqual([
      {
        gpu_id: 0,
        metrics: {
          util_gpu_pct: 12,
          mem_activity_pct: 3,
          temperature_edge_c: 44,
          temperature_junction_c: 49,
          power_watts: 61,
          vram_total_mb: 34342961152 / MIB,
          vram_used_mb: 17171480576 / MIB,
        },
      },
    ]);
  });

  it('reads new names, keeps a partition without any metric and does not number it anew', () => {
    const devices = parseRocmSmiJson(fixture('gpu/rocm-smi-new.json'));
    expect(devices?.map((gpu) => gpu.gpu_id)).toEqual([0, 8]);
    expect(devices?.[1]?.metrics).toEqual({});
  });

  it('is not fooled by other JSON', () => {
    expect(parseRocmSmiJson('[1, 2]')).toBeUndefined();
    expect(parseRocmSmiJson('{"system": {}}')).toBeUndefined();
  });
});

describe('a line of CSV', () => {
  it('splits at commas outside quotes', () => {
    expect(csvCells(' a , "b, c" ,"d ""e""",')).toEqual(['a', 'b, c', 'd "e"', '']);
  });
});
