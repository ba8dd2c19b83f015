import { summaryOf } from '../ledger/receipt-of.js';
import { isCancelledResult } from '../model/heal-result.js';
import type { StoredInvestigation } from './archive.js';
import type { NumberedEvent, StepEvent } from './events.js';

const BROKEN_OFF = 'This investigation was broken off; what it had found is kept.';

/** The steps of an investigation from its receipts. */
export function storedSteps(stored: StoredInvestigation | null): StepEvent[] {
  const judged = new Map(stored?.result?.investigation_steps.map((step) => [step.round, step]));
  return (stored?.receipts ?? []).map((receipt) => ({
    type: 'step',
    round: receipt.seq,
    tool: receipt.tool,
    result_summary: judged.get(receipt.seq)?.result_summary ?? summaryOf(receipt),
    confidence_after: judged.get(receipt.seq)?.confidence_after ?? null,
    receipt_id: receipt.receipt_id,
    status: receipt.status,
  }));
}

/** The same events with the same numbers as the run itself sent; without an outcome while it is at work. */
export function storedEvents(stored: StoredInvestigation): NumberedEvent[] {
  const steps = storedSteps(stored).map((event) => ({ id: event.round, event }));
  const { result, isRunning } = stored;
  const id = (steps.at(-1)?.id ?? 0) + 1;
  if (result !== null && !isCancelledResult(result)) {
    return [...steps, { id, event: { type: 'final', session_id: null, result } }];
  }
  if (isRunning) return steps;
  const event = { type: 'error', session_id: null, code: 'cancelled', message: BROKEN_OFF } as const;
  return [...steps, { id, event }];
}
