import type { TraceTable } from '../trace/trace-table.js';
import { successOffsets } from './timelines.js';

/** A failure is recovered when its agent succeeds within so many turns (spec 06 B.2). */
export const RECOVERY_WINDOW = 3;
/** A success later than this many turns, or none, makes a failure part of the unrecovered tail (spec 06 B.2). */
const TAIL_WINDOW = 10;
/** Runs that the trend looks at (spec 06 D.4). */
const TREND_RUNS = 6;

/** What was counted of one group of failures. */
export interface GroupTally {
  /** Number of the group in the table. */
  readonly group: number;
  readonly frequency: number;
  /** Recovered failures by offset in turns, entry 0 for one turn. */
  readonly recovered_by_offset: readonly number[];
  /** The same without events that succeeded but carry a classification. */
  readonly recovered_failed_by_offset: readonly number[];
  readonly unrecovered_tail: number;
  readonly runs: number;
  /** Failures in each of the last six runs of the batch, oldest first; all runs when there are fewer. */
  readonly per_recent_run: readonly number[];
}

/** Counts the failures of a batch by group, groups in order of their first failure. */
export function tallyFailures(table: TraceTable): GroupTally[] {
  const offsets = successOffsets(table);
  const tallies = new Map<number, MutableTally>();
  const firstRecent = Math.max(0, table.runs.length - TREND_RUNS);
  for (let row = 0; row < table.size; row++) {
    if (!table.failed(row)) continue;
    const group = table.group(row);
    let tally = tallies.get(group);
    if (tally === undefined) {
      tally = newTally(group, table.runs.length - firstRecent);
      tallies.set(group, tally);
    }
    const run = table.run(row);
    const offset = offsets[row] ?? -1;
    tally.frequency += 1;
    tally.runSet.add(run);
    if (run >= firstRecent) addAt(tally.per_recent_run, run - firstRecent);
    if (offset === -1 || offset > TAIL_WINDOW) tally.unrecovered_tail += 1;
    if (offset === -1 || offset > RECOVERY_WINDOW) continue;
    addAt(tally.recovered_by_offset, offset - 1);
    if (!table.succeeded(row)) addAt(tally.recovered_failed_by_offset, offset - 1);
  }
  return [...tallies.values()].map(({ runSet, ...counts }) => ({ ...counts, runs: runSet.size }));
}

interface MutableTally {
  readonly group: number;
  frequency: number;
  readonly recovered_by_offset: number[];
  readonly recovered_failed_by_offset: number[];
  unrecovered_tail: number;
  readonly runSet: Set<number>;
  readonly per_recent_run: number[];
}

function newTally(group: number, recentRuns: number): MutableTally {
  return {
    group,
    frequency: 0,
    recovered_by_offset: new Array<number>(RECOVERY_WINDOW).fill(0),
    recovered_failed_by_offset: new Array<number>(RECOVERY_WINDOW).fill(0),
    unrecovered_tail: 0,
    runSet: new Set(),
    per_recent_run: new Array<number>(recentRuns).fill(0),
  };
}

function addAt(counts: number[], index: number): void {
  counts[index] = (counts[index] ?? 0) + 1;
}
