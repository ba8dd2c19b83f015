import fastify, { type FastifyInstance } from 'fastify';
import type { ChatPolicy } from '../apply-settings.js';
import type { Archive } from '../archive.js';
import { type Investigator, NO_SETTINGS } from '../investigator.js';
import { DEFAULT_LIMITS, type ServerLimits } from '../limits.js';
import { readPageFiles } from '../page-files.js';
import { RateLimit } from '../rate-limit.js';
import { RunRegistry, type RunRegistryOptions } from '../run-registry.js';
import { SessionStore } from '../session-store.js';
import { type AccessRules, checkOrigin, checkToken } from './access.js';
import { refuse } from './refusals.js';
import { chatRoute } from './routes-chat.js';
import { investigationRoutes } from './routes-investigations.js';
import { SECURITY_HEADERS } from './security-headers.js';
import { Serving } from './serving.js';

export interface ChatServerOptions {
  readonly investigator: Investigator;
  readonly archive: Archive;
  readonly access: AccessRules;
  readonly policy: ChatPolicy;
  readonly version: string;
  /** Repository that conversations begin with. */
  readonly repo?: string | null;
  readonly limits?: Partial<ServerLimits>;
  /** Wall clock, ms. */
  readonly now?: () => number;
  /** Told what went wrong inside a run or a route. */
  readonly onFailure?: (error: unknown, investigationId: string | null) => void;
}

export interface ChatServer {
  readonly app: FastifyInstance;
  /** Cancels runs, ends streams, closes; at most the limit of the shutdown. */
  close(): Promise<void>;
}

const MAX_CONNECTIONS = 256;

/** The chat page and its API (spec 07 A12, B14); listens when its `app` is told to. */
export function createChatServer(options: ChatServerOptions): ChatServer {
  const { investigator, archive, access, policy, version, onFailure } = options;
  const limits = { ...DEFAULT_LIMITS, ...options.limits };
  const now = options.now ?? Date.now;
  const registry: RunRegistryOptions = {
    investigator,
    limits,
    now,
    ...(onFailure === undefined ? {} : { onFailure }),
  };
  const runs = new RunRegistry(registry);
  const initial = { ...NO_SETTINGS, repo: options.repo ?? null };
  const sessions = new SessionStore(limits, now, initial);
  const chats = new RateLimit(limits.chatsPerMinute, now);
  const serving = new Serving({ access, archive, chats, investigator, limits, policy, runs, sessions });
  const app = fastify({
    bodyLimit: limits.bodyBytes,
    forceCloseConnections: true,
    requestTimeout: 30_000,
    connectionTimeout: 0,
    // A HEAD of an event stream would stay open.
    exposeHeadRoutes: false,
    routerOptions: { maxParamLength: 64 },
  });
  app.server.maxConnections = MAX_CONNECTIONS;
  app.removeContentTypeParser('text/plain');
  let isClosing = false;
  app.addHook('onRequest', async (request, reply) => {
    reply.headers(SECURITY_HEADERS);
    reply.header('cache-control', 'no-store');
    if (isClosing) return refuse(reply, 'busy', 'The server is being stopped.', 503);
    const refusal = checkOrigin(request.raw, access);
    if (refusal === 'host') return refuse(reply, 'forbidden', 'This server is not reached under that name.');
    if (refusal === 'origin') return refuse(reply, 'forbidden', 'Requests of other sites are not answered.');
    return undefined;
  });
  app.setErrorHandler((error, _request, reply) => {
    const status = statusOf(error);
    if (status === 413)
      return refuse(reply, 'bad_request', `A request has at most ${limits.bodyBytes} bytes.`, 413);
    if (status === 415) return refuse(reply, 'bad_request', 'Expected Content-Type: application/json.', 415);
    if (status < 500) return refuse(reply, 'bad_request', 'The request could not be read.', status);
    onFailure?.(error, null);
    return refuse(reply, 'internal', 'The request failed; the log of the server says why.');
  });
  app.setNotFoundHandler((_request, reply) => refuse(reply, 'not_found', 'There is nothing here.'));

  // The files hold no data; without them nobody could enter a token.
  for (const { path, type, body } of readPageFiles()) {
    app.get(path, async (_request, reply) => reply.type(type).header('cache-control', 'no-cache').send(body));
  }
  app.get('/health', async (request) => {
    if (checkToken(request.raw, access) !== null) return { status: 'ok' };
    const { usesModel: llm } = investigator;
    return { status: 'ok', version, sessions: sessions.size, running: runs.running, llm };
  });
  app.register(async (api) => {
    api.addHook('onRequest', async (request, reply) => {
      if (checkToken(request.raw, access) === null) return undefined;
      reply.header('www-authenticate', 'Bearer');
      return refuse(
        reply,
        'unauthorized',
        'A token is needed: Authorization: Bearer, with INVESTIGATE_TOKEN.',
      );
    });
    chatRoute(api, serving);
    investigationRoutes(api, serving);
    api.get('/capabilities', async () => investigator.capabilities(initial));
  });

  const close = async (): Promise<void> => {
    isClosing = true;
    await runs.shutDown();
    serving.endStreams();
    await app.close();
  };
  return { app, close };
}

function statusOf(error: unknown): number {
  const status =
    typeof error === 'object' && error !== null && 'statusCode' in error ? error.statusCode : 500;
  return typeof status === 'number' ? status : 500;
}
