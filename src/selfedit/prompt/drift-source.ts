import type { ErrorKind } from '../executor/executor.js';
import { ngramDrift } from './drift.js';

/** What measures how far a text is from another (spec 08 §24.7). */
export interface DriftSource {
  /** Upper bound of what loading so many texts can cost, US dollars. */
  worstCaseUsd(texts: readonly string[]): number;
  /**
   * Gets ready whatever `between` needs for these texts.
   *
   * @throws DriftUnavailable when it cannot be had; nothing else takes its place
   */
  load(texts: readonly string[]): Promise<DriftUsage>;
  /** Drift of two loaded texts, 0 to 1. */
  between(before: string, after: string): number;
}

/** What loading cost. */
export interface DriftUsage {
  readonly model: string;
  readonly calls: number;
  readonly tokens: number;
  readonly usd: number;
  readonly estimated: boolean;
}

/** The measure that was asked for cannot be used. */
export class DriftUnavailable extends Error {
  readonly kind: ErrorKind;
  readonly usage: DriftUsage;

  constructor(kind: ErrorKind, message: string, usage: DriftUsage) {
    super(message);
    this.name = 'DriftUnavailable';
    this.kind = kind;
    this.usage = usage;
  }
}

const NOTHING: DriftUsage = { model: 'none', calls: 0, tokens: 0, usd: 0, estimated: false };

/** Word sequences, computed here: deterministic, offline, free. */
export const NGRAM_DRIFT: DriftSource = {
  worstCaseUsd: () => 0,
  load: async () => NOTHING,
  between: ngramDrift,
};
