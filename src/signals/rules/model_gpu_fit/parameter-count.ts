/** Share of the parameters of N experts of M billion each that a mixture really has: attention and embeddings are shared. */
const MIXTURE_SHARE = 0.8;
/** Longer names are cut; a size stands near the front. */
const MAX_NAME = 512;

const SIZE = /(?<![A-Za-z0-9.])[vV]?(?:(\d+)\s*[xX]\s*)?(\d+(?:\.\d+)?)\s*[bB](?![A-Za-z])/;

/**
 * Billions of parameters that a model name tells: the first `70B`, `1.5b`, `v1.5B` or `8x22B` in it that touches no other
 * letter or digit; undefined without one (spec 04 §3, model_gpu_fit-7).
 */
export function billionsFromName(name: string): number | undefined {
  const match = SIZE.exec(name.slice(0, MAX_NAME));
  if (!match) return undefined;
  const experts = match[1] === undefined ? undefined : Number(match[1]);
  const size = Number(match[2]);
  const billions = experts === undefined ? size : experts * size * MIXTURE_SHARE;
  return billions > 0 && Number.isFinite(billions) ? billions : undefined;
}
