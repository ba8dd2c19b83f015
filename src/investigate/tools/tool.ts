import type { JsonObject } from '../../foreign/json.js';
import type { EvidenceItem, FetchedLine, SourceRead, TraceListing } from '../model/evidence.js';
import type { EvidenceClass, ReceiptStatus, ToolFamily } from '../model/receipt.js';
import type { ArgumentSpecs, ArgumentValues } from './arguments.js';

/** Names of what can be configured, in the order in which they are listed (spec 07 A1.3, B4). */
export const CAPABILITIES = ['jaeger', 'loki', 'github', 'sandbox', 'session', 'source', 'snapshot'] as const;

export type Capability = (typeof CAPABILITIES)[number];

/** What a tool may use of the run around it. */
export interface ToolContext {
  /** Hygiene and redaction for a line of foreign text. */
  readonly clean: (line: string) => string;
  readonly signal: AbortSignal;
  /** Wall clock, unix s. */
  readonly now: () => number;
}

/** What a tool found, before anybody sees it. */
export interface ToolOutcome {
  readonly status: ReceiptStatus;
  readonly data: JsonObject;
  /** What went wrong, or how to ask better; for the model and for people. */
  readonly note?: string;
  readonly cls: EvidenceClass;
  readonly count?: number;
  readonly truncated?: boolean;
  readonly items?: readonly EvidenceItem[];
  readonly lines?: readonly FetchedLine[];
  readonly source?: SourceRead;
  readonly listing?: TraceListing;
  /** Services seen, as their source spells them. */
  readonly services?: readonly string[];
  /** Services of the failing origins. */
  readonly failingServices?: readonly string[];
  readonly filePath?: string;
  readonly lineStart?: number;
  readonly lineEnd?: number;
  /** A source file, or part of one, that is there and not blank. */
  readonly hasContent?: boolean;
  readonly errorSignal?: string;
  /** Unix s; what was actually searched. */
  readonly window?: { readonly startUnix: number; readonly endUnix: number };
}

/** One read-only way of looking; the prompt, the schema and the checks are made from this object. */
export interface Tool {
  readonly name: string;
  readonly capability: Capability;
  readonly family: ToolFamily;
  readonly description: string;
  readonly parameters: ArgumentSpecs;
  run(args: ArgumentValues, context: ToolContext): Promise<ToolOutcome>;
}

/** An outcome that says why there is none. */
export function failed(status: 'error' | 'denied' | 'replay_miss', note: string): ToolOutcome {
  return { status, data: {}, note, cls: 'none' };
}
