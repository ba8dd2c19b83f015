/** How a test that had a level ended; `void` gives the level back (08 §24.4). */
export type LedgerOutcome = 'promoted' | 'not_promoted' | 'void';

/** One settled test. */
export interface LedgerRow {
  readonly alpha: number;
  readonly outcome: LedgerOutcome;
}

/**
 * Spends one error budget over at most K tests, one after another: α_t = α/K, plus all of α_(t−1) when test t−1 was
 * promoted. The rule is the fallback procedure of Wiens & Dmitrienko 2005 with equal shares (08 §24.4, used by 06 F.4): it
 * bounds the chance of any false promotion by α for tests that are fixed in advance or run on fresh data each.
 * A void test leaves t, its level and the carry as they were.
 */
export class AlphaLedger {
  readonly #alpha: number;
  readonly #tests: number;
  readonly #rows: LedgerRow[] = [];
  #used = 0;
  #carry = 0;

  /**
   * @param alpha family-wise level in (0, 1)
   * @param tests K, the largest number of tests
   * @param settled earlier rows of the same budget, in order
   */
  constructor(alpha: number, tests: number, settled: readonly LedgerOutcome[] = []) {
    if (!(alpha > 0 && alpha < 1)) throw new RangeError(`alpha must be between 0 and 1, got ${alpha}`);
    if (!Number.isSafeInteger(tests) || tests < 1)
      throw new RangeError(`tests must be at least 1, got ${tests}`);
    this.#alpha = alpha;
    this.#tests = tests;
    for (const outcome of settled) this.settle(outcome);
  }

  /** The level of the next test; null when all K are used. */
  get next(): number | null {
    return this.#used < this.#tests ? this.#alpha / this.#tests + this.#carry : null;
  }

  /** Books the outcome of the test that had `next`; throws a RangeError when all K are used. */
  settle(outcome: LedgerOutcome): void {
    const alpha = this.next;
    if (alpha === null) throw new RangeError(`all ${this.#tests} tests of this budget are used`);
    this.#rows.push({ alpha, outcome });
    if (outcome === 'void') return;
    this.#used += 1;
    this.#carry = outcome === 'promoted' ? alpha : 0;
  }

  get rows(): readonly LedgerRow[] {
    return this.#rows;
  }
}

/** Level of test k = 1, 2, … when their number is unknown: α·6/(π²k²), which sums to α (06 F.4). */
export function openEndedAlpha(alpha: number, k: number): number {
  return (alpha * 6) / (Math.PI ** 2 * k ** 2);
}
