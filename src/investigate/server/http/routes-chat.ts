import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { isObject } from '../../../foreign/json.js';
import { applySettings } from '../apply-settings.js';
import { type ChatMessage, readChatMessage } from '../chat-message.js';
import type { ElicitEvent, SetupEvent } from '../events.js';
import type { CapabilityReport } from '../investigator.js';
import { LiveRun } from '../live-run.js';
import type { ChatSession } from '../session-store.js';
import { callerOf } from './access.js';
import { refuse } from './refusals.js';
import type { Serving } from './serving.js';

interface ChatRequest {
  readonly message: string;
  readonly session_id: string | null;
}

const GREETING = 'Describe what fails: what you see, since when, and which service it concerns.';
const WINDOW_MINUTES = 10;

/** `POST /chat`: settings out of the message, then an investigation as a stream of events (spec 07 A12, B14). */
export function chatRoute(app: FastifyInstance, serving: Serving): void {
  app.post('/chat', async (request, reply) => {
    const wait = serving.chats.take(request.ip);
    if (wait > 0) {
      reply.header('retry-after', wait);
      return refuse(reply, 'busy', `Too many requests; try again in ${wait} s.`, 429);
    }
    const body = readChatRequest(request.body);
    if (body === null) {
      return refuse(
        reply,
        'bad_request',
        'Expected an object with message, a text, and session_id, a text or null.',
      );
    }
    return answer(serving, body, request, reply);
  });
}

async function answer(
  serving: Serving,
  body: ChatRequest,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const message = readChatMessage(body.message);
  const session = serving.sessions.open(body.session_id, callerOf(request.raw, serving.access));
  if (message.issue !== '' && session.running !== null) {
    return refuse(reply, 'busy', 'This session has an investigation that is still running.');
  }
  const notices = adopt(serving, session, message);
  const capabilities = serving.investigator.capabilities(session.settings);
  const headers = { 'x-session-id': session.id };
  const mustTell = message.hasKeys || message.issue === '' || notices.length > 0;
  const setup = mustTell ? setupEvent(session, capabilities, message, notices) : null;
  if (message.issue === '') {
    const stream = serving.open(reply, headers);
    if (setup !== null) stream?.send({ id: null, event: setup });
    stream?.end();
    return reply;
  }
  const run = serving.runs.start(session, {
    description: message.issue,
    service_name: session.settings.service_name,
    trace_id: null,
    time_window_minutes: WINDOW_MINUTES,
  });
  if (!(run instanceof LiveRun)) return refuse(reply, run.code, run.message);
  const stream = serving.open(reply, { ...headers, 'x-investigation-id': run.id });
  if (stream === null) {
    run.cancel();
    return reply;
  }
  if (setup !== null) stream.send({ id: null, event: setup });
  const elicit = elicitOnce(session, capabilities);
  if (elicit !== null) stream.send({ id: null, event: elicit });
  serving.follow(run, 0, stream);
  return reply;
}

function readChatRequest(body: unknown): ChatRequest | null {
  if (!isObject(body) || typeof body['message'] !== 'string') return null;
  const id = body['session_id'] ?? null;
  if (id !== null && typeof id !== 'string') return null;
  return { message: body['message'], session_id: id };
}

/** Takes over what a message sets; the notices of both readings. */
function adopt(serving: Serving, session: ChatSession, message: ChatMessage): readonly string[] {
  const { settings, notices } = applySettings(session.settings, message, serving.policy);
  session.settings = settings;
  return [...message.notices, ...notices];
}

function setupEvent(
  session: ChatSession,
  capabilities: CapabilityReport,
  message: ChatMessage,
  notices: readonly string[],
): SetupEvent {
  const named = capabilities.configured.length === 0 ? 'nothing yet' : capabilities.configured.join(', ');
  const lead = message.hasKeys ? 'Settings taken over.' : message.issue === '' ? GREETING : '';
  const text = [lead, ...notices, `Evidence comes from: ${named}.`].filter((part) => part !== '').join(' ');
  return { type: 'setup', session_id: session.id, ...capabilities, message: text };
}

function elicitOnce(session: ChatSession, { unavailable }: CapabilityReport): ElicitEvent | null {
  if (session.wasElicited || unavailable.length === 0) return null;
  session.wasElicited = true;
  const message = `Not configured: ${unavailable.join(', ')}. The investigation goes on without; less evidence means a lower band.`;
  return { type: 'elicit', message, wants: unavailable };
}
