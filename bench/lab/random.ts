import { Mt19937 } from '../../src/stats/mt19937.js';

/** Seeded draws for one run of one scenario; the same seed gives the same session. */
export class LabRandom {
  readonly #twister: Mt19937;

  constructor(seed: number) {
    this.#twister = new Mt19937(seed);
  }

  /** Uniform in [low, high). */
  between(low: number, high: number): number {
    return low + (high - low) * this.#twister.random();
  }

  /** Uniform integer, both ends included. */
  whole(low: number, high: number): number {
    return low + this.#twister.below(high - low + 1);
  }

  chance(probability: number): boolean {
    return this.#twister.random() < probability;
  }

  pick<T>(items: readonly [T, ...T[]]): T {
    return items[this.#twister.below(items.length)] ?? items[0];
  }

  /** Lower-case hex digits. */
  hex(length: number): string {
    let text = '';
    while (text.length < length) text += this.#twister.word32().toString(16).padStart(8, '0');
    return text.slice(0, length);
  }
}

/** A seed of its own for every scenario and repetition (FNV-1a over the name). */
export function seedOf(base: number, name: string, repetition: number): number {
  let hash = 0x811c9dc5;
  for (const character of `${name}#${repetition}`) {
    hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 0x01000193) >>> 0;
  }
  return (hash ^ Math.imul(base, 0x9e3779b1)) >>> 0;
}
