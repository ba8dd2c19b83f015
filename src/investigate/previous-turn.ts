import type { Dispatcher } from './ledger/dispatcher.js';
import type { Evidence } from './model/evidence.js';
import type { HealResult } from './model/heal-result.js';

/** What one receipt says, for a later turn that cites it. */
export interface CarriedReceipt {
  readonly evidence: Evidence;
  /** The redacted answer as JSON. */
  readonly payload: string;
}

/** What a conversation remembers (spec 07 B10-8). */
export interface PreviousTurn {
  /** The user's words so far, oldest first. */
  readonly texts: readonly string[];
  readonly result: HealResult;
  readonly receipts: readonly CarriedReceipt[];
}

/** How old a receipt may be that a later turn cites, s. */
const CITABLE_S = 600;
const MAX_CARRIED = 40;
const MAX_PAYLOAD = 64 * 1024;

/** The receipts of a run that a later turn may cite: those that found something. */
export function carriedReceipts({ evidence, payload }: Dispatcher): CarriedReceipt[] {
  return evidence()
    .filter(({ receipt }) => receipt.status === 'ok')
    .slice(-MAX_CARRIED)
    .map((one) => ({
      evidence: one,
      payload: payload(one.receipt.receipt_id)?.slice(0, MAX_PAYLOAD) ?? '',
    }));
}

/** Those that are young enough, by the name under which a model may cite them. */
export function citableReceipts(
  { receipts }: PreviousTurn,
  nowUnix: number,
): ReadonlyMap<string, CarriedReceipt> {
  const young = receipts.filter(({ evidence }) => nowUnix - evidence.receipt.started_unix < CITABLE_S);
  return new Map(young.map((one) => [`earlier-${one.evidence.receipt.receipt_id}`, one]));
}
