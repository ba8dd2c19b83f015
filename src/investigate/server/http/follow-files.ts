import type { StoredInvestigation } from '../archive.js';
import { storedEvents } from '../stored-events.js';
import type { EventStream } from './event-stream.js';

const LOOK_MS = 400;

/** Sends what another process writes, from after number `after` to the end, by looking at its files. */
export function followFiles(
  read: () => StoredInvestigation | null,
  after: number,
  stream: EventStream,
): void {
  let last = after;
  const look = (): void => {
    const stored = read();
    for (const numbered of stored === null ? [] : storedEvents(stored)) {
      if ((numbered.id ?? 0) <= last) continue;
      last = numbered.id ?? last;
      stream.send(numbered);
    }
    if (stored?.isRunning !== true) stream.end();
    else if (stream.isOpen) timer = setTimeout(look, LOOK_MS);
  };
  let timer: NodeJS.Timeout | undefined;
  look();
  stream.onClose(() => clearTimeout(timer));
}
