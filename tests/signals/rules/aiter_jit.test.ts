import { aiterJit } from '../../../src/signals/rules/aiter_jit.js';
import { testRule } from '../../support/rule-tester.js';

const cache = (so_count: unknown, more: object = {}) => ({
  snapshot: { local_aiter_jit: { so_count, jit_dir: '/j', ...more } },
});
const tick = (n: number) => ({ context: { shared_state: { tick: n } } });
const build = (n: number, build_count: unknown) => ({ ...tick(n), ...cache(50, { build_count }) });
const locks = (n: number, lock_count: unknown, oldest_lock_age_s: unknown, live_compilers: unknown) => ({
  ...tick(n),
  ...cache(50, { build_count: 9, lock_count, oldest_lock_age_s, live_compilers }),
});
const steps = (...counts: [number, string[]][]) =>
  counts.map(([count, symptoms], index) => ({ ...tick(index + 1), ...cache(count), symptoms }));

const R = ['aiter_jit_regressed'];
const S = ['aiter_jit_build_stuck'];

testRule(aiterJit, {
  valid: [
    { why: 'there is no cache directory' },
    { why: 'a first look at a cold cache is no regression', ...cache(5) },
    { why: 'a count that is text is no count', ...cache('5'), state: { last_so_count: 80 } },
    { why: 'a cache that is smaller but warm', ...cache(21), state: { last_so_count: 80 } },
    { why: 'a shrink by less than the ratio', ...cache(20), state: { last_so_count: 25 } },
    { why: 'a cache that was never warm', ...cache(0), state: { last_so_count: 20 } },
    { why: 'a baseline that is text is none', ...cache(5), state: { last_so_count: '80' } },
    {
      why: 'another directory is another cache (aiter_jit-1)',
      ...cache(5),
      state: { high_water_so_count: 80, jit_dir: '/k' },
    },
    { why: 'a lock with a living compiler is a build at work (aiter_jit-2)', ...locks(1, 2, 900, 1) },
    { why: 'a young lock may still be at work (aiter_jit-2)', ...locks(1, 2, 299, 0) },
    {
      why: 'no lock, however long the count stays (aiter_jit-2)',
      ...locks(1, 0, null, 0),
      state: { last_build_count: 9, stale_build_streak: 50 },
    },
    { why: 'unknown compilers prove nothing (aiter_jit-2)', ...locks(1, 2, 900, null), undecided: S },
    { why: 'unknown locks prove nothing (aiter_jit-2)', ...locks(1, null, null, 0), undecided: S },
  ],
  invalid: [
    {
      why: 'a warm cache went cold',
      ...cache(5),
      state: { last_so_count: 80.9 },
      symptoms: [
        {
          name: 'aiter_jit_regressed',
          severity: 'high',
          subject: {},
          source: 'local',
          evidence: {
            previous_so_count: 80,
            current_so_count: 5,
            cold_so_count_threshold: 20,
            regression_ratio: 0.8,
            jit_dir: '/j',
            last_so_count: 80,
          },
          summaryMentions: ['80', '5', '20', '60 min'],
          suggestionMentions: ['INFERENCE_OPTIMIZER_COLD_START_TIMEOUT_SEC'],
        },
      ],
    },
    { why: 'cold is at most the limit', ...cache(20), state: { last_so_count: 26 }, symptoms: R },
    {
      why: 'an old lock without compiler is a stuck build (aiter_jit-2)',
      ...locks(1, 2, 300, 0),
      symptoms: [
        {
          name: 'aiter_jit_build_stuck',
          severity: 'medium',
          evidence: {
            build_count: 9,
            stale_ticks: 1,
            stale_build_threshold: 1,
            lock_count: 2,
            oldest_lock_age_s: 300,
            jit_dir: '/j',
          },
        },
      ],
    },
    {
      why: 'a stuck build comes before the regression',
      ...cache(5, { lock_count: 1, oldest_lock_age_s: 900, live_compilers: 0 }),
      state: { last_so_count: 80 },
      symptoms: [...S, ...R],
    },
  ],
  sequences: [
    {
      why: 'a cold cache is reported as long as it is cold (aiter_jit-1)',
      steps: steps([80, []], [5, R], [5, R], [30, []]),
    },
    {
      why: 'a slow decay is found when it crosses (aiter_jit-1)',
      steps: steps([26, []], [23, []], [21, []], [20, R]),
    },
    {
      why: 'a tick without data changes nothing',
      steps: [
        ...steps([80, []]),
        { ...tick(2), snapshot: {}, symptoms: [] },
        { ...tick(3), ...cache(5), symptoms: R },
      ],
    },
    {
      why: 'without lock data the sixth equal count is stuck',
      steps: [
        ...[1, 2, 3, 4, 5].map((n) => ({ ...build(n, 5), symptoms: [] })),
        {
          ...build(6, 5),
          symptoms: [{ name: 'aiter_jit_build_stuck', evidenceWith: { build_count: 5, stale_ticks: 5 } }],
        },
        { ...build(7, 6), symptoms: [] },
      ],
    },
    {
      why: 'a repeated tick is not counted again (G-9)',
      steps: [
        ...[1, 2, 3, 4, 5, 5, 5].map((n) => ({ ...build(n, 5), symptoms: [] })),
        { ...build(6, 5), symptoms: S },
        { ...build(6, 5), symptoms: S },
      ],
    },
    {
      why: 'a count of 1 is never stuck, and one that is no number is 0 (aiter_jit-3)',
      steps: [
        ...[1, 2, 3, 4, 5, 6, 7].map((n) => ({ ...build(n, 1), symptoms: [] })),
        { ...build(8, 'abc'), symptoms: [], stateWith: { last_build_count: 0 } },
        { ...build(9, [1]), symptoms: [], stateWith: { last_build_count: 0 } },
        { ...build(10, 2.5), symptoms: [], stateWith: { last_build_count: 2 } },
      ],
    },
    {
      why: 'stuck evaluations in a row are counted, any other starts again (aiter_jit-2)',
      steps: [
        {
          ...locks(1, 1, 400, 0),
          symptoms: [{ name: 'aiter_jit_build_stuck', evidenceWith: { stale_ticks: 1 } }],
        },
        {
          ...locks(2, 1, 460, 0),
          symptoms: [{ name: 'aiter_jit_build_stuck', evidenceWith: { stale_ticks: 2 } }],
        },
        { ...locks(3, 1, 520, 1), symptoms: [] },
        {
          ...locks(4, 1, 580, 0),
          symptoms: [{ name: 'aiter_jit_build_stuck', evidenceWith: { stale_ticks: 1 } }],
        },
      ],
    },
    {
      why: 'a corrupt slot means its defaults (G-3)',
      state: {
        last_so_count: '80',
        last_build_count: '4',
        stale_build_streak: -2,
        high_water_so_count: true,
        jit_dir: 7,
      },
      steps: [
        {
          ...build(3, 4),
          symptoms: [],
          stateWith: {
            last_so_count: 50,
            last_build_count: 4,
            stale_build_streak: 1,
            high_water_so_count: 50,
            last_tick: 3,
          },
        },
      ],
    },
  ],
});
