import { describe, expect, it } from 'vitest';
import { aaSeed, attemptSeed, confirmationSeed, seedProblem } from '../../../src/rx/loop/seed-blocks.js';
import { DEFAULT_SETTINGS, type LoopSettings } from '../../../src/rx/loop/settings.js';

const problem = (changes: Partial<LoopSettings>, aaPairs = 0): string | null =>
  seedProblem({ ...DEFAULT_SETTINGS, ...changes }, aaPairs);

describe('blocks of seeds', () => {
  it('lie where the specification puts them', () => {
    expect([1, 2, 6].map((k) => attemptSeed(1000, k))).toEqual([1000, 2000, 6000]);
    expect(confirmationSeed(1000)).toBe(1_001_000);
    expect(aaSeed(1000)).toBeGreaterThan(confirmationSeed(1000) + DEFAULT_SETTINGS.confirm_runs);
  });

  it('are apart by default, and at the largest sizes', () => {
    expect(problem({})).toBeNull();
    expect(problem({ max_iters: 1000, max_pairs: 1000, confirm_runs: 100_000 }, 1000)).toBeNull();
    expect(problem({ max_iters: 0, seed: 42 })).toBeNull();
  });

  it.each([
    ['evaluation meets discovery', { seed: 42 }, 'discovery seeds from 42'],
    ['discovery runs into evaluation', { discovery_seed: 995 }, 'overlap'],
    ['discovery lies in a later block', { discovery_seed: 3010 }, 'overlap'],
    ['discovery lies in the confirmation block', { discovery_seed: 1_001_100 }, 'confirmation'],
    ['too many attempts', { max_iters: 1001 }, '1001 attempts'],
    ['too many pairs', { max_pairs: 1001 }, '1001 pairs'],
    ['too many confirmation runs', { confirm_runs: 100_001 }, 'confirmation runs'],
    ['a negative seed', { seed: -5 }, 'the seed is -5'],
    ['half a seed', { discovery_seed: 0.5 }, 'the discovery seed is 0.5'],
    ['a seed beyond exact integers', { seed: 2 ** 51 }, 'from 0 to 2^50'],
  ])('are refused when %s', (_name, changes, message) => {
    expect(problem(changes)).toContain(message);
  });

  it('are refused for too many A/A pairs', () => {
    expect(problem({}, 1001)).toContain('A/A');
  });
});
