import { cleanText } from '../../foreign/hygiene.js';
import { finiteNumber, isObject, text } from '../../foreign/json.js';
import { roundHalfEven } from '../../foreign/round.js';

/** Share of GPU time per tier of kernels (spec 02 §5.15). */
export type KernelBreakdown = {
  /** Percent per bucket, 3 decimals. */
  readonly tier_pcts: Readonly<Record<string, number>>;
  readonly total_kernels: number;
  readonly total_gpu_pct: number;
  /** The total is more than any GPU has. */
  readonly total_suspect: boolean;
};

const BUCKETS: ReadonlyMap<string, string> = new Map([
  ['T1_TRITON', 'triton'],
  ['T2_AITER_CK', 'vendor'],
  ['T3_FRAMEWORK', 'framework'],
  ['T4_COMM', 'comm'],
  ['T5_COMPILED', 'compiled'],
]);
const MAX_BUCKETS = 64;
const MAX_NAME = 64;
const MAX_PCT = 1e6;
const SUSPECT_ABOVE_PCT = 105;

/** Adds up the rows of a kernel breakdown; rows that are no object do not count, percentages that are none do not add. */
export function summariseBreakdown(rows: readonly unknown[]): KernelBreakdown {
  const sums = new Map<string, number>();
  let total = 0;
  let kernels = 0;
  for (const row of rows) {
    if (!isObject(row)) continue;
    kernels += 1;
    const pct = finiteNumber(row['gpu_pct']);
    if (pct === undefined || pct < 0 || pct > MAX_PCT) continue;
    total += pct;
    const bucket = bucketOf(row['tier']);
    const key = sums.has(bucket) || sums.size < MAX_BUCKETS - 1 ? bucket : 'other';
    sums.set(key, (sums.get(key) ?? 0) + pct);
  }
  return {
    tier_pcts: Object.fromEntries([...sums].map(([bucket, sum]) => [bucket, roundHalfEven(sum, 3)])),
    total_kernels: kernels,
    total_gpu_pct: roundHalfEven(total, 3),
    total_suspect: total > SUSPECT_ABOVE_PCT,
  };
}

function bucketOf(tier: unknown): string {
  const name = (text(tier) ?? '').trim();
  if (name === '') return 'unknown';
  return BUCKETS.get(name) ?? cleanText(name.toLowerCase(), MAX_NAME);
}
