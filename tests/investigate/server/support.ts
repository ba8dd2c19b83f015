import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import { isObject, type JsonObject } from '../../../src/foreign/json.js';
import type { HealResult } from '../../../src/investigate/model/heal-result.js';
import type { Receipt } from '../../../src/investigate/model/receipt.js';
import type { ProgressEvent, StepEvent } from '../../../src/investigate/server/events.js';
import { createFileArchive } from '../../../src/investigate/server/file-archive.js';
import { type ChatServerOptions, createChatServer } from '../../../src/investigate/server/http/app.js';
import type {
  CapabilityReport,
  ChatSettings,
  Investigator,
  Question,
} from '../../../src/investigate/server/investigator.js';
import type { ServerLimits } from '../../../src/investigate/server/limits.js';
import { createArtefacts } from '../../../src/investigate/store/artefacts.js';
import { tempDir } from '../../support/temp-dir.js';

export interface ScriptedStep {
  readonly receipt?: Partial<Receipt>;
  readonly payload?: JsonObject;
  readonly summary?: string;
  readonly confidence?: number;
}

/** An engine that does what a test tells it, step by step, and keeps real files. */
export class ScriptedInvestigator implements Investigator {
  readonly usesModel = false;
  readonly questions: Question[] = [];
  readonly signals: AbortSignal[] = [];
  readonly root: string;
  report: CapabilityReport = { configured: ['loki'], unavailable: ['jaeger'], needs_input: ['repo'] };
  steps: readonly ScriptedStep[] = [{}, {}, {}];
  result: Partial<HealResult> = {};
  failure: Error | null = null;
  /** When set, each step waits for {@link next}. */
  isGated = false;
  #allowed = 0;
  #wake: (() => void)[] = [];

  constructor(root: string) {
    this.root = root;
  }

  capabilities(_settings: ChatSettings): CapabilityReport {
    return this.report;
  }

  /** Lets so many further steps happen; the result counts as one. */
  next(count = 1): void {
    this.#allowed += count;
    for (const wake of this.#wake.splice(0)) wake();
  }

  async start(
    question: Question,
    onEvent: (event: StepEvent | ProgressEvent) => void,
    signal: AbortSignal,
  ): Promise<HealResult> {
    this.questions.push(question);
    this.signals.push(signal);
    const artefacts = createArtefacts(this.root, question.investigationId, 50);
    onEvent({ type: 'progress', phase: 'collecting evidence', budget: null });
    const receipts: Receipt[] = [];
    for (const [index, step] of this.steps.entries()) {
      await this.#turn(signal);
      const receipt = receiptOf(index + 1, step.receipt);
      receipts.push(receipt);
      artefacts.receipt(receipt);
      artefacts.payload(receipt.receipt_id, JSON.stringify(step.payload ?? { entries: [] }));
      onEvent({
        type: 'step',
        round: receipt.seq,
        tool: receipt.tool,
        result_summary: step.summary ?? `${receipt.status}, ${receipt.count} entries`,
        confidence_after: step.confidence ?? 0.5,
        receipt_id: receipt.receipt_id,
        status: receipt.status,
      });
    }
    await this.#turn(signal);
    if (this.failure !== null) throw this.failure;
    const result = resultOf(question, receipts, this.steps, this.result);
    const { root_cause: cause } = result;
    artefacts.finish(result, {
      investigation_id: question.investigationId,
      created_unix: 1_777_800_000,
      key: null,
      mode: result.mode,
      error_type: cause.error_type,
      subject: cause.subject,
      confidence: cause.confidence,
      confidence_level: cause.confidence_level,
      duration_s: 1,
    });
    return result;
  }

  async #turn(signal: AbortSignal): Promise<void> {
    while (this.isGated && this.#allowed === 0) {
      signal.throwIfAborted();
      await new Promise<void>((resolve) => {
        this.#wake.push(resolve);
        signal.addEventListener('abort', () => resolve(), { once: true });
      });
    }
    signal.throwIfAborted();
    this.#allowed -= this.isGated ? 1 : 0;
  }
}

export function receiptOf(seq: number, parts: Partial<Receipt> = {}): Receipt {
  return {
    receipt_id: `r${String(seq).padStart(3, '0')}`,
    seq,
    tool: 'query_logs',
    family: 'loki',
    evidence_class: 'log',
    status: 'ok',
    success: true,
    signal: true,
    service: 'cart',
    services: ['cart'],
    entities: ['service:cart'],
    signals: [],
    file_path: null,
    line_start: null,
    line_end: null,
    error_signal: null,
    fingerprints: [],
    first_ts_unix: 1_777_800_000,
    last_ts_unix: 1_777_800_060,
    args: { service: 'cart', time_window_minutes: 10 },
    result_digest: '0'.repeat(64),
    result_bytes: 2,
    count: 2,
    truncated: false,
    cached: false,
    injection_suspect: false,
    duration_ms: 3,
    started_unix: 1_777_800_070,
    note: null,
    ...parts,
  };
}

function resultOf(
  question: Question,
  receipts: readonly Receipt[],
  steps: readonly ScriptedStep[],
  parts: Partial<HealResult>,
): HealResult {
  return {
    investigation_id: question.investigationId,
    mode: 'deterministic',
    issue_summary: question.issue.description,
    investigation_steps: receipts.map((receipt, index) => ({
      round: receipt.seq,
      tool: receipt.tool,
      result_summary: steps[index]?.summary ?? `${receipt.status}, ${receipt.count} entries`,
      confidence_after: steps[index]?.confidence ?? 0.5,
    })),
    root_cause: {
      description: 'The cart service loses its connection to the store.',
      file_path: null,
      line_number: null,
      confidence: 0.5,
      confidence_level: 'low',
      evidence: [],
      error_type: 'network',
      service: 'cart',
      subject: 'service:cart',
      claims: [],
      fingerprints: [],
    },
    recommended_fix: 'Check the store.',
    fix_code_snippet: null,
    action_taken: 'fast_path',
    tools_used: ['query_logs'],
    tools_unavailable: ['jaeger'],
    confidence_note: 'missing for medium: a trace and a log of the same thing within 15 minutes',
    alternatives: [],
    propagation: [],
    supported_band: 'low',
    claimed_confidence: 0.5,
    evidence_classes: ['log'],
    time_window: { start_unix: 1_777_799_000, end_unix: 1_777_800_000 },
    budget: {
      model_requests: 0,
      tool_calls: receipts.length,
      input_tokens: 0,
      output_tokens: 0,
      wall_s: 1.2,
      exhausted: null,
    },
    warnings: [],
    ...parts,
  };
}

export interface RunningServer {
  readonly url: string;
  readonly port: number;
  readonly engine: ScriptedInvestigator;
  readonly failures: unknown[];
  close(): Promise<void>;
}

export interface ServerParts {
  readonly token?: string;
  readonly limits?: Partial<ServerLimits>;
  readonly policy?: ChatServerOptions['policy'];
  readonly now?: () => number;
  /** The files of an earlier server. */
  readonly root?: string;
}

/** A server on a port of its own, closed when the test ends. */
export async function startServer(parts: ServerParts = {}): Promise<RunningServer> {
  const engine = new ScriptedInvestigator(parts.root ?? tempDir());
  const failures: unknown[] = [];
  const server = createChatServer({
    investigator: engine,
    archive: createFileArchive(engine.root),
    access: { token: parts.token ?? null, allowedHosts: ['agent.example'], host: '127.0.0.1' },
    policy: parts.policy ?? { allowChatUrls: false, urlAllowlist: [] },
    version: '0.0.0',
    limits: parts.limits ?? {},
    ...(parts.now === undefined ? {} : { now: parts.now }),
    onFailure: (error) => failures.push(error),
  });
  await server.app.listen({ host: '127.0.0.1', port: 0 });
  const { port } = server.app.server.address() as AddressInfo;
  let isClosed = false;
  const close = async () => {
    if (isClosed) return;
    isClosed = true;
    await server.close();
  };
  onTestFinished(close);
  return { url: `http://127.0.0.1:${port}`, port, engine, failures, close };
}

export interface ReceivedEvent {
  readonly id: number | null;
  readonly data: JsonObject;
}

/** Asks in a chat; the answer is a stream or a refusal. */
export function chat(
  url: string,
  message: string,
  sessionId: string | null = null,
  headers = {},
): Promise<Response> {
  return fetch(`${url}/chat`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ message, session_id: sessionId }),
  });
}

/** The events of an answer as they arrive. */
export async function* eventsOf(response: Response): AsyncGenerator<ReceivedEvent, void> {
  const decoder = new TextDecoder();
  let buffer = '';
  for await (const chunk of response.body ?? []) {
    buffer += decoder.decode(chunk, { stream: true });
    const blocks = buffer.split('\n\n');
    buffer = blocks.pop() ?? '';
    for (const block of blocks) {
      const fields = block.split('\n').map((line) => line.split(/: (.*)/s));
      const fieldOf = (name: string) => fields.find(([key]) => key === name)?.[1];
      const data: unknown = JSON.parse(fieldOf('data') ?? 'null');
      const id = fieldOf('id');
      if (isObject(data)) yield { id: id === undefined ? null : Number(id), data };
    }
  }
}

export async function allEvents(response: Response): Promise<ReceivedEvent[]> {
  const events: ReceivedEvent[] = [];
  for await (const event of eventsOf(response)) events.push(event);
  return events;
}

export function typesOf(events: readonly ReceivedEvent[]): unknown[] {
  return events.map(({ data }) => data['type']);
}
