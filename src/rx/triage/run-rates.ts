import { UNCLASSIFIED } from '../trace/event.js';
import type { TraceTable } from '../trace/trace-table.js';

/** One run as counts. */
export interface RunRates {
  readonly run: string;
  readonly actions: number;
  readonly failures: number;
  /** Failures by classification, `unclassified` included. */
  readonly by_class: ReadonlyMap<string, number>;
}

/** Counts of each run, runs in order of first appearance. */
export function runRates(table: TraceTable): RunRates[] {
  const runs = table.runs.map((run) => ({
    run,
    actions: 0,
    failures: 0,
    by_class: new Map<string, number>(),
  }));
  for (let row = 0; row < table.size; row++) {
    const run = runs[table.run(row)];
    if (run === undefined) continue;
    run.actions += 1;
    if (!table.failed(row)) continue;
    run.failures += 1;
    const name = table.groups[table.group(row)]?.failure_classification ?? UNCLASSIFIED;
    run.by_class.set(name, (run.by_class.get(name) ?? 0) + 1);
  }
  return runs.filter((run) => run.actions > 0);
}

/** Failures of a run: all, or of one classification. */
export function failuresOf(run: RunRates, classification: string | null): number {
  return classification === null ? run.failures : (run.by_class.get(classification) ?? 0);
}
