import type { JudgedEdit } from '../guards/duplicate.js';
import { readAuditTail } from '../registry/audit-log.js';
import type { LoopParts } from './parts.js';
import { storedEdits } from './stored-edits.js';

const AUDIT_LINES = 5_000;

/**
 * Edits whose promotion was taken back, by outcomes or by hand, and not made current again: they are barred, in every epoch
 * (spec 08 §24.10).
 */
export function barredEdits({ registry, runs }: Pick<LoopParts, 'registry' | 'runs'>): JudgedEdit[] {
  const takenBack = new Set<number>();
  for (const { event, from_version: from, to_version: to } of readAuditTail(registry.auditPath, AUDIT_LINES)
    .entries) {
    if (event !== 'rollback' || typeof from !== 'number' || typeof to !== 'number') continue;
    if (from > to) takenBack.add(from);
    takenBack.delete(to);
  }
  return [...takenBack].flatMap((version) => {
    const { edit_id, run_id } = registry.meta(version) ?? {};
    const own = storedEdits(runs, run_id ?? '').find(({ proposal }) => proposal.edit.edit_id === edit_id);
    return own === undefined ? [] : [{ edit: own.proposal.edit, iteration: -1, isRejected: true }];
  });
}
