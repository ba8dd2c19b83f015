import type { ItemKind, ObservingClass, Receipt } from './receipt.js';

/** One stack frame; a base name only where the trace gives no path. */
export interface Frame {
  readonly path: string;
  readonly line: number;
  /** Inside a library directory (spec 07 B7.3). */
  readonly isLibrary: boolean;
}

/** One observation that makes a receipt's signal true (spec 07 B5 "signal item"). */
export interface EvidenceItem {
  /** The same line, span or row has the same key, whichever call fetched it. */
  readonly key: string;
  readonly cls: ObservingClass;
  readonly tsUnix: number | null;
  readonly entities: readonly string[];
  /** Id of the best fingerprint of its texts. */
  readonly fingerprint: string | null;
  readonly kind: ItemKind | null;
  /** The fingerprinted line, else the first text; null when there is none. */
  readonly text: string | null;
  /** Of its own stack traces, one per trace. */
  readonly frames: readonly Frame[];
  /** A path that the source itself names as the place. */
  readonly fileHint: string | null;
  /** Where it came from: a service, a file, a row; frames on lines nearby belong to it by this. */
  readonly source: string;
  /** Line number in `source`, for files. */
  readonly line: number | null;
}

/** A log line as fetched, kept for the stack frames beside a fingerprinted line. */
export interface FetchedLine {
  readonly source: string;
  /** Line number in a file; null for streams, whose order is their time. */
  readonly line: number | null;
  readonly tsUnix: number | null;
  readonly text: string;
}

/** Source text that was read. */
export interface SourceRead {
  readonly path: string;
  readonly lineStart: number;
  readonly lineEnd: number;
  /** Lines `lineStart…lineEnd`. */
  readonly lines: readonly string[];
}

/** What a listing of traces says against a claim (spec 07 B11.1, contradiction). */
export interface TraceListing {
  readonly service: string;
  readonly startUnix: number;
  readonly endUnix: number;
  readonly listed: number;
  readonly failing: number;
}

/** A receipt with what code needs to judge it and no reader of the file does. */
export interface Evidence {
  readonly receipt: Receipt;
  readonly items: readonly EvidenceItem[];
  readonly lines: readonly FetchedLine[];
  readonly source: SourceRead | null;
  readonly listing: TraceListing | null;
}

/** True for a receipt that may count (spec 07 B5). */
export function isCounting({ receipt }: Evidence): boolean {
  const { status, signal, evidence_class: cls } = receipt;
  return status === 'ok' && signal && cls !== 'derived' && cls !== 'none';
}

/** The items of counting receipts, each once, in order of first receipt. */
export function countingItems(evidence: readonly Evidence[]): EvidenceItem[] {
  const items = new Map<string, EvidenceItem>();
  for (const one of evidence) {
    if (!isCounting(one)) continue;
    for (const item of one.items) if (!items.has(item.key)) items.set(item.key, item);
  }
  return [...items.values()];
}
