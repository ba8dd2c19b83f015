import type { TraceEvent } from './event.js';
import { KeyIndex } from './key-index.js';
import { TraceLimitError } from './trace-error.js';
import { TraceTable } from './trace-table.js';

/** Events of one batch at most (spec 06 H.7). */
export const MAX_EVENTS = 2_000_000;

interface SourceRun {
  readonly name: string;
  readonly source: number;
}

/**
 * Gathers events of several files into one table. An event is identified by (file, run, event id): a repetition within
 * its file replaces the earlier one and is counted. Files that share a run but also event ids of it recorded two
 * different runs of that name, which are kept apart; otherwise they are parts of one run (spec 06 E.18, E.22).
 */
export class BatchBuilder {
  private readonly table = new TraceTable();
  private readonly sources: string[] = [];
  private readonly runs: SourceRun[] = [];
  private readonly currentRuns = new Map<string, number>();
  private readonly seen = new KeyIndex();
  private readonly collidingRuns = new Set<string>();
  private replacedCount = 0;

  constructor(private readonly maxEvents: number = MAX_EVENTS) {}

  /** Events that follow come from this file. */
  startSource(name: string): void {
    this.sources.push(name);
    this.currentRuns.clear();
  }

  /** @throws TraceLimitError beyond the event cap or the bound on names */
  add(event: TraceEvent): void {
    const run = this.runOf(event.run_id);
    const row = this.table.size;
    const previous =
      event.event_id === '' ? -1 : this.seen.swap(`${event.run_id}\u0000${event.event_id}`, row);
    const sameFile = previous !== -1 && this.table.run(previous) === run;
    if (sameFile) {
      this.seen.swap(`${event.run_id}\u0000${event.event_id}`, previous);
      this.table.replace(previous, event);
      this.replacedCount += 1;
      return;
    }
    if (row >= this.maxEvents) throw new TraceLimitError('events', this.maxEvents);
    if (previous !== -1) this.collidingRuns.add(event.run_id);
    this.table.add(run, event);
  }

  get replaced(): number {
    return this.replacedCount;
  }

  /** Names of runs that several files recorded separately. */
  get separated(): ReadonlySet<string> {
    return this.collidingRuns;
  }

  /** The finished table, runs merged or told apart. */
  finish(): TraceTable {
    const names: string[] = [];
    const numbers = new Map<string, number>();
    const renumbered = this.runs.map((run) => {
      const apart = this.collidingRuns.has(run.name);
      const key = apart ? `${run.name}\u0000${run.source}` : run.name;
      const known = numbers.get(key);
      if (known !== undefined) return known;
      const number = names.push(apart ? `${run.name}@${this.sources[run.source] ?? ''}` : run.name) - 1;
      numbers.set(key, number);
      return number;
    });
    this.table.renumberRuns(names, (run) => renumbered[run] ?? run);
    return this.table;
  }

  private runOf(name: string): number {
    const known = this.currentRuns.get(name);
    if (known !== undefined) return known;
    const run = this.table.addRun(name);
    this.runs.push({ name, source: this.sources.length - 1 });
    this.currentRuns.set(name, run);
    return run;
  }
}
