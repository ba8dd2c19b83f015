import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Logger } from '../shared/logger.js';
import { UserError } from '../shared/user-error.js';
import { readBody } from './read-body.js';
import { dropStaleSocket, listenPrivately } from './socket-path.js';
import type { WarmTicks } from './warm-tick.js';

/** Largest request, bytes: twice the longest prompt that is read. */
const MAX_BODY_BYTES = 64 * 1024 * 1024;
const MAX_CONNECTIONS = 64;
/** A request that takes longer to arrive is given up, ms. */
const ARRIVAL_MS = 10_000;

export interface SocketServer {
  /** Takes no more requests, finishes those at work, and removes the socket. */
  close(): Promise<void>;
}

/**
 * Answers `POST /tick` on a Unix socket: the body is what `tick --request` reads, the answer what `tick --out` writes.
 * Refusals are `{"error": {"code", "message"}}`.
 *
 * @throws UserError `RA_SERVE_SOCKET`
 */
export async function serveTicks(path: string, ticks: WarmTicks, logger: Logger): Promise<SocketServer> {
  await dropStaleSocket(path);
  const server = createServer({ requestTimeout: ARRIVAL_MS }, (request, response) => {
    void answer(request, response, ticks, logger);
  });
  server.maxConnections = MAX_CONNECTIONS;
  await listenPrivately(server, path);
  return { close: () => close(server, ticks) };
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  ticks: WarmTicks,
  logger: Logger,
): Promise<void> {
  try {
    const refusal = misdirected(request);
    if (refusal !== undefined) return await refuse(response, refusal.status, refusal.error);
    const body = await readBody(request, MAX_BODY_BYTES);
    if (!body.ok) return await refuse(response, 413, TOO_LARGE);
    await ticks.tick(body.bytes, (text) => send(response, 200, text));
  } catch (error) {
    if (error instanceof UserError) return await refuse(response, statusOf(error), error);
    const reason = error instanceof Error ? error : new Error(String(error));
    logger.error('a request failed', { error: reason.stack ?? reason.message });
    const happened = `${reason.message}; this is a bug, please report it`;
    await refuse(response, 500, new UserError({ code: 'RA_INTERNAL', happened }));
  }
}

const TOO_LARGE = new UserError({
  code: 'RA_SERVE_TOO_LARGE',
  happened: 'the request is too large',
  expected: `at most ${MAX_BODY_BYTES} bytes`,
});

function misdirected({ method, url }: IncomingMessage): { status: number; error: UserError } | undefined {
  if (url !== '/tick') return { status: 404, error: notServed(`there is nothing at ${url ?? ''}`) };
  if (method !== 'POST') return { status: 405, error: notServed(`${method ?? ''} is not served`) };
  return undefined;
}

function notServed(happened: string): UserError {
  return new UserError({ code: 'RA_SERVE_ROUTE', happened, expected: 'POST /tick' });
}

function statusOf({ code }: UserError): number {
  return code === 'RA_SERVE_BUSY' ? 503 : 400;
}

async function refuse(response: ServerResponse, status: number, error: UserError): Promise<void> {
  if (response.headersSent) return;
  // What is left of a refused body is not waited for.
  response.setHeader('connection', 'close');
  const { code, message } = error;
  await send(response, status, `${JSON.stringify({ error: { code, message } })}\n`).catch(() => undefined);
}

/** Resolves once the text has left the process; rejects when the other side is gone. */
function send(response: ServerResponse, status: number, text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const gone = () => reject(new Error('the connection was closed before the answer'));
    if (response.destroyed) return gone();
    response.once('close', gone);
    const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) };
    response.writeHead(status, headers).end(text, () => resolve());
  });
}

async function close(server: Server, ticks: WarmTicks): Promise<void> {
  const closed = new Promise<void>((resolve) => {
    server.close(() => resolve());
  });
  server.closeIdleConnections();
  await ticks.idle();
  server.closeIdleConnections();
  // Who has been answered and keeps its connection is not waited for.
  setImmediate(() => server.closeAllConnections());
  await closed;
}
