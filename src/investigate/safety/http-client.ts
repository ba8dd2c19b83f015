import { setTimeout as delay } from 'node:timers/promises';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import type { Agent, Dispatcher } from 'undici';
import { type Json, parseJson } from '../../foreign/json.js';
import { agentFor, checkedAddresses, codeOf } from './checked-agent.js';

/** One origin that may be asked, and how. */
export interface Origin {
  /** `jaeger`, `loki` or `github`: its name in cassettes. */
  readonly alias: string;
  /** Base URL from the operator's configuration. */
  readonly baseUrl: string;
  /** Sent to this origin alone. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Loopback and private addresses are fine where the operator named them. */
  readonly mayBePrivate: boolean;
}

export interface HttpRequest {
  /** Path segments, encoded one by one. */
  readonly path: readonly string[];
  readonly query?: Readonly<Record<string, string | number | undefined>>;
  readonly accept?: string;
  /** `text` for raw files. */
  readonly as?: 'json' | 'text';
}

export type HttpAnswer =
  | { readonly ok: true; readonly status: number; readonly body: Json; readonly text: string }
  | { readonly ok: false; readonly status: number | null; readonly problem: string };

export interface HttpClient {
  get(request: HttpRequest, signal: AbortSignal): Promise<HttpAnswer>;
  close(): Promise<void>;
}

export interface HttpLimits {
  readonly maxBytes: number;
  readonly timeoutMs: number;
  /** Resolves a host name; tests bring their own. */
  readonly resolve?: (host: string) => Promise<readonly string[]>;
  readonly random?: () => number;
}

const BREAKER_FAILURES = 3;
const RETRY_STATUS = new Set([502, 503, 504]);

/** A read-only client for one origin under the rules of spec 07 B8.1. */
export function createHttpClient(origin: Origin, limits: HttpLimits): HttpClient {
  let failures = 0;
  let agent: Agent | undefined;
  const connect = async (base: URL): Promise<Agent | string> => {
    const addresses = await checkedAddresses(base, { mayBePrivate: origin.mayBePrivate, ...limits });
    if (typeof addresses === 'string') return addresses;
    agent ??= await agentFor(addresses);
    return agent;
  };

  const once = async (url: URL, request: HttpRequest, signal: AbortSignal): Promise<Attempt> => {
    const dispatcher = await connect(url);
    if (typeof dispatcher === 'string') return { kind: 'refused', problem: dispatcher };
    const { request: send } = await import('undici');
    const response = await send(url, {
      dispatcher,
      method: 'GET',
      headers: { accept: request.accept ?? 'application/json', 'accept-encoding': 'gzip', ...origin.headers },
      signal,
    });
    const text = await readBody(response, limits.maxBytes);
    return text === null
      ? { kind: 'refused', problem: `the answer is larger than ${limits.maxBytes} bytes` }
      : {
          kind: 'answer',
          status: response.statusCode,
          type: String(response.headers['content-type'] ?? ''),
          text,
        };
  };

  return {
    async get(request, signal) {
      const url = urlOf(origin.baseUrl, request);
      if (typeof url === 'string') return { ok: false, status: null, problem: url };
      if (failures >= BREAKER_FAILURES) {
        return {
          ok: false,
          status: null,
          problem: `${origin.alias} failed ${failures} times in a row and is not asked again`,
        };
      }
      const deadline = AbortSignal.any([signal, AbortSignal.timeout(limits.timeoutMs)]);
      const answer = await withRetry(
        () => once(url, request, deadline),
        deadline,
        limits.random ?? Math.random,
      );
      const read = readAnswer(answer, request);
      const isDown = !read.ok && (read.status === null || read.status >= 500);
      failures = isDown ? failures + 1 : 0;
      return read;
    },
    async close() {
      await agent?.close();
    },
  };
}

type Attempt =
  | { readonly kind: 'answer'; readonly status: number; readonly type: string; readonly text: string }
  | { readonly kind: 'refused'; readonly problem: string }
  | { readonly kind: 'failed'; readonly problem: string; readonly isReset: boolean };

async function withRetry(
  attempt: () => Promise<Attempt>,
  signal: AbortSignal,
  random: () => number,
): Promise<Attempt> {
  const first = await attempt().catch(failureOf(signal));
  const mayRetry =
    first.kind === 'failed' ? first.isReset : first.kind === 'answer' && RETRY_STATUS.has(first.status);
  if (!mayRetry || signal.aborted) return first;
  await delay(250 + 500 * random(), undefined, { signal }).catch(() => undefined);
  return signal.aborted ? first : attempt().catch(failureOf(signal));
}

function failureOf(signal: AbortSignal): (error: unknown) => Attempt {
  return (error) => {
    if (signal.aborted) return { kind: 'failed', problem: 'no answer in time', isReset: false };
    const code = codeOf(error);
    const isReset = code === 'ECONNRESET' || code === 'UND_ERR_SOCKET';
    // The message of the system may hold addresses; its code says enough.
    return { kind: 'failed', problem: `no answer: ${code}`, isReset };
  };
}

function readAnswer(attempt: Attempt, { as = 'json' }: HttpRequest): HttpAnswer {
  if (attempt.kind !== 'answer') return { ok: false, status: null, problem: attempt.problem };
  const { status, text, type } = attempt;
  if (status >= 300) {
    const why = status < 400 ? 'a redirect, which is not followed' : `status ${status}`;
    return { ok: false, status, problem: why };
  }
  if (as === 'text') return { ok: true, status, body: null, text };
  const parsed = parseJson(text);
  if (!parsed.ok)
    return { ok: false, status, problem: `the answer is not JSON (${type.slice(0, 60) || 'no type'})` };
  return { ok: true, status, body: parsed.value, text };
}

/** The address of a request, or why there is none. */
export function urlOf(baseUrl: string, { path, query = {} }: HttpRequest): URL | string {
  let base: URL;
  try {
    base = new URL(baseUrl);
  } catch {
    return 'the configured address is no URL';
  }
  if (base.protocol !== 'http:' && base.protocol !== 'https:') return 'only http and https are used';
  if (base.username !== '' || base.password !== '') return 'an address holds no user name or password';
  if (base.hash !== '') return 'an address has no fragment';
  if (path.some((segment) => segment === '' || segment === '.' || segment === '..')) {
    return 'a path has no empty, . or .. segment';
  }
  const url = new URL(base.origin);
  url.pathname = [base.pathname.replace(/\/+$/, ''), ...path.map(encodeURIComponent)].join('/');
  for (const [name, value] of Object.entries(query))
    if (value !== undefined) url.searchParams.append(name, String(value));
  return url;
}

/** The decompressed text, or null as soon as it is larger than allowed. */
async function readBody(response: Dispatcher.ResponseData, maxBytes: number): Promise<string | null> {
  const encoding = String(response.headers['content-encoding'] ?? 'identity').toLowerCase();
  const unpack = { gzip: createGunzip, br: createBrotliDecompress, deflate: createInflate }[encoding];
  const stream = unpack === undefined ? response.body : response.body.pipe(unpack());
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of stream) {
    const bytes = Buffer.isBuffer(chunk) ? chunk : Buffer.from(chunk);
    size += bytes.length;
    if (size > maxBytes) {
      response.body.destroy();
      return null;
    }
    chunks.push(bytes);
  }
  return Buffer.concat(chunks).toString('utf8');
}
