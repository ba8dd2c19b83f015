import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { isCancelledResult } from '../../model/heal-result.js';
import { ID_PATTERN } from '../../store/paths.js';
import type { InvestigationSummary, StoredInvestigation } from '../archive.js';
import type { LiveRun } from '../live-run.js';
import { storedEvents, storedSteps } from '../stored-events.js';
import { followFiles } from './follow-files.js';
import { refuse } from './refusals.js';
import type { Serving } from './serving.js';

const RECEIPT_ID = /^r\d{1,6}$/;

/** What was and is investigated: list, one with its evidence, its events from any point, cancelling (spec 07 B14). */
export function investigationRoutes(app: FastifyInstance, serving: Serving): void {
  const { archive, runs } = serving;
  app.get('/investigations', async () => ({ investigations: listAll(serving) }));

  app.get('/investigations/:id', async (request, reply) => {
    const id = investigationId(request);
    const run = runs.find(id);
    const stored = readStored(serving, id);
    if (run === undefined && stored === null) return unknownId(reply);
    const result = stored?.result ?? (run?.outcome?.type === 'final' ? run.outcome.result : null);
    const error = run?.outcome?.type === 'error' ? run.outcome : null;
    return {
      investigation_id: id,
      status: statusOf(run, stored),
      created_unix: run?.startedUnix ?? startOf(id),
      issue: run?.issue.description ?? result?.issue_summary ?? null,
      steps: run === undefined ? storedSteps(stored) : run.steps,
      receipts: stored?.receipts ?? [],
      result,
      error: error === null ? null : { code: error.code, message: error.message },
    };
  });

  app.get('/investigations/:id/receipts/:receipt', async (request, reply) => {
    const id = investigationId(request);
    const receiptId = param(request, 'receipt', RECEIPT_ID);
    const stored = readStored(serving, id);
    const receipt = stored?.receipts.find(({ receipt_id }) => receipt_id === receiptId);
    if (receipt === undefined) return refuse(reply, 'not_found', 'There is no such receipt.');
    return { receipt, payload: archive.payload(id, receiptId) };
  });

  app.get('/investigations/:id/events', async (request, reply) => {
    const id = investigationId(request);
    const run = runs.find(id);
    const stored = run === undefined ? readStored(serving, id) : null;
    const after = resumeAfter(request);
    if (run !== undefined) {
      if (run.outcome !== null && after >= run.lastId) return nothingMore(reply);
      const stream = serving.open(reply, { 'x-investigation-id': id });
      if (stream !== null) serving.follow(run, after, stream);
      return reply;
    }
    if (stored === null) return unknownId(reply);
    if (!stored.isRunning && after >= storedEvents(stored).length) return nothingMore(reply);
    const stream = serving.open(reply, { 'x-investigation-id': id });
    if (stream !== null) followFiles(() => readStored(serving, id), after, stream);
    return reply;
  });

  app.delete('/investigations/:id', async (request, reply) => {
    const id = investigationId(request);
    const run = runs.find(id);
    if (run === undefined && readStored(serving, id) === null) return unknownId(reply);
    if (run === undefined || run.outcome !== null) {
      return refuse(reply, 'bad_request', 'This investigation has already ended.', 409);
    }
    run.cancel();
    return reply.code(202).send({ investigation_id: id, status: 'cancelling' });
  });
}

function investigationId(request: FastifyRequest): string {
  return param(request, 'id', ID_PATTERN);
}

/** A part of the path, empty unless it has the form of what it should be: it becomes part of a file name. */
function param(request: FastifyRequest, name: string, form: RegExp): string {
  const params: unknown = request.params;
  const value =
    typeof params === 'object' && params !== null
      ? Object.entries(params).find(([key]) => key === name)?.[1]
      : '';
  return typeof value === 'string' && form.test(value) ? value : '';
}

/** The answer that lets a browser's own event source stop asking. */
function nothingMore(reply: FastifyReply): FastifyReply {
  return reply.code(204).send();
}

function unknownId(reply: FastifyReply): FastifyReply {
  return refuse(reply, 'not_found', 'There is no such investigation.');
}

function readStored({ archive }: Serving, id: string): StoredInvestigation | null {
  return id === '' ? null : archive.read(id);
}

/** The number of the last event that the client has; the header wins, since a browser sets it. */
function resumeAfter(request: FastifyRequest): number {
  const query: unknown = request.query;
  const asked = typeof query === 'object' && query !== null && 'after' in query ? query.after : undefined;
  const given = request.headers['last-event-id'] ?? asked;
  return typeof given === 'string' && /^\d{1,9}$/.test(given) ? Number(given) : 0;
}

function listAll({ runs, archive }: Serving): InvestigationSummary[] {
  const stored = archive.list();
  const known = new Set(
    stored.filter(({ status }) => status === 'finished').map((one) => one.investigation_id),
  );
  const live = runs.all().filter(({ id }) => !known.has(id));
  const liveIds = new Set(live.map(({ id }) => id));
  const others = stored.filter((one) => !liveIds.has(one.investigation_id));
  return [...live.map(summaryOfRun), ...others].sort((a, b) => b.created_unix - a.created_unix);
}

function summaryOfRun(run: LiveRun): InvestigationSummary {
  const cause = run.outcome?.type === 'final' ? run.outcome.result.root_cause : null;
  return {
    investigation_id: run.id,
    status: statusOf(run, null),
    created_unix: run.startedUnix,
    issue_summary: run.issue.description,
    error_type: cause?.error_type ?? null,
    subject: cause?.subject ?? null,
    confidence: cause?.confidence ?? null,
    confidence_level: cause?.confidence_level ?? null,
  };
}

function statusOf(
  run: LiveRun | undefined,
  stored: StoredInvestigation | null,
): InvestigationSummary['status'] {
  if (run === undefined && stored?.isRunning) return 'running';
  if (run === undefined) {
    return stored?.result && !isCancelledResult(stored.result) ? 'finished' : 'aborted';
  }
  if (run.outcome === null) return 'running';
  if (run.outcome.type === 'final') return 'finished';
  return run.outcome.code === 'cancelled' ? 'aborted' : 'failed';
}

function startOf(id: string): number {
  return Number(id.split('-')[1] ?? 0);
}
