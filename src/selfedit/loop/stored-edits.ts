import type { RunStore } from '../store/run-store.js';
import type { Proposal } from './parts.js';
import type { EditReport } from './report.js';

/** An edit out of the store; without a report it has not ended yet. */
export interface StoredEdit {
  readonly proposal: Proposal;
  readonly report: EditReport | null;
}

/** Edits of a run, or with `epoch` of all runs of an epoch. Rows are our own, written by this version's types. */
export function storedEdits(
  runs: RunStore,
  runId: string | null,
  iteration?: number,
  epoch?: { readonly promptId: string; readonly epoch: number },
): StoredEdit[] {
  const rows = epoch ? runs.editsOfEpoch(epoch.promptId, epoch.epoch) : runs.edits(runId ?? '', iteration);
  return rows.map((row) => ({
    proposal: { edit: JSON.parse(row.edit_json), label: row.label },
    report: row.verdict === null || row.report_json === null ? null : JSON.parse(row.report_json),
  }));
}
