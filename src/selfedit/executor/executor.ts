import type { Case } from '../cases/case.js';

/** Why a call failed (spec 08 §22), from status codes, not from words. */
export type ErrorKind = 'rate_limit' | 'timeout' | 'auth' | 'bad_request' | 'server' | 'network';

/** What one answer cost; failed and retried calls count. */
export interface CallUsage {
  /** HTTP requests made. */
  readonly calls: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly usd: number;
  /** The provider reported no usage: tokens are four characters each. */
  readonly estimated: boolean;
  readonly latencyMs: number;
}

export type CallResult = { readonly usage: CallUsage } & (
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly kind: ErrorKind; readonly message: string }
);

/** Runs a prompt on a case. Never throws. */
export interface Executor {
  readonly model: string;
  /** Model, endpoint and settings in one text: answers of another one are never used again (spec 08 §24.8). */
  readonly fingerprint: string;
  /** Declared to give equal answers to equal questions: only then are answers used again (spec 08 §24.8). */
  readonly isDeterministic: boolean;
  answer(prompt: string, testCase: Case, replicate: number): Promise<CallResult>;
  /** Upper bound of what one call can cost, in US dollars. */
  worstCaseUsd(prompt: string, testCase: Case): number;
  /** What it will probably cost. */
  likelyUsd(prompt: string, testCase: Case): number;
}
