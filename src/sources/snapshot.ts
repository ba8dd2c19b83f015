import type { Json, JsonObject } from '../foreign/json.js';

/** What became of one collector in one tick (spec 02 §10.1). */
export const STATUSES = ['ok', 'empty', 'unknown', 'skipped', 'timeout', 'error'] as const;

export type CollectorStatus = (typeof STATUSES)[number];

/** Why; tokens that code may test. */
export const REASONS = [
  '',
  'missing',
  'not_on_path',
  'permission',
  'foreign_schema',
  'locked',
  'corrupt',
  'too_large',
  'bad_output',
  'exit_nonzero',
  'other_host',
  'disabled',
  'multi_node',
  'no_session',
  'deadline',
  'exception',
] as const;

export type CollectorReason = (typeof REASONS)[number];

/** Names of answers; one collector may give several. */
export const COLLECTOR_NAMES = [
  'events',
  'tasks',
  'leases',
  'disk',
  'memory',
  'processes',
  'gpu',
  'logs',
  'health',
  'ray',
  'fd',
  'aiter',
  'audit',
  'manifest',
  'model_config',
  'breakdown',
  'critic',
  'state',
  'gateway',
  'mounts',
  'tracelens',
  'shm',
  'kernel',
] as const;

export type CollectorName = (typeof COLLECTOR_NAMES)[number];

export type CollectorReport = {
  readonly status: CollectorStatus;
  readonly reason: CollectorReason;
  /** Wall time, ms. */
  readonly ms: number;
  /** For people, at most 200 characters. */
  readonly detail: string;
};

/**
 * What the machine and the session looked like at one tick (spec 02 §2 and §14). Slots keep their wire shape and are read
 * through the guards of `foreign/json`, because recordings and conformance cases may hold anything in them. The keys after
 * `degraded_reason` are additive: absent means "not measured by this source", null means "unknown" (spec 03 G-13).
 */
export type Snapshot = {
  readonly local_gpu: Json;
  readonly local_processes: Json;
  /** False: the process list is ignorance, not emptiness. */
  readonly local_processes_known: boolean;
  readonly local_disk: Json;
  readonly local_log_tail: Json;
  readonly local_log_errors: Json;
  readonly local_server_health: Json;
  readonly local_ray: Json;
  readonly local_fd: Json;
  readonly local_aiter_jit: Json;
  readonly local_decision_audit: Json;
  readonly local_manifest: Json;
  readonly local_kernel_breakdown: Json;
  readonly local_critic_health: Json;
  readonly local_state_integrity: Json;
  readonly local_external_deps: Json;
  readonly coordinator_events: Json;
  readonly local_task_progress: Json;
  readonly sources_used: readonly string[];
  readonly degraded_reason: string | null;
  /** Per-collector outcome; absent in snapshots that no collector of ours filled. */
  readonly collectors?: { readonly [name in CollectorName]?: CollectorReport };
  /** Start of collection, unix s. */
  readonly collected_unix?: number;
  readonly coordinator_last_seen?: Json;
  readonly coordinator_bus?: Json;
  readonly local_processes_scope?: Json;
  readonly local_zombies?: Json;
  readonly local_memory?: Json;
  readonly local_engine?: Json;
  readonly local_shm?: Json;
  readonly local_kernel?: Json;
  readonly local_model_config?: Json;
};

/** The slots that collectors fill. */
export type SnapshotSlot = Exclude<
  keyof Snapshot,
  'sources_used' | 'degraded_reason' | 'collectors' | 'collected_unix'
>;

/** The snapshot of a tick that saw nothing and claims nothing (spec 02 §3.3, §10.1). */
export function emptySnapshot(): Snapshot {
  return {
    local_gpu: {},
    local_processes: [],
    local_processes_known: false,
    local_disk: {},
    local_log_tail: [],
    local_log_errors: [],
    local_server_health: [],
    local_ray: {},
    local_fd: {},
    local_aiter_jit: {},
    local_decision_audit: {},
    local_manifest: {},
    local_kernel_breakdown: {},
    local_critic_health: {},
    local_state_integrity: {},
    local_external_deps: {},
    coordinator_events: [],
    local_task_progress: {},
    sources_used: [],
    degraded_reason: null,
  };
}

/** The statuses of the collectors, `{}` when the snapshot carries none. */
export function collectorReports(snapshot: Snapshot): { readonly [name in CollectorName]?: CollectorReport } {
  return snapshot.collectors ?? {};
}

/** A slot's value as an object, `{}` when it is anything else. */
export type SlotObject = JsonObject;
