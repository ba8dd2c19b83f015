import type { Agent, Dispatcher, EnvHttpProxyAgent } from 'undici';
import { type EnvRecord, firstSet } from './env-view.js';
import type { Exchange } from './exchange.js';

/** Sends requests for the client libraries: bounded answers, no redirects, the environment's proxies. */
export interface Transport {
  /** A fetch for one request; `onExchange` gets the answer as it came, before the library judges it. */
  fetchFor(onExchange: (exchange: Exchange) => void): typeof fetch;
  close(): Promise<void>;
}

export interface TransportOptions {
  readonly env: EnvRecord;
  /** Largest answer that is read, in bytes (spec 07 B12). */
  readonly maxBytes?: number;
}

const MAX_BYTES = 2 * 1024 * 1024;
const BODILESS = new Set([101, 103, 204, 205, 304]);

/** Node's own fetch knows no proxy (spec 05 B.12.12) and no bound, so requests go through undici, loaded on first use. */
export function createTransport({ env, maxBytes = MAX_BYTES }: TransportOptions): Transport {
  let dispatchers: Promise<Dispatchers> | undefined;
  return {
    fetchFor: (onExchange) => async (input, init) => {
      dispatchers ??= openDispatchers(env);
      const { fetch: send, pick } = await dispatchers;
      const url = String(input instanceof Request ? input.url : input);
      if (typeof init?.body !== 'string') throw new TypeError('only text bodies are sent');
      const answer = await send(url, {
        method: init.method ?? 'POST',
        headers: [...new Headers(init.headers)],
        body: init.body,
        signal: init.signal ?? null,
        redirect: 'manual',
        dispatcher: pick(url),
      });
      const { text, isCut } = await readBounded(answer.body, maxBytes);
      const headers = Object.fromEntries(answer.headers);
      onExchange({ status: answer.status, headers, body: text, isCut });
      // The body was decoded already; these two would describe bytes that are gone.
      const { 'content-encoding': _, 'content-length': __, ...rest } = headers;
      return new Response(BODILESS.has(answer.status) ? null : text, {
        status: answer.status,
        headers: rest,
      });
    },
    async close() {
      const open = await dispatchers?.catch(() => undefined);
      dispatchers = undefined;
      await open?.close();
    },
  };
}

interface Dispatchers {
  readonly fetch: typeof import('undici').fetch;
  readonly pick: (url: string) => Dispatcher;
  readonly close: () => Promise<void>;
}

async function openDispatchers(env: EnvRecord): Promise<Dispatchers> {
  const undici = await import('undici');
  const direct: Agent = new undici.Agent();
  const httpProxy = firstSet(env, 'http_proxy', 'HTTP_PROXY');
  const httpsProxy = firstSet(env, 'https_proxy', 'HTTPS_PROXY') ?? firstSet(env, 'all_proxy', 'ALL_PROXY');
  const proxied: EnvHttpProxyAgent | undefined =
    httpProxy === undefined && httpsProxy === undefined
      ? undefined
      : new undici.EnvHttpProxyAgent({
          httpProxy: httpProxy ?? '',
          httpsProxy: httpsProxy ?? '',
          noProxy: firstSet(env, 'no_proxy', 'NO_PROXY') ?? '',
        });
  return {
    fetch: undici.fetch,
    pick: (url) => (proxied === undefined || isLocal(new URL(url).hostname) ? direct : proxied),
    // Destroyed, not drained: what still hangs after the deadline must not hold the process.
    close: async () => {
      await Promise.all([direct.destroy(), proxied?.destroy()]);
    },
  };
}

/** Loopback and link-local hosts are never asked for through a proxy (spec 09 §5). */
function isLocal(hostname: string): boolean {
  const host = hostname.replace(/^\[|\]$/g, '').toLowerCase();
  return (
    host === 'localhost' ||
    host.endsWith('.localhost') ||
    /^(127|169\.254)\./.test(host) ||
    /^(::1$|fe80:)/.test(host)
  );
}

async function readBounded(
  body: AsyncIterable<Uint8Array> | null,
  maxBytes: number,
): Promise<{ text: string; isCut: boolean }> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body ?? []) {
    const room = maxBytes - size;
    chunks.push(chunk.length > room ? chunk.subarray(0, room) : chunk);
    size += chunk.length;
    if (size > maxBytes) break;
  }
  return { text: new TextDecoder().decode(Buffer.concat(chunks)), isCut: size > maxBytes };
}
