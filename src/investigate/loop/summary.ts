import { type BandLimits, bandOf } from '../model/confidence.js';
import type { Receipt } from '../model/receipt.js';
import type { Submission } from './submission.js';

/** A conversation in short, for traces (spec 08 §21). Texts are redacted. */
export interface ConversationSummary {
  readonly model: string;
  readonly question: string;
  /** The last submission that had its form, as JSON; empty without one. */
  readonly answer: string;
  /** Why there is no result. */
  readonly error: string | null;
  readonly receipts: readonly Pick<Receipt, 'receipt_id' | 'tool' | 'status'>[];
  /** The band that the receipts support; null without a result. */
  readonly supportedBand: string | null;
  readonly inputTokens: number;
  readonly outputTokens: number;
}

/** A submission in the form in which answers of the prompt are judged (spec 08 §21, `investigate_v1`). */
export function judgedForm({ errorType, statements, confidence }: Submission, bands: BandLimits): string {
  const evidence_ids = [...new Set(statements.flatMap(({ receiptIds }) => receiptIds))];
  return JSON.stringify({
    root_cause: { error_type: errorType, evidence_ids, confidence_band: bandOf(confidence, bands) },
  });
}
