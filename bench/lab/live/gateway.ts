import { createServer, type Server } from 'node:http';
import { finiteNumber, objectOr } from '../../../src/foreign/json.js';
import type { LabWorld } from '../world/world.js';

/** The model gateway on this machine's loopback address, as healthy as the world says. */
export class LiveGateway {
  #server: Server | null = null;
  #port = 0;
  #statusCode = 200;

  constructor(private readonly world: LabWorld) {}

  /** Variables by which a tick finds it. */
  get env(): Record<string, string> {
    return { OPENAI_BASE_URL: `http://127.0.0.1:${this.#port}/v1`, OPENAI_API_KEY: 'key-of-the-lab' };
  }

  async update(): Promise<void> {
    const gateway = objectOr(objectOr(this.world.slots.local_external_deps)['gateway']);
    this.#statusCode = finiteNumber(gateway['status_code']) ?? 200;
    if (gateway['reachable'] === false && this.#statusCode < 500) await this.end();
    else if (this.#server === null) await this.#listen();
  }

  end(): Promise<void> {
    const server = this.#server;
    this.#server = null;
    if (server === null) return Promise.resolve();
    server.closeAllConnections();
    return new Promise((resolve) => server.close(() => resolve()));
  }

  #listen(): Promise<void> {
    const server = createServer((_request, response) => {
      response.statusCode = this.#statusCode;
      response.end('{"data":[]}');
    });
    this.#server = server;
    return new Promise((resolve, failed) => {
      server.once('error', failed);
      server.listen(this.#port, '127.0.0.1', () => {
        const address = server.address();
        if (typeof address === 'object' && address !== null) this.#port = address.port;
        resolve();
      });
    });
  }
}
