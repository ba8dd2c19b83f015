import { mean } from './descriptive.js';
import type { Mt19937 } from './mt19937.js';
import { pairedTUpperBound } from './paired-t.js';
import { SignFlipEProcess } from './sign-flip-e-process.js';
import { type PairCounts, signFlipTestOnRates } from './sign-flip-test.js';

const FIRST_FUTILITY_LOOK = 10;
const FUTILITY_EVERY = 5;

/** What one experiment may spend and needs to show. */
export interface GateSettings {
  /** a_k: half goes to the e-process at any time, half to the exact test at the end. */
  readonly alpha: number;
  /** Smallest mean reduction of the failure rate worth accepting. */
  readonly minEffect: number;
  /** n_max, the planned number of pairs. */
  readonly maxPairs: number;
}

/** Why the gate stopped. */
export type GateDecision = 'accept' | 'futile' | 'rejected';

/**
 * The sequential gate (06 F.3 steps 1–3): after every pair accept when the sign-flip e-process reaches 2/alpha; at 10, 15,
 * 20, … pairs stop when even the upper bound of the effect is too small; at the last planned pair the exact sign-flip test
 * decides at alpha/2. The two halves add up to alpha (union bound), whenever one looks.
 */
export class SequentialGate {
  readonly #settings: GateSettings;
  readonly #random: Mt19937;
  readonly #evidence = new SignFlipEProcess();
  readonly #pairs: PairCounts[] = [];
  readonly #effects: number[] = [];
  #unit: number | null = null;
  #decision: GateDecision | null = null;
  #pExact: number | null = null;

  /** @param random used only by an exact test whose table would be too large */
  constructor(settings: GateSettings, random: Mt19937) {
    this.#settings = settings;
    this.#random = random;
  }

  /** Adds one complete pair and decides; null means: go on. Pairs after a decision are refused with a RangeError. */
  push(pair: PairCounts): GateDecision | null {
    if (this.#decision !== null) throw new RangeError('the gate has already decided');
    const effect = effectOf(pair);
    this.#unit ??= pair.controlActions;
    this.#pairs.push(pair);
    this.#effects.push(effect);
    this.#evidence.push(differenceOf(pair, this.#unit));
    this.#decision = this.#decide();
    return this.#decision;
  }

  /** Decides now although pairs are missing (lost for good): the exact test on what there is. */
  finish(): GateDecision {
    this.#decision ??= this.#final();
    return this.#decision;
  }

  get pairs(): readonly PairCounts[] {
    return this.#pairs;
  }

  /** Mean reduction of the failure rate so far. */
  get effect(): number {
    return this.#effects.length === 0 ? 0 : mean(this.#effects);
  }

  get logE(): number {
    return this.#evidence.logE;
  }

  /** The exact one-sided p on the pairs so far. */
  get pExact(): number {
    this.#pExact ??= signFlipTestOnRates(this.#pairs, this.#random);
    return this.#pExact;
  }

  #decide(): GateDecision | null {
    this.#pExact = null;
    const { alpha, minEffect, maxPairs } = this.#settings;
    const n = this.#pairs.length;
    if (this.logE >= Math.log(2 / alpha) && this.effect >= minEffect) return 'accept';
    if (n >= maxPairs) return this.#final();
    const look = n >= FIRST_FUTILITY_LOOK && n % FUTILITY_EVERY === 0;
    return look && pairedTUpperBound(this.#effects) < minEffect ? 'futile' : null;
  }

  #final(): GateDecision {
    const { alpha, minEffect } = this.#settings;
    return this.pExact <= alpha / 2 && this.effect >= minEffect ? 'accept' : 'rejected';
  }
}

/** Reduction of the failure rate in one pair, positive is better. */
export function effectOf(pair: PairCounts): number {
  if (pair.controlActions === pair.treatmentActions) {
    return (pair.controlFailures - pair.treatmentFailures) / pair.controlActions;
  }
  return pair.controlFailures / pair.controlActions - pair.treatmentFailures / pair.treatmentActions;
}

/** The difference in failures per `unit` actions: whole numbers while every run has the same number of actions. */
function differenceOf(pair: PairCounts, unit: number): number {
  if (pair.controlActions === unit && pair.treatmentActions === unit) {
    return pair.controlFailures - pair.treatmentFailures;
  }
  return effectOf(pair) * unit;
}
