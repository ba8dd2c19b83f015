import { integer, type JsonObject, listOr, nonBlank, objectOr, text } from '../../foreign/json.js';

/** What a model directory says about the model (spec 02 §14, 04 §14); null = not stated. */
export type ModelConfig = {
  readonly path: string;
  readonly architectures: readonly string[];
  readonly num_hidden_layers: number | null;
  readonly num_attention_heads: number | null;
  readonly num_key_value_heads: number | null;
  readonly head_dim: number | null;
  readonly hidden_size: number | null;
  readonly kv_lora_rank: number | null;
  readonly qk_rope_head_dim: number | null;
  readonly torch_dtype: string | null;
  readonly quant_method: string | null;
  readonly kv_cache_dtype: string | null;
  /** Sum of the checkpoint's tensors. */
  readonly weights_bytes: number | null;
};

const MAX_NAMES = 8;
const MAX_NAME = 200;

/**
 * The numbers of a `config.json`; of one for several modalities those of the text model. Heads and their size have the
 * defaults that the model library gives them: as many key-value heads as heads, and an equal share of the hidden size each.
 */
export function modelConfig(
  path: string,
  config: JsonObject,
): Omit<ModelConfig, 'weights_bytes' | 'kv_cache_dtype'> {
  const own = objectOr(config['text_config']);
  const inner: JsonObject = Object.keys(own).length > 0 ? own : config;
  const count = (name: string): number | null => {
    const value = integer(inner[name]);
    return value !== undefined && value > 0 ? value : null;
  };
  const heads = count('num_attention_heads');
  const hidden = count('hidden_size');
  const share = heads !== null && hidden !== null && hidden % heads === 0 ? hidden / heads : null;
  const quantization = objectOr(config['quantization_config'] ?? inner['quantization_config']);
  return {
    path,
    architectures: listOr(config['architectures'])
      .flatMap((name) => shortText(name) ?? [])
      .slice(0, MAX_NAMES),
    num_hidden_layers: count('num_hidden_layers'),
    num_attention_heads: heads,
    num_key_value_heads: count('num_key_value_heads') ?? heads,
    head_dim: count('head_dim') ?? share,
    hidden_size: hidden,
    kv_lora_rank: count('kv_lora_rank'),
    qk_rope_head_dim: count('qk_rope_head_dim'),
    torch_dtype:
      shortText(inner['torch_dtype'] ?? inner['dtype'] ?? config['torch_dtype'] ?? config['dtype']) ?? null,
    quant_method: shortText(quantization['quant_method']) ?? null,
  };
}

/** The type of the key-value cache that the server is told to use, by its arguments in the manifest. */
export function kvCacheDtype(manifest: JsonObject): string | null {
  const args = manifest['server_args'];
  const words = Array.isArray(args)
    ? listOr(args).map((word) => text(word) ?? '')
    : (text(args) ?? '').split(/\s+/);
  for (const [index, word] of words.entries()) {
    if (word === '--kv-cache-dtype') return shortText(words[index + 1]) ?? null;
    if (word.startsWith('--kv-cache-dtype='))
      return shortText(word.slice('--kv-cache-dtype='.length)) ?? null;
  }
  return null;
}

/** `metadata.total_size` at the head of a `model.safetensors.index.json`, whose map of tensors may be megabytes long. */
export function totalSize(indexHead: string): number | null {
  const digits = /"total_size"\s*:\s*(\d{1,16})\b/.exec(indexHead)?.[1];
  return digits === undefined ? null : Number(digits);
}

function shortText(value: unknown): string | undefined {
  return nonBlank(value)?.slice(0, MAX_NAME);
}
