import type { LoopSettings } from './settings.js';

const BLOCK_LENGTH = 1000;
const CONFIRMATION_OFFSET = 1_000_000;
const AA_OFFSET = 1_100_000;
const MAX_ITERS = 1000;
const MAX_CONFIRM_RUNS = 100_000;
const MAX_AA_PAIRS = 1000;
/** Four streams per seed must stay exact integers. */
const MAX_SEED = 2 ** 50;

/** Consecutive seeds for one purpose. */
interface Block {
  readonly name: string;
  readonly first: number;
  readonly length: number;
}

/** First seed of attempt k = 1, 2, …: each has a block of its own (06 F.4). */
export function attemptSeed(seed: number, k: number): number {
  return seed + BLOCK_LENGTH * (k - 1);
}

/** First seed of the confirmation block, which decides nothing (06 F.4). */
export function confirmationSeed(seed: number): number {
  return seed + CONFIRMATION_OFFSET;
}

/** First seed of the A/A pairs, behind the confirmation block. */
export function aaSeed(seed: number): number {
  return seed + AA_OFFSET;
}

/**
 * Why the blocks of a run cannot be kept apart, in words, or null. Discovery may share no seed with a block that decides
 * or confirms, nor may two of those.
 */
export function seedProblem(settings: LoopSettings, aaPairs = 0): string | null {
  const { seed, discovery_seed, max_iters, max_pairs, confirm_runs } = settings;
  for (const [name, value] of Object.entries({ seed, discovery_seed })) {
    if (!Number.isInteger(value) || value < 0 || value > MAX_SEED) {
      return `the ${name.replace('_', ' ')} is ${value}, expected a whole number from 0 to 2^50`;
    }
  }
  if (max_iters > MAX_ITERS) return `${max_iters} attempts do not fit, ${MAX_ITERS} at most`;
  if (max_pairs > BLOCK_LENGTH) return `${max_pairs} pairs do not fit a block, ${BLOCK_LENGTH} at most`;
  if (confirm_runs > MAX_CONFIRM_RUNS)
    return `${confirm_runs} confirmation runs are too many, ${MAX_CONFIRM_RUNS} at most`;
  if (aaPairs > MAX_AA_PAIRS) return `${aaPairs} A/A pairs are too many, ${MAX_AA_PAIRS} at most`;
  return overlap(blocksOf(settings, aaPairs));
}

function blocksOf(settings: LoopSettings, aaPairs: number): Block[] {
  const attempts = Math.max(0, settings.max_iters);
  const evaluation = attempts === 0 ? 0 : BLOCK_LENGTH * (attempts - 1) + settings.max_pairs;
  return [
    { name: 'discovery', first: settings.discovery_seed, length: settings.discovery_runs },
    { name: 'evaluation', first: settings.seed, length: evaluation },
    { name: 'confirmation', first: confirmationSeed(settings.seed), length: settings.confirm_runs },
    { name: 'A/A', first: aaSeed(settings.seed), length: aaPairs },
  ].filter(({ length }) => length > 0);
}

function overlap(blocks: readonly Block[]): string | null {
  const sorted = [...blocks].sort((a, b) => a.first - b.first);
  for (const [i, block] of sorted.entries()) {
    const next = sorted[i + 1];
    if (next !== undefined && block.first + block.length > next.first) {
      return `the ${block.name} seeds from ${block.first} and the ${next.name} seeds from ${next.first} overlap`;
    }
  }
  return null;
}
