import type { Json, JsonObject } from '../../../src/foreign/json.js';

/** A message on the Coordinator's bus; times in unix s. */
export interface BusMessage {
  readonly seq: number;
  readonly msgId: string;
  readonly from: string;
  readonly to: string;
  readonly topic: string;
  readonly inReplyTo: string | null;
  readonly payload: JsonObject;
  readonly at: number;
}

export interface LabTask {
  readonly id: string;
  readonly kind: string;
  readonly params: JsonObject;
  readonly startedAt: number;
  state: 'running' | 'succeeded' | 'failed' | 'cancelled';
  /** Agent that the progress notes name. */
  readonly agent: string;
  label: string;
  /** Newest note; null before the first. */
  progressAt: number | null;
}

export interface LabLease {
  readonly taskId: string;
  readonly holder: string;
  readonly action: string;
  readonly lanes: readonly string[];
  readonly pid: number;
  /** Whether the holding process lives; null where that cannot be tested. */
  alive: boolean | null;
  readonly acquiredAt: number;
  expiresAt: number;
}

/** A process of the machine, as `local_processes` lists it. */
export interface LabProcess {
  readonly pid: number;
  readonly cmd: string;
  readonly cwd: string;
  readonly isServer: boolean;
  /** Null: it cannot be told whose it is. */
  readonly owned: boolean | null;
  readonly startedAt: number;
  /** Port it was told to serve on. */
  readonly port?: number;
}

export type HealthAnswer = 'ok' | 'refused' | 'timeout' | 'http_500';

/** A health endpoint. It is asked while its process lives and is ours, or when an operator has named it. */
export interface LabServer {
  readonly url: string;
  readonly pid: number | null;
  readonly isConfigured?: boolean;
  answer: HealthAnswer;
}

export interface LabGpu {
  readonly id: number;
  usedMb: number;
  totalMb: number;
  utilPct: number;
  edgeC: number | null;
  junctionC: number | null;
  memoryC: number | null;
  visible: boolean;
  /** Null: completeness cannot be proved. */
  holders: JsonObject[] | null;
  /** Additional or overriding wire keys, such as `error_kind`. */
  extra: JsonObject;
}

/** One log with all that was ever written to it. */
export interface LabLog {
  /** Relative to the session, as the collector names it. */
  readonly name: string;
  readonly lines: { readonly text: string; readonly at: number }[];
  readonly isServerLog: boolean;
}

export interface PhaseRow {
  readonly phase: string;
  elapsedS: number;
  /** -1 = unlimited. */
  readonly capS: number;
}

/** What the Coordinator knows of itself and prints into every prompt. */
export interface CoordinatorFacts {
  model: string;
  modelClass: string;
  phase: string;
  tick: number;
  baselineTput: number;
  gainPct: number;
  stack: string[];
  crashCount: number;
  currentAction: string;
  macroCycle: number;
  stopReason: string;
  kernelAttempts: number;
  keepPending: boolean;
  lastExplore: string;
  prunedFamilies: string[];
  startedAt: number;
  /** 0 = no deadline. */
  budgetMinutes: number;
  /** Added to the remaining time that the prompt claims, min; 0 = the truth. */
  remainingOffset: number;
  closing: boolean;
  phases: PhaseRow[];
  ticksWithoutProgress: number;
  progressThreshold: number;
  lastProgressTick: number;
  /** Raw text after `last_action_failures=`. */
  lastFailures: string;
  /** Raw lines that stand after the shared state, such as an inlined analysis. */
  extraLines: string[];
}

export interface StateFile {
  valid: boolean;
  error: string;
  sizeBytes: number;
  previousSizeBytes: number | null;
  mtime: number;
  stopReason: string;
  deadlineUnix: number;
  tick: number;
}

/** One message of the kernel; unix s. */
export interface KernelLine {
  readonly text: string;
  readonly at: number;
}

/** What `ray status` does when it is asked. */
export type RayAnswer =
  | { readonly kind: 'prints'; readonly code: number; readonly stdout: string; readonly stderr: string }
  | { readonly kind: 'hangs' };

/** Slots whose wire shape the scenarios write themselves. */
export type DirectSlot =
  | 'local_disk'
  | 'local_fd'
  | 'local_aiter_jit'
  | 'local_decision_audit'
  | 'local_manifest'
  | 'local_kernel_breakdown'
  | 'local_shm'
  | 'local_model_config'
  | 'local_memory'
  | 'local_external_deps';

export type DirectSlots = { [slot in DirectSlot]: Json };
