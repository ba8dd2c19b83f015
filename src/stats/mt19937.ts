const SIZE = 624;
const SHIFT = 397;
const TWO_32 = 4294967296;

/** State after seeding with 19650218, the common start of every key (06 A.2 step 1). */
const START = startState();

/**
 * Mersenne Twister MT19937 (Matsumoto & Nishimura 1998), seeded and drawn from exactly as Python's
 * `random.Random(int)` does (06 A.2): seeds that differ only in sign agree.
 */
export class Mt19937 {
  readonly #state = new Uint32Array(SIZE);
  #next = 0;
  #spareGauss: number | null = null;

  /** @param seed a safe integer; throws a RangeError otherwise */
  constructor(seed: number) {
    if (!Number.isSafeInteger(seed)) throw new RangeError(`seed must be a safe integer, got ${seed}`);
    initByKey(this.#state, keyOf(Math.abs(seed)));
  }

  /** The next tempered 32-bit word, in [0, 2^32). */
  word32(): number {
    const m = this.#state;
    const k = this.#next;
    const after = k === SIZE - 1 ? 0 : k + 1;
    // Each word depends only on words that this pass has already or not yet reached: regenerating one at a time is exact.
    const y = ((m[k] ?? 0) & 0x80000000) | ((m[after] ?? 0) & 0x7fffffff);
    let word =
      (m[k < SIZE - SHIFT ? k + SHIFT : k + SHIFT - SIZE] ?? 0) ^ (y >>> 1) ^ (y & 1 ? 0x9908b0df : 0);
    m[k] = word;
    this.#next = after;
    word ^= word >>> 11;
    word ^= (word << 7) & 0x9d2c5680;
    word ^= (word << 15) & 0xefc60000;
    return (word ^ (word >>> 18)) >>> 0;
  }

  /** Uniform in [0, 1) with 53 bits; consumes two words. */
  random(): number {
    const high = this.word32() >>> 5;
    const low = this.word32() >>> 6;
    return (high * 67108864 + low) / 9007199254740992;
  }

  /** The top `bits` bits of the next word, 1 ≤ bits ≤ 32. */
  bits(bits: number): number {
    return this.word32() >>> (32 - bits);
  }

  /** Uniform integer in [0, n), 1 ≤ n < 2^32, by rejection on the bit length of n. */
  below(n: number): number {
    const bits = 32 - Math.clz32(n);
    let k = this.bits(bits);
    while (k >= n) k = this.bits(bits);
    return k;
  }

  /** Uniform integer in [low, high], both ends included. */
  integer(low: number, high: number): number {
    return low + this.below(high - low + 1);
  }

  /** One element of a list; throws a RangeError for an empty one. */
  choice<T>(list: readonly T[]): T {
    if (list.length === 0) throw new RangeError('cannot choose from an empty list');
    return list[this.below(list.length)] as T;
  }

  /** Shuffles in place from the last element down and returns the same list. */
  shuffle<T>(list: T[]): T[] {
    for (let i = list.length - 1; i > 0; i -= 1) {
      const j = this.below(i + 1);
      const kept = list[i] as T;
      list[i] = list[j] as T;
      list[j] = kept;
    }
    return list;
  }

  /** low + (high − low) · random(). */
  uniform(low: number, high: number): number {
    return low + (high - low) * this.random();
  }

  /** Normal variate (Box–Muller); its last bit depends on the C library, so no reproducible result may rest on it. */
  gauss(mean: number, sigma: number): number {
    const spare = this.#spareGauss;
    if (spare !== null) {
      this.#spareGauss = null;
      return mean + spare * sigma;
    }
    const angle = this.random() * 2 * Math.PI;
    const radius = Math.sqrt(-2 * Math.log(1 - this.random()));
    this.#spareGauss = Math.sin(angle) * radius;
    return mean + Math.cos(angle) * radius * sigma;
  }
}

/** The seed's 32-bit words, least significant first, at least one. */
function keyOf(magnitude: number): readonly number[] {
  const low = magnitude % TWO_32;
  const high = Math.floor(magnitude / TWO_32);
  return high === 0 ? [low] : [low, high];
}

function startState(): Uint32Array {
  const m = new Uint32Array(SIZE);
  let previous = 19650218;
  m[0] = previous;
  for (let i = 1; i < SIZE; i += 1) {
    previous = (Math.imul(1812433253, previous ^ (previous >>> 30)) + i) >>> 0;
    m[i] = previous;
  }
  return m;
}

/** 06 A.2 steps 2–4. */
function initByKey(m: Uint32Array, key: readonly number[]): void {
  m.set(START);
  let previous = m[0] ?? 0;
  let i = 1;
  let j = 0;
  for (let step = Math.max(SIZE, key.length); step > 0; step -= 1) {
    previous = (((m[i] ?? 0) ^ Math.imul(previous ^ (previous >>> 30), 1664525)) + (key[j] ?? 0) + j) >>> 0;
    m[i] = previous;
    i += 1;
    j = j + 1 === key.length ? 0 : j + 1;
    if (i === SIZE) {
      m[0] = previous;
      i = 1;
    }
  }
  for (let step = SIZE - 1; step > 0; step -= 1) {
    previous = (((m[i] ?? 0) ^ Math.imul(previous ^ (previous >>> 30), 1566083941)) - i) >>> 0;
    m[i] = previous;
    i += 1;
    if (i === SIZE) {
      m[0] = previous;
      i = 1;
    }
  }
  m[0] = 0x80000000;
}
