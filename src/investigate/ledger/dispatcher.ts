import { cleanJson } from '../../foreign/hygiene.js';
import { type JsonObject, objectOr, parseJson } from '../../foreign/json.js';
import type { Evidence } from '../model/evidence.js';
import type { Receipt } from '../model/receipt.js';
import { MISS } from '../replay/http.js';
import { looksLikeInstruction } from '../safety/injection.js';
import type { Redactor } from '../safety/redactor.js';
import { cleanForeign, cleanLine } from '../safety/text-hygiene.js';
import { type ArgumentValues, readArguments } from '../tools/arguments.js';
import { failed, type Tool, type ToolOutcome } from '../tools/tool.js';
import { CallGuard } from './call-guard.js';
import { cleanOutcome } from './clean-outcome.js';
import { receiptId, receiptOf } from './receipt-of.js';

export interface Dispatched {
  readonly receipt: Receipt;
  readonly data: JsonObject;
  /** Answered from an earlier call. */
  readonly isRepeat: boolean;
}

/** A call as answered, or why there was none; without a receipt when the arguments were not even a call. */
export type CallAnswer =
  | Dispatched
  | { readonly receipt: null; readonly status: 'error' | 'denied'; readonly note: string };

/** One call, as yet unchecked. */
export interface Call {
  readonly name: string;
  readonly args: unknown;
}

interface Work {
  readonly tool: Tool;
  readonly values: ArgumentValues;
  readonly run: Running;
}

/** Where receipts and payloads go as they come. */
export interface LedgerSink {
  receipt(receipt: Receipt): void;
  payload(receiptId: string, json: string): void;
}

export interface DispatcherOptions {
  readonly tools: readonly Tool[];
  readonly redactor: Redactor;
  readonly sink: LedgerSink;
  readonly now: () => number;
  readonly signal: AbortSignal;
  /** Told of every new receipt. */
  readonly onReceipt?: (receipt: Receipt) => void;
}

/** The only way to call a tool: checks, guards, cleans, redacts, stamps (spec 07 B6, B8). */
export interface Dispatcher {
  readonly tools: readonly Tool[];
  call(name: string, args: unknown): Promise<CallAnswer>;
  /** Several calls side by side; answers and receipts in their order. */
  callAll(calls: readonly Call[]): Promise<CallAnswer[]>;
  /** Puts something already known into the ledger, such as the tick's own readings. */
  admit(tool: Tool, args: JsonObject, outcome: ToolOutcome): Dispatched;
  /** Takes a receipt of an earlier run into this ledger, as a copy under an id of its own (spec 07 B10-8). */
  adopt(evidence: Evidence, payload: string, note: string): Receipt;
  evidence(): readonly Evidence[];
  /** The redacted answer of a receipt as JSON. */
  payload(receiptId: string): string | undefined;
}

const PAYLOAD_BYTES = 64 * 1024;
const LIMITS = { text: 8000, items: 600, keys: 200, depth: 12 };

export function createDispatcher(options: DispatcherOptions): Dispatcher {
  const { tools, redactor, sink, now, signal } = options;
  const byName = new Map(tools.map((tool) => [tool.name, tool]));
  const guard = new CallGuard();
  const evidence: Evidence[] = [];
  const answers = new Map<string, { json: string; data: JsonObject; receipt: Receipt }>();

  const admit = (tool: Tool, args: JsonObject, found: ToolOutcome, run?: Running): Dispatched => {
    const seq = evidence.length + 1;
    let suspicious = run?.sawHidden() ?? false;
    const clean = (text: string): string => {
      const { text: visible, hadHidden } = cleanForeign(text);
      suspicious ||= hadHidden || looksLikeInstruction(visible);
      return redactor.text(visible);
    };
    const outcome = cleanOutcome(found, clean);
    const { value, cut } = cleanJson(outcome.data, LIMITS, clean);
    const shown = objectOr(redactor.json(value));
    const json = JSON.stringify(shown);
    const receipt = receiptOf(
      tool,
      { ...outcome, truncated: outcome.truncated === true || cut, ...noteOf(outcome, redactor) },
      {
        seq,
        args: objectOr(redactor.json(args)),
        payload: json,
        injectionSuspect: suspicious,
        durationMs: run === undefined ? 0 : performance.now() - run.begun,
        startedUnix: now(),
        notes: run?.notes ?? [],
      },
    );
    evidence.push({
      receipt,
      items: outcome.items ?? [],
      lines: outcome.lines ?? [],
      source: outcome.source ?? null,
      listing: outcome.listing ?? null,
    });
    answers.set(receipt.receipt_id, { json, data: shown, receipt });
    sink.receipt(receipt);
    if (receipt.status === 'ok') sink.payload(receipt.receipt_id, bounded(json));
    options.onReceipt?.(receipt);
    return { receipt, data: shown, isRepeat: false };
  };

  /** What becomes of a call before it runs: an answer at once, or the work to do. */
  const prepare = ({ name, args }: Call): CallAnswer | Work => {
    const tool = byName.get(name);
    if (tool === undefined) return noCall(`there is no tool ${name.slice(0, 60)}`);
    const reading = readArguments(tool.parameters, args);
    if (!reading.ok) return noCall(reading.problem);
    const verdict = guard.check(name, reading.values, now());
    if (verdict.kind === 'refused') return { receipt: null, status: 'denied', note: verdict.advice };
    const earlier = verdict.kind === 'repeat' ? answers.get(verdict.receiptId) : undefined;
    if (earlier !== undefined) {
      return { receipt: { ...earlier.receipt, cached: true }, data: earlier.data, isRepeat: true };
    }
    return { tool, values: reading.values, run: new Running(redactor, reading.clamped) };
  };

  /** Runs side by side, stamped in the order of the calls, so that timing decides nothing. */
  const callAll = async (calls: readonly Call[]): Promise<CallAnswer[]> => {
    const prepared = calls.map(prepare);
    const outcomes = await Promise.all(
      prepared.map((one) => ('run' in one ? runSafely(one.tool, one.values, one.run, signal, now) : null)),
    );
    return prepared.map((one, index) => {
      const outcome = outcomes[index];
      if (!('run' in one) || outcome === null || outcome === undefined)
        return 'run' in one ? noCall('no answer') : one;
      const dispatched = admit(one.tool, definedOf(one.values), outcome, one.run);
      guard.remember(one.tool.name, one.values, dispatched.receipt, now());
      return dispatched;
    });
  };

  const adopt = (carried: Evidence, payload: string, note: string): Receipt => {
    const seq = evidence.length + 1;
    const receipt = { ...carried.receipt, receipt_id: receiptId(seq), seq, cached: true, note };
    evidence.push({ ...carried, receipt });
    const parsed = parseJson(payload);
    answers.set(receipt.receipt_id, {
      json: payload,
      data: objectOr(parsed.ok ? parsed.value : {}),
      receipt,
    });
    sink.receipt(receipt);
    sink.payload(receipt.receipt_id, bounded(payload));
    options.onReceipt?.(receipt);
    return receipt;
  };

  return {
    tools,
    adopt,
    async call(name, args) {
      const [answer] = await callAll([{ name, args }]);
      return answer ?? noCall('no call was made');
    },
    callAll,
    admit: (tool, args, outcome) => admit(tool, args, outcome),
    evidence: () => evidence,
    payload: (receiptId) => answers.get(receiptId)?.json,
  };
}

/** What one call saw while it ran. */
class Running {
  readonly begun = performance.now();
  #hidden = false;

  constructor(
    private readonly redactor: Redactor,
    readonly notes: readonly string[],
  ) {}

  readonly clean = (line: string): string => {
    const { text, hadHidden } = cleanLine(line);
    this.#hidden ||= hadHidden;
    return this.redactor.text(text);
  };

  sawHidden(): boolean {
    return this.#hidden;
  }
}

async function runSafely(
  tool: Tool,
  values: ArgumentValues,
  { clean }: Running,
  signal: AbortSignal,
  now: () => number,
): Promise<ToolOutcome> {
  if (signal.aborted) return failed('error', 'no time is left');
  try {
    const outcome = await tool.run(values, { clean, signal, now });
    return outcome.note?.startsWith(MISS) === true ? { ...outcome, status: 'replay_miss' } : outcome;
  } catch (error) {
    // A tool that breaks on foreign data costs itself, never the run.
    return failed('error', `the tool failed: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function noteOf(outcome: ToolOutcome, redactor: Redactor): { note?: string } {
  return outcome.note === undefined ? {} : { note: redactor.text(cleanForeign(outcome.note).text) };
}

function definedOf(values: ArgumentValues): JsonObject {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
}

function bounded(json: string): string {
  if (Buffer.byteLength(json) <= PAYLOAD_BYTES) return json;
  const head = Buffer.from(json)
    .subarray(0, PAYLOAD_BYTES - 200)
    .toString('utf8');
  return JSON.stringify({ truncated: true, bytes: Buffer.byteLength(json), head });
}

function noCall(note: string): CallAnswer {
  return { receipt: null, status: 'error', note };
}
