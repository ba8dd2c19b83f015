import type { ConfigFields } from '../foreign/config-field.js';
import type { JsonObject } from '../foreign/json.js';
import type { SourcesConfig } from './config.js';
import type { SharedFacts } from './facts.js';
import type { CollectorName, CollectorReason, CollectorStatus, Snapshot, SnapshotSlot } from './snapshot.js';

/** What a collector may use; everything that varies between machines and tests is in here. */
export interface CollectorEnv {
  /** Absolute session directory, or null when there is none. */
  readonly sessionDir: string | null;
  readonly config: SourcesConfig;
  /** Environment of the agent's process. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Wall clock at the start of collection, unix s. */
  readonly nowUnix: number;
  /** Slot `sources` of the state store as the last tick left it (spec 02 §11): read-only. */
  readonly memory: JsonObject;
  /** Facts that other collectors have established; one that a collector needs is in, or known to be missing. */
  readonly facts: SharedFacts;
  /** Roots of the pseudo file systems; tests point them elsewhere. */
  readonly procRoot: string;
  readonly sysRoot: string;
}

/** One named answer of a collector. */
export interface CollectorVerdict {
  readonly status: Exclude<CollectorStatus, 'timeout'>;
  readonly reason?: CollectorReason;
  readonly detail?: string;
}

/** What a collector saw. */
export interface CollectorAnswer {
  /** Outcome per answer name; the collector's own name when it gives just one. */
  readonly verdicts: { readonly [name in CollectorName]?: CollectorVerdict };
  /** Slots of the snapshot; objects in one slot from several collectors are merged key by key. */
  readonly slots: { readonly [slot in SnapshotSlot]?: Snapshot[slot] };
  /** Facts for the collectors that need this one. */
  readonly facts?: Partial<SharedFacts>;
  /** Keys to replace in slot `sources` of the state store. */
  readonly memory?: JsonObject;
}

/**
 * One way of looking. It never throws on foreign data, honours the abort signal, and is aborted at its budget; what it has
 * not delivered by then counts as `timeout` and nothing else is affected.
 */
export interface Collector {
  readonly names: readonly CollectorName[];
  /** True when it looks at this host: silenced on multi-node runs (spec 02 §10.1). */
  readonly hostBound: boolean;
  /** Answers that must be in, or have failed, before this one starts. */
  readonly needs: readonly CollectorName[];
  /** Limit, ms. */
  budgetMs(config: SourcesConfig): number;
  /** A reason when configuration switches it off. */
  disabled?(config: SourcesConfig): CollectorReason | undefined;
  /** Slots and their values when nothing is known: null for additive ones (spec 03 G-13). */
  readonly whenUnknown: { readonly [slot in SnapshotSlot]?: Snapshot[slot] };
  collect(env: CollectorEnv, signal: AbortSignal): Promise<CollectorAnswer>;
}

/** Configuration fields by name, as every collector group declares its own. */
export type CollectorFields = ConfigFields;
