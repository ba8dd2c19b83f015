import { logMeanExp } from './sign-flip-e-process.js';

/** λ_k = (k − ½)/points · largest for k = 1 … points. */
export function bettingGrid(points: number, largest: number): readonly number[] {
  return Array.from({ length: points }, (_, k) => ((k + 0.5) / points) * largest);
}

/** The forty bets of a confirmation (08 §24.4). */
export const CONFIRMATION_BETS = bettingGrid(40, 1);

/**
 * Betting e-process for outcomes x in [−1, 1] (Waudby-Smith & Ramdas 2024; 08 §24.4): E = mean over λ of ∏(1 + λ·x_i). When
 * the mean of x is at most 0 given the past, E is a non-negative supermartingale, so P(E ever ≥ 1/a) ≤ a. For harm push
 * −x. A grid with larger bets suits outcomes bounded more tightly from below, such as m − x with x in {0, 1} and bets
 * below 1/(1 − m) (08 §24.10).
 */
export class BettingEProcess {
  readonly #bets: readonly number[];
  readonly #logs: number[];

  constructor(bets: readonly number[] = CONFIRMATION_BETS) {
    this.#bets = bets;
    this.#logs = bets.map(() => 0);
  }

  push(outcome: number): void {
    this.#bets.forEach((bet, i) => {
      const factor = 1 + bet * outcome;
      if (factor < 0) throw new RangeError(`outcome ${outcome} is too small for the bet ${bet}`);
      this.#logs[i] = (this.#logs[i] ?? 0) + Math.log(factor);
    });
  }

  /** ln E; 0 before the first outcome. */
  get logE(): number {
    return logMeanExp(this.#logs);
  }

  /** E itself; may overflow to Infinity. */
  get value(): number {
    return Math.exp(this.logE);
  }
}
