import type { LookupFunction, Socket } from 'node:net';
import type { buildConnector, Dispatcher } from 'undici';
import { lazy } from '../../foreign/lazy.js';
import { monotonicMs } from '../tools/clock.js';
import { abortSignal, type Stop } from '../tools/stop.js';
import { type HttpFailure, type HttpPhase, httpFailure } from './failure.js';
import { fixedLookup, resolveHost } from './resolve-host.js';

export interface HeadersRequest {
  readonly url: URL;
  readonly headers?: Readonly<Record<string, string>>;
  /** Whole request, name lookup included, ms. */
  readonly timeoutMs: number;
  readonly signal: Stop;
  /** Proxy to go through; without it none is used, whatever the environment says. */
  readonly proxy?: string | undefined;
}

export interface HttpResponse {
  readonly kind: 'response';
  readonly statusCode: number;
  readonly retryAfter: string | undefined;
  readonly ms: number;
}

/**
 * One GET up to the headers: the body is not read, redirects are not followed, the connection is not kept (spec 02 §10.5).
 * Never rejects.
 */
export async function fetchHeaders(request: HeadersRequest): Promise<HttpResponse | HttpFailure> {
  // Loaded here because most ticks of most hosts have nothing to ask.
  const undici = await import('undici');
  const started = monotonicMs();
  const progress: { phase: HttpPhase } = { phase: 'connect' };
  const { url, proxy } = request;
  const signal = AbortSignal.any([
    abortSignal(request.signal),
    AbortSignal.timeout(Math.max(1, request.timeoutMs)),
  ]);
  const { hostname } = proxy === undefined ? url : new URL(proxy);
  const resolved = await resolveHost(hostname, request.timeoutMs, signal);
  if (resolved?.kind === 'timeout' || signal.aborted) {
    return httpFailure(timedOut(), progress.phase, monotonicMs() - started);
  }
  if (resolved?.kind === 'unknown_host') {
    return httpFailure(unknownHost(), progress.phase, monotonicMs() - started);
  }
  const lookup = resolved ? fixedLookup(resolved.addresses) : undefined;
  const dispatcher: Dispatcher =
    proxy === undefined
      ? new undici.Client(url.origin, { connect: connector(progress, signal, lookup), pipelining: 1 })
      : new undici.ProxyAgent({ uri: proxy, ...(lookup ? { proxyTls: { lookup } } : {}) });
  try {
    const response = dispatcher.request({
      origin: url.origin,
      path: url.pathname + url.search,
      method: 'GET',
      headers: { ...request.headers },
      signal,
    });
    const { statusCode, headers, body } = await Promise.race([response, aborted(signal)]);
    // What was cut off is of no interest, neither is the complaint about it.
    body.on('error', () => undefined);
    body.destroy();
    return {
      kind: 'response',
      statusCode,
      retryAfter: single(headers['retry-after']),
      ms: monotonicMs() - started,
    };
  } catch (error) {
    const ms = monotonicMs() - started;
    return httpFailure(signal.aborted ? timedOut() : error, progress.phase, ms);
  } finally {
    dispatcher.destroy().catch(() => undefined);
  }
}

const timedOut = lazy(() => Object.assign(new Error('out of time'), { code: 'ETIMEDOUT' }));

const unknownHost = lazy(() => Object.assign(new Error('unknown host'), { code: 'ENOTFOUND' }));

/** The client itself notices an abort only once it is connected. */
function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    if (signal.aborted) reject(timedOut());
    signal.addEventListener('abort', () => reject(timedOut()), { once: true });
  });
}

/** A connector of our own, because only it can tell a connection that never came from a handshake that never ended. */
function connector(
  progress: { phase: HttpPhase },
  signal: AbortSignal,
  lookup: LookupFunction | undefined,
): buildConnector.connector {
  return ({ hostname, port, protocol, servername }, callback) => {
    const host = hostname.replace(/^\[(.*)\]$/, '$1');
    const isTls = protocol === 'https:';
    // Loaded with the first request: most ticks make none, and encryption alone is a tenth of a bare start of Node.
    const tcp = process
      .getBuiltinModule('node:net')
      .connect({ host, port: Number(port) || (isTls ? 443 : 80), ...(lookup ? { lookup } : {}) });
    let isSettled = false;
    const settle = (error: Error | null, socket: Socket | null) => {
      if (isSettled) return;
      isSettled = true;
      signal.removeEventListener('abort', abort);
      if (socket) {
        progress.phase = 'headers';
        callback(null, socket);
      } else {
        tcp.destroy();
        callback(error ?? timedOut(), null);
      }
    };
    const abort = () => settle(timedOut(), null);
    const fail = (error: Error) => settle(error, null);
    signal.addEventListener('abort', abort, { once: true });
    tcp.on('error', fail);
    tcp.once('connect', () => {
      if (!isTls) {
        settle(null, tcp);
        return;
      }
      progress.phase = 'tls';
      const secure = process.getBuiltinModule('node:tls').connect({
        socket: tcp,
        ALPNProtocols: ['http/1.1'],
        ...(servername ? { servername } : {}),
      });
      secure.on('error', fail);
      secure.once('secureConnect', () => settle(null, secure));
    });
  };
}

function single(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value[0] : value;
}
