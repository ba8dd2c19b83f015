import type { JsonObject } from '../foreign/json.js';
import type { SourcesConfig } from './config.js';
import type { SharedFacts } from './facts.js';
import type { CollectorName, CollectorReason, CollectorStatus, Snapshot, SnapshotSlot } from './snapshot.js';
import type { Stop } from './tools/stop.js';

/** What a collector may use; everything that varies between machines and tests is in here. */
export interface CollectorEnv {
  /** Absolute session directory, or null when there is none. */
  readonly sessionDir: string | null;
  readonly config: SourcesConfig;
  /** Environment of the agent's process. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Wall clock at the start of collection, unix s. */
  readonly nowUnix: number;
  /** True when a Coordinator rendered a prompt for this tick, so somebody drives the session right now. */
  readonly promptDriven: boolean;
  /** Slot `sources` of the state store as the last tick left it (spec 02 §11): read-only. */
  readonly memory: JsonObject;
  /** `agents/robustness/sources_cache.json` as the last tick left it, for answers that are refreshed rarely: read-only. */
  readonly cache: JsonObject;
  /** Facts that other collectors have established; one that a collector needs is in, or known to be missing. */
  readonly facts: SharedFacts;
  /** Roots of the pseudo file systems; tests point them elsewhere. */
  readonly procRoot: string;
  readonly sysRoot: string;
  readonly devRoot: string;
}

/** One named answer of a collector. */
export interface CollectorVerdict {
  readonly status: CollectorStatus;
  readonly reason?: CollectorReason;
  readonly detail?: string;
}

/** Slots of the snapshot and their values. */
export type SlotValues = { readonly [slot in SnapshotSlot]?: Snapshot[slot] };

/** What a collector saw. */
export interface CollectorAnswer {
  /** Outcome per answer name; a name that is missing counts as `ok`. */
  readonly verdicts: { readonly [name in CollectorName]?: CollectorVerdict };
  /** Slots of the snapshot; objects in one slot from several collectors are merged key by key. */
  readonly slots: SlotValues;
  /** Facts for the collectors that need this one. */
  readonly facts?: Partial<SharedFacts>;
  /** Keys to replace in slot `sources` of the state store; undefined values remove the key. */
  readonly memory?: JsonObject;
  /** Keys to replace in the cache file; undefined values remove the key. */
  readonly cache?: JsonObject;
}

/**
 * One way of looking. It never throws on foreign data, honours the abort signal, and is aborted at its budget; what it has
 * not delivered by then counts as `timeout` and nothing else is affected. Long synchronous stretches call `breathe`
 * (tools/breathe.ts), or the budget cannot be enforced.
 */
export interface Collector {
  readonly names: readonly CollectorName[];
  /** True when it looks at this host: silenced on multi-node runs (spec 02 §10.1). */
  readonly hostBound: boolean;
  /** True when there is nothing to look at without a session directory; it is then skipped. */
  readonly needsSession?: boolean;
  /** Answers that must be in, or have failed, before this one starts. */
  readonly needs: readonly CollectorName[];
  /** Limit, ms. */
  budgetMs(config: SourcesConfig): number;
  /** A reason when configuration switches it off. */
  disabled?(config: SourcesConfig): CollectorReason | undefined;
  /** Slots and their values when nothing is known: null for additive ones (spec 03 G-13). */
  readonly whenUnknown: SlotValues;
  collect(env: CollectorEnv, signal: Stop): Promise<CollectorAnswer>;
}

/**
 * Completes slots from the answers of several collectors, once all are in or have failed: pure and quick. What it returns
 * replaces the slots; one that throws changes nothing.
 */
export interface Join {
  readonly name: string;
  join(slots: SlotValues, env: CollectorEnv): SlotValues;
}
