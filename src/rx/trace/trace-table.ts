import { isFailure, type TraceEvent } from './event.js';
import { bytes, counts, doubles } from './growable.js';
import { NameTable } from './name-table.js';

/** What the rows of a group share: who did what, and how it failed (spec 06 B.1). */
export interface TraceGroup {
  readonly agent: number;
  readonly tool_name: string;
  readonly failure_classification: string | null;
  /** Sorted, without repetitions. */
  readonly divergence_fields: readonly string[];
}

/**
 * A batch of events in 17 bytes a row: run, group, turn and outcome as columns, each distinct name once. Rows keep the
 * order in which they were added, runs the order of their first row.
 */
export class TraceTable {
  readonly agents = new NameTable('agents');
  private readonly runNames: string[] = [];
  private readonly runColumn = counts();
  private readonly groupColumn = counts();
  private readonly turnColumn = doubles();
  private readonly outcomeColumn = bytes();
  private readonly groupIds = new Map<string, number>();
  private readonly groupList: TraceGroup[] = [];
  private readonly tools = new NameTable('tools');
  private readonly classes = new NameTable('classifications');
  private readonly fieldSets = new NameTable('divergence fields');
  private failureCount = 0;

  static from(events: Iterable<TraceEvent>): TraceTable {
    const table = new TraceTable();
    const runs = new Map<string, number>();
    for (const event of events) {
      let run = runs.get(event.run_id);
      if (run === undefined) {
        run = table.addRun(event.run_id);
        runs.set(event.run_id, run);
      }
      table.add(run, event);
    }
    return table;
  }

  /** Starts a run and returns its number. */
  addRun(name: string): number {
    return this.runNames.push(name) - 1;
  }

  /** Appends an event of a run that `addRun` gave; the event's own `run_id` is not looked at. */
  add(run: number, event: TraceEvent): number {
    this.runColumn.push(run);
    this.groupColumn.push(this.groupOf(event));
    this.turnColumn.push(event.turn);
    this.outcomeColumn.push(outcomeBits(event));
    if (isFailure(event)) this.failureCount += 1;
    return this.runColumn.length - 1;
  }

  /** Puts another event of the same run in the place of a row. */
  replace(row: number, event: TraceEvent): void {
    if (this.failed(row)) this.failureCount -= 1;
    if (isFailure(event)) this.failureCount += 1;
    this.groupColumn.set(row, this.groupOf(event));
    this.turnColumn.set(row, event.turn);
    this.outcomeColumn.set(row, outcomeBits(event));
  }

  /** Renames the runs and merges those that get the same number. */
  renumberRuns(names: readonly string[], numberOf: (run: number) => number): void {
    for (let row = 0; row < this.size; row++) this.runColumn.set(row, numberOf(this.runColumn.get(row)));
    this.runNames.splice(0, this.runNames.length, ...names);
  }

  get size(): number {
    return this.runColumn.length;
  }

  get failures(): number {
    return this.failureCount;
  }

  get runs(): readonly string[] {
    return this.runNames;
  }

  get groups(): readonly TraceGroup[] {
    return this.groupList;
  }

  run(row: number): number {
    return this.runColumn.get(row);
  }

  group(row: number): number {
    return this.groupColumn.get(row);
  }

  turn(row: number): number {
    return this.turnColumn.get(row);
  }

  succeeded(row: number): boolean {
    return (this.outcomeColumn.get(row) & SUCCEEDED) !== 0;
  }

  failed(row: number): boolean {
    return (this.outcomeColumn.get(row) & FAILED) !== 0;
  }

  private groupOf(event: TraceEvent): number {
    const agent = this.agents.intern(event.agent_id);
    const tool = this.tools.intern(event.tool_name);
    const { failure_classification: classification, divergence_fields: fields } = event;
    const classId = classification === null ? -1 : this.classes.intern(classification);
    const sorted = fields.length === 0 ? NO_FIELDS : [...new Set(fields)].sort();
    const fieldId = sorted.length === 0 ? -1 : this.fieldSets.intern(JSON.stringify(sorted));
    const key = `${agent},${tool},${classId},${fieldId}`;
    const known = this.groupIds.get(key);
    if (known !== undefined) return known;
    const id = this.groupList.length;
    this.groupIds.set(key, id);
    this.groupList.push({
      agent,
      tool_name: this.tools.name(tool),
      failure_classification: classification === null ? null : this.classes.name(classId),
      divergence_fields: sorted,
    });
    return id;
  }
}

const NO_FIELDS: readonly string[] = [];
const SUCCEEDED = 1;
const FAILED = 2;

function outcomeBits(event: TraceEvent): number {
  return (event.action_succeeded ? SUCCEEDED : 0) | (isFailure(event) ? FAILED : 0);
}
