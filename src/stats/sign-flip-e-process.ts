/** Bets of the mixture, in units of one over the running scale (06 F.3). */
export const SIGN_FLIP_BETS = [0.05, 0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 6.4] as const;

/**
 * Evidence that may be looked at after every pair: the sign-flip e-process (06 F.3).
 * E_n = mean over λ of ∏ 2/(1 + exp(−2λ d_i/s_i)) with s_i the root mean square of d_1 … d_(i−1), 1 while that is 0.
 * Given |d_i|, each factor has expectation 1 over a fair sign, so E is a non-negative martingale under the null and
 * P(E ever ≥ 1/a) ≤ a (Ville 1939; Ramdas et al. 2023, "Game-theoretic statistics").
 */
export class SignFlipEProcess {
  readonly #logs: number[] = SIGN_FLIP_BETS.map(() => 0);
  #squares = 0;
  #n = 0;

  /** Adds one difference, positive speaks for the treatment. */
  push(difference: number): void {
    const scale = this.#squares > 0 ? Math.sqrt(this.#squares / this.#n) : 1;
    SIGN_FLIP_BETS.forEach((bet, i) => {
      this.#logs[i] = (this.#logs[i] ?? 0) + Math.LN2 - softplus((-2 * bet * difference) / scale);
    });
    this.#squares += difference * difference;
    this.#n += 1;
  }

  /** ln E_n; 0 before the first pair. */
  get logE(): number {
    return logMeanExp(this.#logs);
  }
}

/** ln of the mean of the exponentials, without overflow; −Infinity when every term is. */
export function logMeanExp(logs: readonly number[]): number {
  let largest = Number.NEGATIVE_INFINITY;
  for (const log of logs) largest = Math.max(largest, log);
  if (largest === Number.NEGATIVE_INFINITY) return largest;
  let sum = 0;
  for (const log of logs) sum += Math.exp(log - largest);
  return largest + Math.log(sum / logs.length);
}

/** ln(1 + e^x) without overflow. */
function softplus(x: number): number {
  return x > 0 ? x + Math.log1p(Math.exp(-x)) : Math.log1p(Math.exp(x));
}
