import type { Case } from '../cases/case.js';
import type { SelfeditConfig } from '../config/fields.js';
import { uniform } from '../hash.js';
import type { LedgerStore } from '../store/ledger-store.js';
import type { RunStore } from '../store/run-store.js';

/** What became of a closed epoch. */
export type EpochOutcome =
  | { readonly kind: 'open' }
  | { readonly kind: 'opened'; readonly epoch: number; readonly retired: number }
  | { readonly kind: 'closed'; readonly missing: number };

/**
 * After K tests an epoch is closed. The next needs at least half of `confirm_min` confirm cases that no test has used, and
 * retires as many of the most exposed ones into dev, never below `confirm_target` (spec 08 §24.4).
 */
export function rollEpoch(
  stores: { readonly ledger: LedgerStore; readonly runs: RunStore },
  promptId: string,
  confirm: readonly Case[],
  config: SelfeditConfig,
): EpochOutcome {
  const { ledger, runs } = stores;
  if (ledger.nextAlpha(config) !== null) return { kind: 'open' };
  const exposures = runs.exposures(promptId);
  const used = confirm.filter(({ case_id }) => exposures.has(case_id));
  const fresh = confirm.length - used.length;
  const needed = Math.ceil(config.confirm_min / 2);
  if (fresh < needed) return { kind: 'closed', missing: needed - fresh };

  const epoch = ledger.openEpoch();
  const room = Math.min(fresh, Math.max(0, confirm.length - config.confirm_target));
  const byExposure = [...used].sort(
    (a, b) =>
      (exposures.get(b.case_id) ?? 0) - (exposures.get(a.case_id) ?? 0) ||
      uniform(`retire|${epoch}|${b.case_id}`) - uniform(`retire|${epoch}|${a.case_id}`),
  );
  const retired = wholeGroups(byExposure, confirm, room);
  runs.retire(promptId, epoch, retired);
  return { kind: 'opened', epoch, retired: retired.length };
}

/** Ids of the first cases with all of their groups, as many as there is room for: a group never stands on both sides. */
function wholeGroups(order: readonly Case[], confirm: readonly Case[], room: number): string[] {
  const groups = new Map<string, string[]>();
  for (const { group_id, case_id } of confirm)
    groups.set(group_id, [...(groups.get(group_id) ?? []), case_id]);
  const taken = new Set<string>();
  for (const { group_id } of order) {
    const own = groups.get(group_id) ?? [];
    if (own.some((id) => taken.has(id)) || taken.size + own.length > room) continue;
    for (const id of own) taken.add(id);
  }
  return [...taken];
}
