import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { Agent } from 'undici';
import { agentFor, checkedAddresses } from '../../safety/checked-agent.js';
import type { Secret } from '../../safety/redactor.js';

export interface McpHttpOptions {
  /** From the operator alone. */
  readonly url: string;
  readonly token?: Secret;
  readonly timeoutMs: number;
  readonly maxBytes: number;
  /** Resolves a host name; tests bring their own. */
  readonly resolve?: (host: string) => Promise<readonly string[]>;
}

/** A way to a server, and what has to be done when it is not needed any more. */
export interface OpenedTransport {
  readonly transport: Transport;
  readonly end: () => Promise<void>;
}

type Init = Pick<RequestInit, 'method' | 'headers' | 'body' | 'signal'>;

const NO_BODY = new Set([204, 205, 304]);

/** Streamable HTTP under the rules for outgoing requests; only this one address is ever asked (spec 07 B8.1). */
export async function httpTransport(options: McpHttpOptions): Promise<OpenedTransport> {
  const { StreamableHTTPClientTransport } = await import(
    '@modelcontextprotocol/sdk/client/streamableHttp.js'
  );
  const sender = new Sender(options);
  const transport = new StreamableHTTPClientTransport(new URL(options.url), {
    fetch: sender.fetch,
    requestInit: {
      headers: options.token === undefined ? {} : { authorization: `Bearer ${options.token.reveal()}` },
    },
    reconnectionOptions: {
      maxRetries: 0,
      initialReconnectionDelay: 1000,
      maxReconnectionDelay: 1000,
      reconnectionDelayGrowFactor: 1,
    },
  });
  return {
    transport,
    end: async () => {
      // The server forgets the session; one that does not answer any more has done so.
      await transport.terminateSession().catch(() => undefined);
      await transport.close();
      await sender.close();
    },
  };
}

class Sender {
  #agent: Agent | undefined;

  constructor(private readonly options: McpHttpOptions) {}

  readonly fetch = async (input: string | URL, init: Init = {}): Promise<Response> => {
    const { url: configured, timeoutMs, maxBytes } = this.options;
    const url = new URL(input);
    if (url.href !== new URL(configured).href) throw new Error('refused: it asks for another address');
    const { method = 'GET', signal } = init;
    // Nothing is waited for that was not asked for.
    if (method === 'GET') return new Response(null, { status: 405 });
    const agent = await this.#connect(url);
    const { fetch: send } = await import('undici');
    const response = await send(url, {
      method,
      headers: [...new Headers(init.headers ?? {})],
      body: typeof init.body === 'string' ? init.body : null,
      redirect: 'manual',
      dispatcher: agent,
      signal: AbortSignal.any([...(signal ? [signal] : []), AbortSignal.timeout(timeoutMs)]),
    });
    const { status, headers } = response;
    if (status >= 300 && status < 400) {
      await response.body?.cancel();
      throw new Error('it answers with a redirect, which is not followed');
    }
    const body = NO_BODY.has(status) || response.body === null ? null : bounded(response.body, maxBytes);
    return new Response(body, { status, headers: [...headers] });
  };

  async close(): Promise<void> {
    await this.#agent?.destroy();
  }

  async #connect(url: URL): Promise<Agent> {
    const { resolve } = this.options;
    const addresses = await checkedAddresses(url, { mayBePrivate: true, ...(resolve && { resolve }) });
    if (typeof addresses === 'string') throw new Error(addresses);
    this.#agent ??= await agentFor(addresses);
    return this.#agent;
  }
}

/** The stream, which fails as soon as it is longer than allowed. */
function bounded(stream: ReadableStream<Uint8Array>, maxBytes: number): ReadableStream<Uint8Array> {
  let size = 0;
  return stream.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        size += chunk.byteLength;
        if (size > maxBytes) controller.error(new Error(`its answer is larger than ${maxBytes} bytes`));
        else controller.enqueue(chunk);
      },
    }),
  );
}
