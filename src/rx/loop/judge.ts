import type { CompletePair } from '../experiment/pair.js';
import type { Config, Verdict } from '../types.js';
import type { Comparison, Confirmation, PairedFigures } from './run-result.js';

/** What an attempt's experiment came to. */
export interface Judgement {
  readonly verdict: Verdict;
  readonly reason: string;
  readonly pairs: readonly CompletePair[];
  readonly comparison: Comparison;
  readonly paired: PairedFigures | null;
}

/** The headline of a run: original against final configuration. */
export interface Headline {
  readonly overall: Comparison | null;
  readonly confirmation: Confirmation | null;
  readonly note: string | null;
}

/** Decides attempts and measures the headline; the two gates are two judges. */
export interface Judge {
  /**
   * @param k number of the attempt, from 1
   * @param targetClass classification of the incident that the attempt is meant for
   */
  attempt(k: number, control: Config, treatment: Config, targetClass: string): Promise<Judgement>;
  headline(original: Config, final: Config): Promise<Headline>;
}
