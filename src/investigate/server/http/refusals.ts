import type { FastifyReply } from 'fastify';
import type { ErrorCode, ErrorEvent } from '../events.js';

const STATUS: Readonly<Record<ErrorCode, number>> = {
  bad_request: 400,
  unauthorized: 401,
  forbidden: 403,
  not_found: 404,
  busy: 409,
  budget: 503,
  cancelled: 503,
  provider: 502,
  internal: 500,
};

/** Answers with an error of the same shape as an `error` event. */
export function refuse(
  reply: FastifyReply,
  code: ErrorCode,
  message: string,
  status = STATUS[code],
): FastifyReply {
  const body = { type: 'error', session_id: null, code, message } satisfies ErrorEvent;
  return reply.code(status).send(body);
}
