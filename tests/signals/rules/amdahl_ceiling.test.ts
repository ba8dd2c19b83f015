import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Json, JsonObject } from '../../../src/foreign/json.js';
import { amdahlCeiling, amdahlCeilingPct } from '../../../src/signals/rules/amdahl_ceiling.js';
import { type Sight, testRule } from '../../support/rule-tester.js';

function profile(tierPcts: Json, rest: JsonObject = {}): Sight {
  return {
    snapshot: {
      local_kernel_breakdown: {
        tier_pcts: tierPcts,
        mtime: 100,
        kernel_breakdown_path: '/s/profiles/kernel_breakdown.json',
        ...rest,
      },
    },
  };
}

const low = 'amdahl_kernel_ceiling_low';

testRule(amdahlCeiling, {
  valid: [
    { why: 'no profile', snapshot: { local_kernel_breakdown: {} } },
    { why: 'a profile without a time', ...profile({ triton: 1 }, { mtime: 'now' }) },
    { why: 'enough time is optimisable', ...profile({ triton: 14.29, vendor: 85.71 }) },
    { why: 'shares beyond the whole', ...profile({ triton: 150 }) },
    { why: 'an empty profile says nothing', ...profile({}) },
    { why: 'a profile of null says nothing', ...profile(null) },
    { why: 'tiers in a list say nothing', ...profile([1]) },
    { why: 'no tier has a number', ...profile({ triton: 'n/a', vendor: true }) },
    { why: 'a profile without kernels', ...profile({ triton: 0 }, { total_kernels: 0 }) },
    { why: 'a profile of less than half the time', ...profile({ triton: 1 }, { total_gpu_pct: 49.9 }) },
    {
      why: 'a partial profile, extended to the whole time',
      ...profile({ triton: 8 }, { total_gpu_pct: 50 }),
    },
    {
      why: 'the ceiling is exactly the limit',
      ...profile({ triton: 100 }),
      config: { preflight_amdahl_min_e2e_ceiling_pct: 50 },
    },
    { why: 'a share as text is a share', ...profile({ triton: ' 4e1 ' }) },
    {
      why: 'a lower gain is worth trying',
      ...profile({ triton: 5 }),
      config: { preflight_amdahl_min_e2e_ceiling_pct: 1 },
    },
    {
      why: 'a higher speed-up is assumed',
      ...profile({ triton: 14 }),
      config: { preflight_amdahl_single_kernel_speedup: 2 },
    },
  ],
  invalid: [
    {
      why: 'a single kernel is a profile',
      ...profile({ triton: 5, vendor: 95 }, { total_kernels: 1 }),
      symptoms: [low],
    },
    {
      why: 'little of the time is optimisable',
      ...profile({ triton: 5, vendor: 95 }, { total_gpu_pct: 100, total_kernels: 12 }),
      symptoms: [
        {
          name: low,
          severity: 'high',
          subject: {},
          source: 'local',
          evidence: {
            tier_pcts: { triton: 5, vendor: 95 },
            optimizable_pct: 5,
            single_kernel_speedup: 1.5,
            e2e_ceiling_pct: 1.695,
            min_e2e_ceiling_pct: 5,
            kernel_breakdown_path: '/s/profiles/kernel_breakdown.json',
            total_gpu_pct: 100,
          },
          summaryMentions: ['5.0%', '1.5x', '1.69%', '5%'],
          suggestionMentions: ['Prune kernel_opt', 'params and sweep'],
        },
      ],
    },
    {
      why: 'just below the border, although it rounds to it',
      ...profile({ triton: 14.285 }),
      symptoms: [{ name: low, evidenceWith: { e2e_ceiling_pct: 5 } }],
    },
    {
      why: 'nothing is optimisable',
      ...profile({ vendor: 100 }),
      symptoms: [{ name: low, evidenceWith: { optimizable_pct: 0, e2e_ceiling_pct: 0 } }],
    },
    {
      why: 'a negative share is shown and counts as none',
      ...profile({ triton: -5, vendor: 1 }),
      symptoms: [{ name: low, evidenceWith: { optimizable_pct: -5, e2e_ceiling_pct: 0 } }],
    },
    {
      why: 'a slow-down is no speed-up',
      ...profile({ triton: 100 }),
      config: { preflight_amdahl_single_kernel_speedup: 0.5 },
      symptoms: [{ name: low, evidenceWith: { single_kernel_speedup: 0.5, e2e_ceiling_pct: 0 } }],
    },
    {
      why: 'other tiers can be optimisable',
      ...profile({ triton: 5, compiled: 5, vendor: 90 }),
      config: { preflight_amdahl_optimizable_tiers: ['triton', 'compiled'] },
      symptoms: [{ name: low, evidenceWith: { optimizable_pct: 10, e2e_ceiling_pct: 3.448 } }],
    },
    {
      why: 'half a profile counts twice',
      ...profile({ triton: 5, vendor: 45 }, { total_gpu_pct: 50 }),
      symptoms: [{ name: low, evidenceWith: { optimizable_pct: 10, total_gpu_pct: 50 } }],
    },
    {
      why: '99 % is complete',
      ...profile({ triton: 5 }, { total_gpu_pct: 99 }),
      symptoms: [{ name: low, evidenceWith: { optimizable_pct: 5 } }],
    },
    {
      why: 'one bad tier does not spoil the others',
      ...profile({ triton: 'n/a', vendor: 90 }),
      symptoms: [{ name: low, evidenceWith: { optimizable_pct: 0 } }],
    },
  ],
  sequences: [
    {
      why: 'once per profile, and a restored older file is another profile',
      steps: [
        { ...profile({ triton: 1 }), symptoms: [low] },
        { ...profile({ triton: 1 }), symptoms: [{ name: low, standing: true }] },
        { ...profile({ triton: 1 }, { mtime: 99 }), symptoms: [low] },
        { ...profile({ triton: 1 }, { mtime: 100.5 }), symptoms: [low], stateWith: { fired_mtime: 100.5 } },
      ],
    },
    {
      why: 'a muted profile is said later',
      steps: [
        { ...profile({ triton: 1 }), isSettled: () => false, symptoms: [low] },
        { ...profile({ triton: 1 }), symptoms: [low], stateWith: { fired_mtime: 100, emitted: true } },
      ],
    },
    {
      why: 'an unusable profile counts as seen, a missing one changes nothing',
      steps: [
        { ...profile({}, { mtime: 7 }), symptoms: [], stateWith: { fired_mtime: 7, emitted: false } },
        { snapshot: { local_kernel_breakdown: {} }, symptoms: [], stateWith: { fired_mtime: 7 } },
        { ...profile({ triton: 1 }, { mtime: 7 }), symptoms: [] },
      ],
    },
    {
      why: 'a state file of the reference stands',
      state: { fired_mtime: 100 },
      steps: [{ ...profile({ triton: 1 }), symptoms: [{ name: low, standing: true }] }],
    },
    {
      why: 'true is no stored time',
      state: { fired_mtime: true },
      steps: [{ ...profile({ triton: 1 }, { mtime: 1 }), symptoms: [low] }],
    },
  ],
});

describe('the ceiling by Amdahl’s law', () => {
  it('reaches the border at a seventh of the time', () => {
    expect(amdahlCeilingPct(100 / 7, 1.5)).toBeCloseTo(5, 12);
  });

  it('grows with share and speed-up and is never negative', () => {
    const share = fc.double({ min: -50, max: 150, noNaN: true });
    const speedup = fc.double({ min: 0.1, max: 50, noNaN: true });
    fc.assert(
      fc.property(share, share, speedup, (a, b, s) => {
        const [less, more] = a < b ? [a, b] : [b, a];
        expect(amdahlCeilingPct(less, s)).toBeGreaterThanOrEqual(0);
        expect(amdahlCeilingPct(more, s) + 1e-9).toBeGreaterThanOrEqual(amdahlCeilingPct(less, s));
      }),
    );
  });
});
