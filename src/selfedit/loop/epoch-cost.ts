import type { LedgerStore } from '../store/ledger-store.js';
import type { RunStore } from '../store/run-store.js';
import { storedEdits } from './stored-edits.js';

/** What an epoch cost, and what for (spec 08 §24.8). */
export type EpochCost = {
  readonly epoch: number;
  readonly usd: number;
  readonly promotions: number;
  /** Net wins of the promoted edits in their confirmations, in percentage points, added up. */
  readonly net_points: number;
  /** Null without a promotion. */
  readonly usd_per_net_point: number | null;
};

/** The cost of the epoch in progress, over all its runs. */
export function epochCost(
  { ledger, runs }: { readonly ledger: LedgerStore; readonly runs: RunStore },
  promptId: string,
): EpochCost {
  const { epoch } = ledger;
  const usd = runs.spentBetween(promptId, ledger.epochBegan(epoch), Number.MAX_SAFE_INTEGER);
  const promoted = storedEdits(runs, null, undefined, { promptId, epoch }).flatMap(({ report }) =>
    report?.verdict === 'promote' && report.confirm !== null ? [report.confirm] : [],
  );
  const net_points = promoted.reduce(
    (sum, { wins, losses, n }) => sum + (n === 0 ? 0 : (100 * (wins - losses)) / n),
    0,
  );
  return {
    epoch,
    usd,
    promotions: promoted.length,
    net_points,
    usd_per_net_point: net_points > 0 ? usd / net_points : null,
  };
}
