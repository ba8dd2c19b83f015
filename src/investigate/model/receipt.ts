import type { JsonObject } from '../../foreign/json.js';

/** What a receipt may speak for (spec 07 B5). */
export type EvidenceClass = 'trace' | 'log' | 'state' | 'source' | 'derived' | 'none';

/** The classes that are observations; `source` is what a fix would change. */
export type ObservingClass = 'trace' | 'log' | 'state';

export type ReceiptStatus = 'ok' | 'empty' | 'error' | 'denied' | 'replay_miss';

export type ToolFamily = 'jaeger' | 'loki' | 'github' | 'session' | 'snapshot' | 'sandbox' | 'other';

/** What a `system_snapshot` can find wrong (spec 07 B4.2). */
export const ABNORMAL_KINDS = [
  'vram',
  'memory',
  'disk',
  'shm',
  'fd',
  'thermal',
  'server_health',
  'gateway',
  'dead_owner',
] as const;

export type AbnormalKind = (typeof ABNORMAL_KINDS)[number];

export type ItemKind = AbnormalKind | 'slow';

/** One observation as a receipt lists it (spec 07 B6). */
export type SignalRow = {
  readonly ts_unix: number | null;
  readonly entities: readonly string[];
  readonly fingerprint: string | null;
  readonly kind: ItemKind | null;
};

/** Proof of one tool call, stamped by code before anybody sees the answer (spec 07 B6). */
export type Receipt = {
  readonly receipt_id: string;
  readonly seq: number;
  readonly tool: string;
  readonly family: ToolFamily;
  readonly evidence_class: EvidenceClass;
  readonly status: ReceiptStatus;
  readonly success: boolean;
  readonly signal: boolean;
  readonly service: string | null;
  readonly services: readonly string[];
  readonly entities: readonly string[];
  readonly signals: readonly SignalRow[];
  readonly file_path: string | null;
  readonly line_start: number | null;
  readonly line_end: number | null;
  readonly error_signal: string | null;
  readonly fingerprints: readonly string[];
  readonly first_ts_unix: number | null;
  readonly last_ts_unix: number | null;
  readonly args: JsonObject;
  /** SHA-256 of the redacted result. */
  readonly result_digest: string;
  readonly result_bytes: number;
  readonly count: number;
  readonly truncated: boolean;
  readonly cached: boolean;
  readonly injection_suspect: boolean;
  readonly duration_ms: number;
  readonly started_unix: number;
  readonly note: string | null;
};
