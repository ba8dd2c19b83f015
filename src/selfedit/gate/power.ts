import { fewestDiscordantPairs, signTestPower } from '../../stats/power.js';

/** Shares of cases an edit fixes and breaks. */
export interface ChangeRates {
  readonly fixed: number;
  readonly broken: number;
}

/** Rates out of a screen: f = (wins + 1)/(n + 4), b = (losses + 1)/(n + 4) (spec 08 §24.3). */
export function ratesFromScreen(wins: number, losses: number, n: number): ChangeRates {
  return { fixed: (wins + 1) / (n + 4), broken: (losses + 1) / (n + 4) };
}

/** Rates before a screen, from the net gain that the proposer expects on the dev cases (spec 08 §24.3). */
export function ratesFromExpectation(net: number, n: number): ChangeRates {
  return { fixed: n === 0 ? 0 : Math.max(net, 1) / n, broken: 0 };
}

/** Power of the final test over n cases at level α_t, early success and futility aside (spec 08 §24.3b). */
export function confirmationPower(rates: ChangeRates, n: number, alpha: number, earlyShare: number): number {
  return signTestPower(n, rates.fixed, rates.broken, alpha - earlyShare * alpha);
}

/** d_min: clean wins without which the final test cannot pass (spec 08 §24.3a). */
export function fewestWins(alpha: number, earlyShare: number): number {
  return fewestDiscordantPairs(alpha - earlyShare * alpha);
}
