import { join } from 'node:path';
import type { JsonObject } from '../../foreign/json.js';
import { compareCodePoints } from '../../foreign/order.js';
import { namesIn } from '../tools/list-directory.js';
import { sizeOf } from './wal-file.js';

const MAX_ROLES = 64;

/** `local_state_integrity.agents`: sizes of the mailboxes of every role that has one (spec 02 §5.17). */
export function describeMailboxes(sessionDir: string): JsonObject {
  const directory = join(sessionDir, 'agents');
  // What is no directory has no mailbox either.
  const names = namesIn(directory, MAX_ROLES).sort(compareCodePoints);
  const boxes = names.flatMap((role): [string, JsonObject][] => {
    const inbox = join(directory, role, 'inbox.jsonl');
    const outbox = join(directory, role, 'outbox.jsonl');
    const inboxBytes = sizeOf(inbox) ?? 0;
    const outboxBytes = sizeOf(outbox) ?? 0;
    if (inboxBytes === 0 && outboxBytes === 0) return [];
    return [
      [role, { inbox_bytes: inboxBytes, outbox_bytes: outboxBytes, inbox_path: inbox, outbox_path: outbox }],
    ];
  });
  return Object.fromEntries(boxes);
}
