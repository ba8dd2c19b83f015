import {
  appendFileSync,
  copyFileSync,
  mkdirSync,
  renameSync,
  rmSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { finiteNumber, objectOr } from '../../../src/foreign/json.js';
import type { SessionBuilder } from '../../../src/runtime/demo/session-builder.js';
import type { LabLog } from '../world/types.js';
import type { LabWorld } from '../world/world.js';

/** Logs, state file and mailboxes of a live session. */
export class LiveFiles {
  readonly #written = new Map<string, number>();
  #rotations = 0;

  constructor(
    private readonly builder: SessionBuilder,
    private readonly world: LabWorld,
  ) {}

  update(): void {
    for (const log of this.world.logs.values()) this.#updateLog(log);
    this.#updateState();
    this.#updateMailboxes();
  }

  /** Appends what is new; a log that has shrunk was rotated, by renaming and by copying in turn. */
  #updateLog(log: LabLog): void {
    const path = this.builder.path(log.name);
    const before = this.#written.get(log.name) ?? 0;
    mkdirSync(dirname(path), { recursive: true });
    if (log.lines.length < before) this.#rotate(path);
    const fresh = log.lines.slice(log.lines.length < before ? 0 : before);
    this.#written.set(log.name, log.lines.length);
    if (fresh.length === 0) return;
    appendFileSync(path, fresh.map(({ text }) => `${text}\n`).join(''));
    const newest = fresh.at(-1)?.at ?? this.world.now;
    utimesSync(path, newest, newest);
  }

  #rotate(path: string): void {
    this.#rotations += 1;
    const old = `${path}.${this.#rotations}`;
    if (this.#rotations % 2 === 1) {
      renameSync(path, old);
      return;
    }
    copyFileSync(path, old);
    truncateSync(path, 0);
  }

  #updateState(): void {
    const { state, coordinator } = this.world;
    const path = this.builder.path('state.json');
    if (!state.valid && state.error === 'missing') {
      rmSync(path, { force: true });
      return;
    }
    const content = {
      deadline_unix: state.deadlineUnix,
      phase: coordinator.phase,
      stop_reason: state.stopReason,
      tick: state.tick,
      history: 'x'.repeat(Math.max(0, state.sizeBytes - 200)),
    };
    const text = JSON.stringify(content, null, 2);
    writeFileSync(path, state.valid ? text : text.slice(0, Math.floor(text.length / 2)));
    utimesSync(path, state.mtime, state.mtime);
  }

  /** Files of the right size with nothing in them. */
  #updateMailboxes(): void {
    for (const [role, sizes] of Object.entries(this.world.agents)) {
      for (const box of ['inbox', 'outbox']) {
        const bytes = finiteNumber(objectOr(sizes)[`${box}_bytes`]) ?? 0;
        const path = this.builder.file(`agents/${role}/${box}.jsonl`, '');
        truncateSync(path, bytes);
      }
    }
  }
}
