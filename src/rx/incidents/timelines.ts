import type { TraceTable } from '../trace/trace-table.js';

/**
 * Offset in turns from each row to the first success of the same run and agent with a strictly larger turn, −1 when
 * there is none (spec 06 B.2). One counting sort by (run, agent) and one backward pass: O(n), or O(n log n) for a
 * timeline whose turns are out of order.
 */
export function successOffsets(table: TraceTable): Float64Array {
  const offsets = new Float64Array(table.size).fill(-1);
  for (const rows of timelines(table)) {
    sortByTurn(rows, table);
    let nextSuccess = Number.POSITIVE_INFINITY;
    for (let end = rows.length; end > 0; ) {
      const turn = table.turn(rows[end - 1] ?? 0);
      let start = end;
      let succeeds = false;
      while (start > 0 && table.turn(rows[start - 1] ?? 0) === turn) {
        start -= 1;
        const row = rows[start] ?? 0;
        if (nextSuccess !== Number.POSITIVE_INFINITY) offsets[row] = nextSuccess - turn;
        succeeds ||= table.succeeded(row);
      }
      if (succeeds) nextSuccess = turn;
      end = start;
    }
  }
  return offsets;
}

/** Row numbers of each (run, agent), in row order. */
function* timelines(table: TraceTable): Generator<Uint32Array> {
  const ids = new Map<number, number>();
  const timelineOf = new Uint32Array(table.size);
  const sizes: number[] = [];
  const { groups } = table;
  const agents = table.agents.size;
  for (let row = 0; row < table.size; row++) {
    const key = table.run(row) * agents + (groups[table.group(row)]?.agent ?? 0);
    let id = ids.get(key);
    if (id === undefined) {
      id = sizes.push(0) - 1;
      ids.set(key, id);
    }
    timelineOf[row] = id;
    sizes[id] = (sizes[id] ?? 0) + 1;
  }
  const starts = new Uint32Array(sizes.length + 1);
  for (const [id, size] of sizes.entries()) starts[id + 1] = (starts[id] ?? 0) + size;
  const next = starts.slice();
  const order = new Uint32Array(table.size);
  for (let row = 0; row < table.size; row++) {
    const id = timelineOf[row] ?? 0;
    const place = next[id] ?? 0;
    order[place] = row;
    next[id] = place + 1;
  }
  for (let id = 0; id < sizes.length; id++) yield order.subarray(starts[id], starts[id + 1]);
}

function sortByTurn(rows: Uint32Array, table: TraceTable): void {
  for (let i = 1; i < rows.length; i++) {
    if (table.turn(rows[i] ?? 0) < table.turn(rows[i - 1] ?? 0)) {
      rows.sort((a, b) => table.turn(a) - table.turn(b));
      return;
    }
  }
}
