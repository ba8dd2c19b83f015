import type { JsonObject } from '../foreign/json.js';
import type { ReactorContext } from '../reactor/context.js';
import type { Snapshot } from '../sources/snapshot.js';

/** One message of the Coordinator's bus, wherever it was seen. */
export interface BusRow {
  /** Bus sequence number, when there is one. */
  readonly id: number | undefined;
  readonly origin: 'event' | 'inbox';
  /** The row as stored (an event) or as rendered into the inbox. */
  readonly row: JsonObject;
}

/** The one bus list in the two orders that rules read when the rows cannot be merged by number (spec 03 G-12). */
export interface BusLists {
  readonly inboxFirst: readonly BusRow[];
  readonly eventsFirst: readonly BusRow[];
}

export type BuildBusLists = (context: ReactorContext, snapshot: Snapshot) => BusLists;
