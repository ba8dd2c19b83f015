import type { ServerResponse } from 'node:http';
import type { NumberedEvent } from '../events.js';
import { SECURITY_HEADERS } from './security-headers.js';

/** A reader that is so far behind is let go; it can come back for the rest. */
const MAX_WAITING_BYTES = 4 * 1024 * 1024;

/** One answer as server-sent events (spec 07 A12, B14). */
export class EventStream {
  readonly #response: ServerResponse;
  readonly #ping: NodeJS.Timeout;
  readonly #onClose: (() => void)[] = [];
  #isOpen = true;

  constructor(response: ServerResponse, pingMs: number, headers: Readonly<Record<string, string>>) {
    this.#response = response;
    response.writeHead(200, {
      ...SECURITY_HEADERS,
      'cache-control': 'no-store',
      'content-type': 'text/event-stream; charset=utf-8',
      // Proxies that collect answers would hold the events back.
      'x-accel-buffering': 'no',
      ...headers,
    });
    response.flushHeaders();
    this.#ping = setInterval(() => this.#write(': ping\n\n'), pingMs);
    this.#ping.unref();
    response.once('close', () => this.#closed());
    response.on('error', () => response.destroy());
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** Called once, whichever side ends it. */
  onClose(listener: () => void): void {
    if (this.#isOpen) this.#onClose.push(listener);
    else listener();
  }

  send({ id, event }: NumberedEvent): void {
    const number = id === null ? '' : `id: ${id}\n`;
    this.#write(`${number}data: ${JSON.stringify(event)}\n\n`);
  }

  end(): void {
    if (this.#isOpen) this.#response.end();
  }

  #write(text: string): void {
    if (!this.#isOpen) return;
    this.#response.write(text);
    if (this.#response.writableLength > MAX_WAITING_BYTES) this.#response.destroy();
  }

  #closed(): void {
    this.#isOpen = false;
    clearInterval(this.#ping);
    for (const listener of this.#onClose.splice(0)) listener();
  }
}
