import type { Json } from '../../foreign/json.js';
import type { HealResult } from '../model/heal-result.js';
import type { Receipt } from '../model/receipt.js';

/** One line of the list of investigations. */
export type InvestigationSummary = {
  readonly investigation_id: string;
  readonly status: 'running' | 'finished' | 'failed' | 'aborted';
  readonly created_unix: number;
  readonly issue_summary: string | null;
  readonly error_type: string | null;
  readonly subject: string | null;
  readonly confidence: number | null;
  readonly confidence_level: string | null;
};

/** What an investigation left on disk. */
export interface StoredInvestigation {
  /** Null when it was broken off. */
  readonly result: HealResult | null;
  readonly receipts: readonly Receipt[];
  /** Another process seems to be at work on it. */
  readonly isRunning: boolean;
}

/** Past investigations, read only (spec 07 B2). */
export interface Archive {
  /** Newest first. */
  list(): readonly InvestigationSummary[];
  read(investigationId: string): StoredInvestigation | null;
  /** The redacted answer behind a receipt. */
  payload(investigationId: string, receiptId: string): Json | null;
}
