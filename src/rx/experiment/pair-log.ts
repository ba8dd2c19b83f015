import { signTestTwoSided } from '../../stats/sign-test.js';
import type { CompletePair, LostPair, PairOutcome } from './pair.js';

/** More than this share of lost pairs makes an experiment invalid (06 F.8). */
export const MAX_LOST_SHARE = 0.1;
const IMBALANCE_LEVEL = 0.05;

/** The pairs of one experiment, the lost ones counted, and whether the losses allow a verdict (06 F.8). */
export class PairLog {
  readonly #complete: CompletePair[] = [];
  readonly #lost: LostPair[] = [];
  readonly #planned: number;

  /** @param planned number of pairs that the experiment may try */
  constructor(planned: number) {
    this.#planned = planned;
  }

  add(outcome: PairOutcome): void {
    if (outcome.ok) this.#complete.push(outcome.pair);
    else this.#lost.push(outcome.lost);
  }

  get complete(): readonly CompletePair[] {
    return this.#complete;
  }

  get lost(): readonly LostPair[] {
    return this.#lost;
  }

  /** So many are lost already that no result of the planned pairs could be valid. */
  get hopeless(): boolean {
    return this.#lost.length > MAX_LOST_SHARE * this.#planned;
  }

  /** Why the experiment says nothing, or null. */
  get invalid(): string | null {
    const tried = this.#complete.length + this.#lost.length;
    const example = this.#lost[0]?.reason ?? '';
    if (this.#lost.length > MAX_LOST_SHARE * tried) {
      return `${this.#lost.length} of ${tried} pairs were lost (10 % allowed), the first because ${example}`;
    }
    const control = this.#lost.filter(({ lostBy }) => lostBy === 'control').length;
    const treatment = this.#lost.filter(({ lostBy }) => lostBy === 'treatment').length;
    if (signTestTwoSided(control, treatment) <= IMBALANCE_LEVEL) {
      return `losses are lopsided: ${control} pairs by control alone, ${treatment} by treatment alone`;
    }
    return null;
  }
}
