import { mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { summariseBreakdown } from '../../../src/sources/artifacts/breakdown.js';
import { breakdownCollector } from '../../../src/sources/artifacts/breakdown-collector.js';
import { collect } from '../support/collector-env.js';
import { temporaryDirectory, writeTree } from '../support/tree.js';

const session = (files: Record<string, string>) => writeTree(temporaryDirectory(), files);

describe('the kernel breakdown', () => {
  it('is summed per tier as the reference does', () => {
    const rows = [
      { gpu_pct: 10, tier: 'T1_TRITON' },
      { gpu_pct: 5.5, tier: 'T1_TRITON' },
      { gpu_pct: '7', tier: 'T1_TRITON' },
      { gpu_pct: true, tier: 'T1_TRITON' },
      { gpu_pct: 20, tier: ' T2_AITER_CK ' },
      { gpu_pct: 1, tier: 'T9_New' },
      { gpu_pct: 1 },
      { gpu_pct: 2, tier: null },
      7,
      { gpu_pct: 3, tier: 'T3_FRAMEWORK' },
    ];
    expect(summariseBreakdown(rows)).toEqual({
      tier_pcts: { triton: 15.5, vendor: 20, t9_new: 1, unknown: 3, framework: 3 },
      total_kernels: 9,
      total_gpu_pct: 42.5,
      total_suspect: false,
    });
    expect(summariseBreakdown([])).toEqual({
      tier_pcts: {},
      total_kernels: 0,
      total_gpu_pct: 0,
      total_suspect: false,
    });
  });

  it('ignores percentages that are none, and suspects totals above 105', () => {
    const rows = [-1, 1e7, Number.NaN, Number.POSITIVE_INFINITY].map((gpu_pct) => ({ gpu_pct, tier: 'x' }));
    expect(summariseBreakdown(rows)).toMatchObject({ total_kernels: 4, total_gpu_pct: 0 });
    expect(summariseBreakdown([{ gpu_pct: 105 }]).total_suspect).toBe(false);
    expect(summariseBreakdown([{ gpu_pct: 105.001 }]).total_suspect).toBe(true);
  });

  it('never has more than 64 buckets, and loses nothing', () => {
    const row = fc.record({ gpu_pct: fc.integer({ min: 0, max: 10 }), tier: fc.string() });
    fc.assert(
      fc.property(fc.array(row, { maxLength: 200 }), (rows) => {
        const { tier_pcts, total_gpu_pct } = summariseBreakdown(rows);
        const sums = Object.values(tier_pcts);
        expect(sums.length).toBeLessThanOrEqual(64);
        expect(sums.reduce((a, b) => a + b, 0)).toBeCloseTo(total_gpu_pct, 1);
      }),
    );
  });

  it('is read again only when the file has changed', async () => {
    const sessionDir = session({ 'profiles/kernel_breakdown.json': '[{"gpu_pct": 5, "tier": "T4_COMM"}]' });
    const path = join(sessionDir, 'profiles/kernel_breakdown.json');
    const first = await collect(breakdownCollector, { sessionDir });
    expect(first.slots.local_kernel_breakdown).toMatchObject({
      tier_pcts: { comm: 5 },
      kernel_breakdown_path: path,
    });

    const cache = first.cache ?? {};
    const second = await collect(breakdownCollector, { sessionDir, cache });
    expect(second.slots).toEqual(first.slots);
    expect(second.cache).toBeUndefined();

    writeFileSync(path, '[{"gpu_pct": 6, "tier": "T4_COMM"}]');
    utimesSync(path, 5, 5);
    const third = await collect(breakdownCollector, { sessionDir, cache });
    expect(third.slots.local_kernel_breakdown).toMatchObject({ tier_pcts: { comm: 6 }, mtime: 5 });
  });

  it.each([
    [{}, 'empty'],
    [{ 'profiles/kernel_breakdown.json': '{}' }, 'error'],
    [{ 'profiles/kernel_breakdown.json': '[{]' }, 'error'],
  ])('that is no list gives nothing (%#)', async (files, status) => {
    const answer = await collect(breakdownCollector, { sessionDir: session(files) });
    expect(answer.verdicts.breakdown?.status).toBe(status);
    expect(answer.slots.local_kernel_breakdown).toEqual({});
  });

  it('that is a directory costs nothing else', async () => {
    const sessionDir = temporaryDirectory();
    mkdirSync(join(sessionDir, 'profiles/kernel_breakdown.json'), { recursive: true });
    expect((await collect(breakdownCollector, { sessionDir })).verdicts.breakdown?.status).toBe('error');
  });
});
