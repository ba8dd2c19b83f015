import type { ConfidenceLevel } from '../../../../src/investigate/model/confidence.js';
import type { ErrorType } from '../../../../src/investigate/model/error-type.js';
import type { SnapshotReading } from '../../../../src/investigate/tools/session/abnormal.js';
import type { JsonRecord } from '../../../../src/llm/json.js';
import type { Trace } from '../../fakes/corpus.js';
import type { Turn } from '../../loop/scripted-model.js';
import type { SessionParts } from '../../session/build-session.js';

/** Now, in everything that is made up here; unix s. */
export const NOW = 1_780_000_000;

/** What really happened. */
export interface Truth {
  readonly types: readonly ErrorType[];
  readonly subject: string;
  /** Null where no source line is to blame. */
  readonly file: string | null;
  readonly line: number | null;
}

/** A fault with everything that can be seen of it, and a model that claims a cause at 0.95. */
export interface Scene {
  readonly name: string;
  /** Why HIGH would be wrong; null where it is earned. */
  readonly trap: string | null;
  /** The highest band that an honest answer may have. */
  readonly honest: ConfidenceLevel;
  /** The fault lies in what can be seen, so that a real model can be asked too; else in what the script claims. */
  readonly isInWorld: boolean;
  readonly needsSandbox: boolean;
  readonly issue: string;
  readonly truth: Truth;
  readonly service: string | null;
  readonly traces?: readonly Trace[];
  /** Log lines of services: name to unix s and text. */
  readonly logs?: Readonly<Record<string, readonly (readonly [number, string])[]>>;
  readonly session?: SessionParts & { readonly symptom: string; readonly snapshot: SnapshotReading | null };
  readonly source?: Readonly<Record<string, string>>;
  readonly script: readonly Turn[];
}

export interface SpanParts {
  readonly id: string;
  readonly service: string;
  readonly parent?: string;
  /** Unix s. */
  readonly at: number;
  readonly error?: { readonly message: string; readonly stack: string };
}

/** A trace in Jaeger's form. */
export function traceOf(id: string, spans: readonly SpanParts[]): Trace {
  const services = [...new Set(spans.map(({ service }) => service))];
  return {
    traceID: id,
    processes: Object.fromEntries(services.map((name) => [`p-${name}`, { serviceName: name }])),
    spans: spans.map(({ id: spanID, service, parent, at, error }) => ({
      traceID: id,
      spanID,
      processID: `p-${service}`,
      operationName: 'handle',
      startTime: Math.round(at * 1e6),
      duration: 20_000,
      references: parent === undefined ? [] : [{ refType: 'CHILD_OF', traceID: id, spanID: parent }],
      tags: error === undefined ? [] : [{ key: 'error', value: true }],
      logs:
        error === undefined
          ? []
          : [
              {
                fields: [
                  { key: 'event', value: 'exception' },
                  { key: 'exception.message', value: error.message },
                  { key: 'exception.stacktrace', value: error.stack },
                ],
              },
            ],
    })),
  };
}

/** So many traces of a service without a failure, from `from` on. */
export function healthyTraces(service: string, count: number, from: number): Trace[] {
  return Array.from({ length: count }, (_, index) =>
    traceOf(`4ea1${String(index).padStart(4, '0')}`, [{ id: `f${index}`, service, at: from + index }]),
  );
}

/** Lines a millisecond apart, as one burst. */
export function burst(at: number, lines: readonly string[]): (readonly [number, string])[] {
  return lines.map((text, index) => [at + index / 1000, text]);
}

export interface ClaimParts {
  readonly type: ErrorType;
  readonly text: string;
  /** Words that stand in the result that the claim cites. */
  readonly quote: string;
  readonly service?: string;
  readonly file?: string;
  readonly line?: number;
}

/** Hands in a claim at 0.95 that cites the first receipt in the conversation whose text holds the quotation. */
export function claim({ type, text, quote, service, file, line }: ClaimParts): Turn {
  return (request) => {
    const texts = request.messages.flatMap((message) => {
      if (message.role === 'tool') return message.results.map(({ content }) => content);
      return message.role === 'user' ? [message.text] : [];
    });
    const cited = texts.flatMap((shown) => {
      const id = /"receipt_id":\s?"(r\d{3,})"/.exec(shown)?.[1];
      return id !== undefined && shown.includes(JSON.stringify(quote).slice(1, -1)) ? [id] : [];
    })[0];
    return {
      call: 'submit_result',
      args: {
        issue_summary: text,
        root_cause: {
          description: text,
          confidence: 0.95,
          error_type: type,
          claims: [{ text, receipt_ids: [cited ?? 'r000'], quote }],
          ...(service === undefined ? {} : { service }),
          ...(file === undefined ? {} : { file_path: file }),
          ...(line === undefined ? {} : { line_number: line }),
        },
        recommended_fix: 'look at the named place',
      },
    };
  };
}

/** Asks one tool. */
export function ask(call: string, args: JsonRecord): Turn {
  return { call, args };
}
