const BUCKETS = 1024;
const WEIGHTS: readonly (readonly [n: number, weight: number])[] = [
  [1, 0.5],
  [2, 1],
  [3, 0.5],
];

/** FNV-1a, 32 bits, over the UTF-8 bytes (Fowler, Noll & Vo). */
export function fnv1a32(text: string): number {
  let hash = 0x811c9dc5;
  for (const byte of Buffer.from(text)) hash = Math.imul(hash ^ byte, 0x01000193);
  return hash >>> 0;
}

/**
 * Drift of two texts, 0 to 1: hashed n-grams of one to three words, in which order counts (spec 08 §24.7). Deterministic,
 * offline, and blind to meaning.
 */
export function ngramDrift(before: string, after: string): number {
  const a = vectorOf(before);
  const b = vectorOf(after);
  if (a === null || b === null) return a === b ? 0 : 1;
  let dot = 0;
  let lengthA = 0;
  let lengthB = 0;
  for (let i = 0; i < BUCKETS; i += 1) {
    const x = a[i] ?? 0;
    const y = b[i] ?? 0;
    dot += x * y;
    lengthA += x * x;
    lengthB += y * y;
  }
  if (lengthA === 0 || lengthB === 0) return lengthA === lengthB ? 0 : 1;
  return Math.min(1, Math.max(0, 1 - dot / Math.sqrt(lengthA * lengthB)));
}

function vectorOf(text: string): Float64Array | null {
  const words = text.toLowerCase().match(/[a-z0-9_]+/g) ?? [];
  if (words.length === 0) return null;
  const vector = new Float64Array(BUCKETS);
  for (const [n, weight] of WEIGHTS) {
    const counts = new Map<string, number>();
    for (let i = 0; i + n <= words.length; i += 1) {
      const feature = `${n}|${words.slice(i, i + n).join(' ')}`;
      counts.set(feature, (counts.get(feature) ?? 0) + 1);
    }
    for (const [feature, count] of counts) {
      const hash = fnv1a32(feature);
      const sign = hash >>> 31 === 0 ? 1 : -1;
      const bucket = hash % BUCKETS;
      vector[bucket] = (vector[bucket] ?? 0) + sign * weight * (1 + Math.log(count));
    }
  }
  return vector;
}
