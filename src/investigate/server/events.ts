import type { BudgetReport, HealResult } from '../model/heal-result.js';
import type { ReceiptStatus } from '../model/receipt.js';

/** One tool call, told from its receipt (spec 07 A12, B14). */
export type StepEvent = {
  readonly type: 'step';
  /** The receipt's sequence number. */
  readonly round: number;
  readonly tool: string;
  readonly result_summary: string;
  /** Null for a call of a run that ended without a result: nobody judged it. */
  readonly confidence_after: number | null;
  readonly receipt_id: string;
  readonly status: ReceiptStatus;
};

export type ProgressEvent = {
  readonly type: 'progress';
  readonly phase: string;
  readonly budget: BudgetReport | null;
};

export type FinalEvent = {
  readonly type: 'final';
  readonly session_id: string | null;
  readonly result: HealResult;
};

/** Why there is no result; a client may act on the code, the sentence is for people. */
export type ErrorCode =
  | 'bad_request'
  | 'unauthorized'
  | 'forbidden'
  | 'not_found'
  | 'busy'
  | 'budget'
  | 'provider'
  | 'cancelled'
  | 'internal';

export type ErrorEvent = {
  readonly type: 'error';
  readonly session_id: string | null;
  readonly code: ErrorCode;
  readonly message: string;
};

export type SetupEvent = {
  readonly type: 'setup';
  readonly session_id: string;
  readonly configured: readonly string[];
  readonly unavailable: readonly string[];
  readonly needs_input: readonly string[];
  readonly message: string;
};

export type ElicitEvent = {
  readonly type: 'elicit';
  readonly message: string;
  readonly wants: readonly string[];
};

/** Ends a stream. */
export type OutcomeEvent = FinalEvent | ErrorEvent;

export type ChatEvent = StepEvent | ProgressEvent | SetupEvent | ElicitEvent | OutcomeEvent;

/** An event with its place in the run; only what can be sent again after a lost connection has one. */
export interface NumberedEvent {
  readonly id: number | null;
  readonly event: ChatEvent;
}
