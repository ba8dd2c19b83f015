import type { FastifyReply } from 'fastify';
import type { ChatPolicy } from '../apply-settings.js';
import type { Archive } from '../archive.js';
import type { Investigator } from '../investigator.js';
import type { ServerLimits } from '../limits.js';
import type { LiveRun } from '../live-run.js';
import type { RateLimit } from '../rate-limit.js';
import type { RunRegistry } from '../run-registry.js';
import type { SessionStore } from '../session-store.js';
import type { AccessRules } from './access.js';
import { EventStream } from './event-stream.js';
import { refuse } from './refusals.js';

interface ServingParts {
  readonly access: AccessRules;
  readonly archive: Archive;
  readonly chats: RateLimit;
  readonly investigator: Investigator;
  readonly limits: ServerLimits;
  readonly policy: ChatPolicy;
  readonly runs: RunRegistry;
  readonly sessions: SessionStore;
}

/** What the routes share. */
export class Serving {
  readonly access: AccessRules;
  readonly archive: Archive;
  readonly chats: RateLimit;
  readonly investigator: Investigator;
  readonly policy: ChatPolicy;
  readonly runs: RunRegistry;
  readonly sessions: SessionStore;
  readonly #limits: ServerLimits;
  readonly #streams = new Set<EventStream>();

  constructor(parts: ServingParts) {
    this.access = parts.access;
    this.archive = parts.archive;
    this.chats = parts.chats;
    this.investigator = parts.investigator;
    this.policy = parts.policy;
    this.runs = parts.runs;
    this.sessions = parts.sessions;
    this.#limits = parts.limits;
  }

  /** Makes the answer a stream; null, and refused, when too many are open. */
  open(reply: FastifyReply, headers: Readonly<Record<string, string>> = {}): EventStream | null {
    if (this.#streams.size >= this.#limits.maxStreams) {
      refuse(reply, 'busy', 'Too many event streams are open.', 503);
      return null;
    }
    reply.hijack();
    const stream = new EventStream(reply.raw, this.#limits.pingMs, headers);
    this.#streams.add(stream);
    stream.onClose(() => this.#streams.delete(stream));
    return stream;
  }

  /** Sends a run from after number `after` to its end. */
  follow(run: LiveRun, after: number, stream: EventStream): void {
    const leave = run.listen(after, (numbered) => {
      stream.send(numbered);
      if (numbered.event.type === 'final' || numbered.event.type === 'error') stream.end();
    });
    stream.onClose(leave);
  }

  endStreams(): void {
    for (const stream of this.#streams) stream.end();
  }
}
