import type { Price } from '../../llm/budget.js';
import { deadlineIn } from '../../llm/deadline.js';
import type { Embedder } from '../../llm/embeddings.js';
import { kindOf } from '../executor/model-executor.js';
import { sha256 } from '../hash.js';
import type { EmbeddingStore } from '../store/embedding-store.js';
import { type DriftSource, DriftUnavailable, type DriftUsage } from './drift-source.js';

export interface EmbeddingDriftOptions {
  readonly embedder: Embedder;
  readonly store: EmbeddingStore;
  /** Null: unknown, and allowed to be. */
  readonly price: Price | null;
  readonly timeoutMs: number;
}

const CHARACTERS_PER_TOKEN = 4;
const MOST_TOKENS_PER_CHARACTER = 0.5;

/**
 * Drift by the vectors of a provider: 1 − cosine, within 0 and 1 (spec 08 §24.7). Vectors are kept under the name of their model,
 * and compared with none of another.
 */
export function embeddingDrift({ embedder, store, price, timeoutMs }: EmbeddingDriftOptions): DriftSource {
  const { model } = embedder;
  const loaded = new Map<string, Float64Array>();
  const usdOf = (tokens: number): number => (price === null ? 0 : (tokens * price.inputUsd) / 1e6);
  const missing = (texts: readonly string[]): string[] => {
    for (const text of texts) {
      const known = loaded.has(text) ? null : store.find(model, sha256(text));
      if (known !== null) loaded.set(text, known);
    }
    return [...new Set(texts.filter((text) => !loaded.has(text)))];
  };
  const characters = (texts: readonly string[]): number => texts.reduce((sum, text) => sum + text.length, 0);
  async function fetchVectors(texts: readonly string[]): Promise<DriftUsage> {
    if (texts.length === 0) return { model, calls: 0, tokens: 0, usd: 0, estimated: false };
    const deadline = deadlineIn(timeoutMs);
    try {
      const result = await embedder.embed(texts, deadline);
      if (!result.ok) {
        const usage: DriftUsage = { model, calls: result.attempts, tokens: 0, usd: 0, estimated: false };
        const message = `embeddings of ${model}: ${result.failure.message}`;
        throw new DriftUnavailable(kindOf(result.failure), message, usage);
      }
      for (const [index, text] of texts.entries()) {
        const vector = Float64Array.from(result.vectors[index] ?? []);
        loaded.set(text, vector);
        store.add(model, sha256(text), vector);
      }
      const tokens = result.inputTokens ?? Math.ceil(characters(texts) / CHARACTERS_PER_TOKEN);
      const estimated = result.inputTokens === undefined;
      return { model, calls: result.attempts, tokens, usd: usdOf(tokens), estimated };
    } finally {
      deadline.clear();
    }
  }
  return {
    worstCaseUsd: (texts) => usdOf(characters(missing(texts)) * MOST_TOKENS_PER_CHARACTER),
    async load(texts) {
      const usage = await fetchVectors(missing(texts));
      const lengths = new Set(texts.map((text) => loaded.get(text)?.length));
      // Kept vectors of another length are those of a model that had this name before.
      return lengths.size <= 1 ? usage : added(usage, await fetchVectors([...new Set(texts)]));
    },
    between(before, after) {
      if (before === after) return 0;
      const a = loaded.get(before);
      const b = loaded.get(after);
      if (a === undefined || b === undefined) throw new RangeError('a text was not loaded');
      return distance(a, b);
    },
  };
}

function added(a: DriftUsage, b: DriftUsage): DriftUsage {
  return {
    model: a.model,
    calls: a.calls + b.calls,
    tokens: a.tokens + b.tokens,
    usd: a.usd + b.usd,
    estimated: a.estimated || b.estimated,
  };
}

/** 1 − cosine. */
function distance(a: Float64Array, b: Float64Array): number {
  let dot = 0;
  let lengthA = 0;
  let lengthB = 0;
  for (let i = 0; i < a.length; i += 1) {
    const x = a[i] ?? 0;
    const y = b[i] ?? 0;
    dot += x * y;
    lengthA += x * x;
    lengthB += y * y;
  }
  return Math.min(1, Math.max(0, 1 - dot / Math.sqrt(lengthA * lengthB)));
}
