import type { CommandIo } from './command.js';

const QUIET_MS = 1000;
const EVERY_MS = 2000;

/** Progress of long work on stderr: a line that rewrites itself on a terminal, a line now and then elsewhere. */
export class Progress {
  readonly #stream: CommandIo['stderr'];
  readonly #now: () => number;
  readonly #start: number;
  #last = Number.NEGATIVE_INFINITY;
  #shown = false;

  constructor(io: Pick<CommandIo, 'stderr'>, now: () => number = Date.now) {
    this.#stream = io.stderr;
    this.#now = now;
    this.#start = now();
  }

  /** Says what is being done; shown from the second second on. */
  update(text: string): void {
    const now = this.#now();
    const terminal = this.#stream.isTTY === true;
    if (now - this.#start < QUIET_MS || (!terminal && now - this.#last < EVERY_MS)) return;
    this.#last = now;
    this.#shown = terminal;
    this.#stream.write(terminal ? `\r\x1b[K${text.slice(0, 79)}` : `${text}\n`);
  }

  /** Clears the line, so that what follows starts on a clean one. */
  done(): void {
    if (this.#shown) this.#stream.write('\r\x1b[K');
    this.#shown = false;
  }
}
