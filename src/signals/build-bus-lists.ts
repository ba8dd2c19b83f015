import { integer, type JsonObject, nonBlank, objectsOf } from '../foreign/json.js';
import { trimPython } from '../foreign/python-space.js';
import type { BuildBusLists, BusRow } from './bus.js';
import { payloadOf, topicOf } from './shared/bus-row.js';

/**
 * The bus rows of events table and inbox as one list, each message once (spec 03 G-12). Rows of both places that are
 * numbered in ascending order are merged by number; otherwise they are concatenated, and which place comes first depends on
 * the reader.
 */
export const buildBusLists: BuildBusLists = (context, snapshot) => {
  const events = objectsOf(snapshot.coordinator_events).map((row) => busRow('event', row, row['id']));
  const all = context.inbox.map((item) => busRow('inbox', item, item.seq));
  const inbox = dropRepeated(events, all);
  if (strictlyAscending(events)) {
    const merged = lastResultPerTask(mergeByNumber(events, inbox));
    return { inboxFirst: merged, eventsFirst: merged };
  }
  return {
    inboxFirst: lastResultPerTask([...inbox, ...events]),
    eventsFirst: lastResultPerTask([...events, ...inbox]),
  };
};

function busRow(origin: BusRow['origin'], row: JsonObject, number: unknown): BusRow {
  const id = integer(number);
  return { origin, row, id: id !== undefined && id >= 1 ? id : undefined };
}

/** Inbox rows that are neither among the events, whose payload is complete, nor a repetition of an earlier inbox row. */
function dropRepeated(events: readonly BusRow[], inbox: readonly BusRow[]): BusRow[] {
  const seen = new SeenRows();
  for (const event of events) seen.add(event);
  return inbox.filter((row) => {
    if (seen.has(row)) return false;
    seen.add(row);
    return true;
  });
}

/** Two rows are one message when their numbers agree or, where one has no number, their non-empty message ids. */
class SeenRows {
  readonly #numbers = new Set<number>();
  readonly #messageIds = new Set<string>();
  readonly #messageIdsOfUnnumbered = new Set<string>();

  add(row: BusRow): void {
    const messageId = nonBlank(row.row['msg_id']);
    if (row.id !== undefined) this.#numbers.add(row.id);
    if (messageId === undefined) return;
    this.#messageIds.add(messageId);
    if (row.id === undefined) this.#messageIdsOfUnnumbered.add(messageId);
  }

  has(row: BusRow): boolean {
    const messageId = nonBlank(row.row['msg_id']);
    if (row.id !== undefined && this.#numbers.has(row.id)) return true;
    if (messageId === undefined) return false;
    return (row.id === undefined ? this.#messageIds : this.#messageIdsOfUnnumbered).has(messageId);
  }
}

function strictlyAscending(events: readonly BusRow[]): boolean {
  let last = 0;
  for (const { id } of events) {
    if (id === undefined || id <= last) return false;
    last = id;
  }
  return true;
}

/** Each inbox row goes before the first event with a larger number; both orders are kept. */
function mergeByNumber(events: readonly BusRow[], inbox: readonly BusRow[]): BusRow[] {
  const merged: BusRow[] = [];
  let next = 0;
  for (const row of inbox) {
    for (let event = events[next]; event && numberOf(event) < numberOf(row); event = events[next]) {
      merged.push(event);
      next += 1;
    }
    merged.push(row);
  }
  return merged.concat(events.slice(next));
}

function numberOf(row: BusRow): number {
  return row.id ?? 0;
}

/** Of several results of one task only the last one in the list stays. */
function lastResultPerTask(rows: readonly BusRow[]): BusRow[] {
  const seen = new Set<string>();
  const kept = rows.toReversed().filter((row) => {
    const taskId = resultTaskId(row);
    if (taskId === undefined) return true;
    if (seen.has(taskId)) return false;
    seen.add(taskId);
    return true;
  });
  return kept.reverse();
}

function resultTaskId(row: BusRow): string | undefined {
  if (topicOf(row) !== 'delegated_result') return undefined;
  const taskId = payloadOf(row)?.['task_id'];
  if (typeof taskId === 'number') return Number.isInteger(taskId) ? String(taskId) : undefined;
  if (typeof taskId !== 'string') return undefined;
  const trimmed = trimPython(taskId);
  return trimmed === '' ? undefined : trimmed;
}
