import type { LlmUsage } from './emit.js';
import type { Finding } from './findings/finding.js';
import type { Slots } from './store/slots.js';

/** What a root-cause step makes of the findings of a tick. */
export interface RcaResult {
  readonly findings: readonly Finding[];
  /** Changed slots of the detector state. */
  readonly slots: Slots;
  /** Present when a model was called. */
  readonly usage?: LlmUsage;
  readonly warnings: readonly string[];
}

/** Explains findings within the time that is left; never throws and never outlives its signal (spec 05 A.8). */
export type ExplainFindings = (
  findings: readonly Finding[],
  slots: Slots,
  limit: RcaLimit,
  /** The ladder's keys of the findings, in the same order. */
  keys: readonly string[],
) => Promise<RcaResult>;

export interface RcaLimit {
  readonly signal: AbortSignal;
  /** Time to spend, ms. */
  readonly ms: number;
  readonly nowUnix: number;
  readonly tick: number;
}
