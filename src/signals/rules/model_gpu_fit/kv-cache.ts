import { integer, type Json, type JsonObject, text } from '../../../foreign/json.js';
import { tableKey } from './manifest.js';

const BYTES_PER_GIB = 2 ** 30;

/** The reference's bytes per token and model class; far too small, but all there is without the model's configuration. */
const BYTES_PER_TOKEN: Readonly<Record<string, number>> = {
  dense: 16,
  moe_swa: 4,
  moe_mla: 0.5,
  moe_mla_nsa: 0.5,
};

export interface KvCache {
  /** GiB on one GPU at the manifest's tensor parallelism. */
  readonly perGpuGib: number;
  /** False for a latent cache, which every GPU holds whole. */
  readonly sharded: boolean;
  readonly source: 'config' | 'class';
}

export interface KvDemand {
  readonly tp: number;
  readonly maxModelLen: number;
  readonly conc: number;
  readonly modelClass: string;
  /** `local_model_config` when it is an object. */
  readonly modelConfig: JsonObject | undefined;
}

/**
 * KV cache per GPU. From the model's configuration when it has the numbers, for one full-length sequence, because a server
 * queues the others; else by the class table for all concurrent ones (spec 04 §3, model_gpu_fit-2).
 */
export function kvCache({ tp, maxModelLen, conc, modelClass, modelConfig }: KvDemand): KvCache {
  const exact = modelConfig && bytesPerToken(modelConfig);
  if (exact) {
    const whole = (exact.bytes * maxModelLen) / BYTES_PER_GIB;
    return { perGpuGib: exact.latent ? whole : whole / tp, sharded: !exact.latent, source: 'config' };
  }
  const bytes = BYTES_PER_TOKEN[tableKey(modelClass)] ?? 16;
  return { perGpuGib: (bytes * maxModelLen * conc) / tp / BYTES_PER_GIB, sharded: true, source: 'class' };
}

/** Bytes of one token in the cache; the latent form stores one compressed vector per layer instead of keys and values. */
function bytesPerToken(config: JsonObject): { bytes: number; latent: boolean } | undefined {
  const layers = positive(config['num_hidden_layers']);
  if (layers === undefined) return undefined;
  const bytesPerValue = text(config['kv_cache_dtype'])?.startsWith('fp8') ? 1 : 2;
  const rank = positive(config['kv_lora_rank']);
  if (rank !== undefined) {
    const rope = integer(config['qk_rope_head_dim']);
    return rope === undefined || rope < 0
      ? undefined
      : { bytes: layers * (rank + rope) * bytesPerValue, latent: true };
  }
  const heads = positive(config['num_key_value_heads']);
  const headDim = positive(config['head_dim']);
  if (heads === undefined || headDim === undefined) return undefined;
  return { bytes: 2 * layers * heads * headDim * bytesPerValue, latent: false };
}

function positive(value: Json | undefined): number | undefined {
  const number = integer(value);
  return number !== undefined && number > 0 ? number : undefined;
}
