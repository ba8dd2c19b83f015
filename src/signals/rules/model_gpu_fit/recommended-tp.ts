import type { Estimate } from './estimate.js';

const TENSOR_PARALLEL_SIZES = [1, 2, 4, 8, 16, 32, 64] as const;

/** Smallest power of two up to 64 at which the model fits with the wanted headroom; undefined: none (model_gpu_fit-1). */
export function recommendedTp(estimate: Estimate, minHeadroomPct: number): number | undefined {
  const { tp, weightsGib, kvGib, kvSharded, activationGib, hbmGib } = estimate;
  const limit = hbmGib * (1 - minHeadroomPct / 100);
  return TENSOR_PARALLEL_SIZES.find((size) => {
    const kv = kvSharded ? (kvGib * tp) / size : kvGib;
    return (weightsGib * tp) / size + kv + activationGib <= limit;
  });
}
