// Generated from schemas/ by `npm run generate`; change the schemas instead.
import type { Json, JsonObject } from '../../foreign/json.js';

/** How bad it is; an alert of severity high reaches the Coordinator's inboxes first. */
export type WireSeverity = 'low' | 'medium' | 'high';

/** agents/robustness/silences.json: an operator's orders not to send symptoms for a while (spec 05 A.12.1). */
export type Silences = readonly SilenceEntry[];

/** reports/decision_trace.json of the postmortem: what was tried, by action, newest first (spec 01 §8). */
export type DecisionTrace = {
  readonly session_id: string;
  /** Directory below runs/ to its tasks. */
  readonly tasks_by_action: {
    readonly [k: string]: readonly TraceTask[];
  };
  /** Listed tasks. */
  readonly total_tasks: number;
  /** Action to the number of tasks beyond the limit. */
  readonly omitted_tasks: {
    readonly [k: string]: number;
  };
  /** Result files that could not be used. */
  readonly problems: number;
};

/** Fields of a result.json, as they are in it, or error saying why there are none. */
export type TraceTask = {
  readonly task_id: string;
  /** Absolute path. */
  readonly workspace: string;
  /** Absolute path; null: there is no file. */
  readonly result_path: string | null;
  readonly error?: string;
  readonly decision?: Json;
  readonly status?: Json;
  readonly error_class?: Json;
  readonly ts?: Json;
  /** Percent. */
  readonly gain_pct?: Json;
  /** Percent. */
  readonly validated_gain_pct?: Json;
  /** Tokens/s. */
  readonly output_throughput?: Json;
  /** Tokens/s. */
  readonly base_tput?: Json;
  /** Tokens/s. */
  readonly new_tput?: Json;
};

/**
 * agents/robustness/detector_state.json (detector_state.run.json of the standalone loop): slot name to the object that one component owns. Readers skip what they do not understand; unknown slots are kept (spec 01 §7).
 */
export type DetectorState = {
  readonly _meta?: StateMeta;
  readonly action_ladder?: LadderSlotState;
  /** When a model was asked about which symptom, and what its endpoint taught us. */
  readonly rca_throttle?: JsonObject;
  /** Which doubt about a promoted prompt was told last, by prompt. */
  readonly selfedit?: JsonObject;
  /** What the collectors remember: cursors, the router's failures, times of samples. */
  readonly sources?: JsonObject;
  /** The slot of a rule. */
  readonly [k: string]: JsonObject | StateMeta | LadderSlotState | undefined;
};

export type StateMeta = {
  /** Version of the layout. */
  readonly schema: 1;
  /** Program and version. */
  readonly writer: string;
  /** Unix s. */
  readonly saved_unix: number;
};

/**
 * Memory of the ladder (spec 05 A.12.1). Keys of the maps: symptom name and sorted key=value pairs, joined by U+001F.
 */
export type LadderSlotState = {
  /** Key to the tick of the last emission. */
  readonly last_emitted?: {
    readonly [k: string]: number;
  };
  readonly last_tick?: number | null;
  readonly max_tick?: number | null;
  readonly keys?: {
    readonly [k: string]: LadderEntryState;
  };
  /** The last recover. */
  readonly recover?: {
    readonly tick: number;
    /** Unix s. */
    readonly unix: number;
    /** Silence for further recovers, ticks. */
    readonly backoff: number;
  };
  /** Family to the tick of its prune. */
  readonly pruned?: {
    readonly [k: string]: number;
  };
  /** Key of a reported event to when it was last there (unix s), and how severe. */
  readonly last_present?: {
    readonly [k: string]: readonly [number, string];
  };
  /** Key to the keys that its last alert listed. */
  readonly named?: {
    readonly [k: string]: readonly string[];
  };
};

/** What is known of one key in this episode. */
export type LadderEntryState = {
  /** Last one emitted. */
  readonly severity?: 'low' | 'medium' | 'high' | null;
  /** When, unix s. */
  readonly emitted_unix?: number | null;
  /** Ticks until the next reminder; null: the configured cooldown. */
  readonly silence?: number | null;
  /** Last tick at that severity or above. */
  readonly peak?: number | null;
  /** Consecutive evaluations at HIGH. */
  readonly streak?: number;
  /** Tick of the first of them. */
  readonly high_since?: number | null;
  /** Its destructive intent in this streak. */
  readonly remedy?: 'none' | 'held' | 'sent';
  /** Consecutive evaluations without it. */
  readonly absent?: number;
  /** Tick of the first of them. */
  readonly absent_since?: number | null;
  /** True while it owes its resolved notice. */
  readonly notice?: boolean;
  /** Keys that its alerts listed. */
  readonly explained?: readonly string[];
};

/** The answer to the Coordinator, in the order of its keys (spec 01 §1.5). */
export type Emit = {
  readonly intent_envelope: {
    /** Most severe first; a heartbeat when there is nothing to say. */
    readonly intents: readonly WireIntent[];
  };
  /** As in the request, trimmed. */
  readonly session_id: string;
  /** Ticks that this process has run: always 1 for `tick`. */
  readonly tick_index: number;
  /**
   * Of the prompt, then of options, settings, rules and collectors; each group has at most 20 lines and one that counts the rest.
   */
  readonly parse_warnings: readonly string[];
  readonly llm_usage?: LlmUsage;
};

/** One intent for the Coordinator: what the robustness role may ask for or say (spec 01 §3). */
export type WireIntent = {
  /** The six types that this role may emit. */
  readonly intent_type: string;
  /** By type; keys beyond those of the schema are allowed. */
  readonly payload: JsonObject;
};

/** LLM usage of a tick, summed over its calls; absent when no model was asked (spec 01 §1.5). */
export type LlmUsage = {
  readonly input_tokens: number;
  readonly output_tokens: number;
  /** Calls that gave an answer. */
  readonly calls: number;
  /** Of the calls that gave an answer, retries included, ms. */
  readonly latency_ms: number;
  readonly model: string;
  /** Absent when 0. */
  readonly cache_creation_input_tokens?: number;
  /** Absent when 0. */
  readonly cache_read_input_tokens?: number;
  /** HTTP requests that gave no usable answer; absent when 0. */
  readonly failed_attempts?: number;
};

/**
 * One line of agents/robustness/findings/<session id>.jsonl, in the order of its keys; at most 64 KiB, ASCII (spec 01 §6, 05 A.7).
 */
export type Finding = {
  /** The effective tick (spec 01 §5.2). */
  readonly tick_index: number;
  /** Clock of the tick, unix s. */
  readonly timestamp_unix: number;
  /** As in docs/rules. */
  readonly symptom_name: string;
  readonly severity: 'low' | 'medium' | 'high';
  /** One line, at most 500 characters. */
  readonly summary: string;
  /** What the guard let through. */
  readonly intents: readonly WireIntent[];
  /** As in the alert; dropped_intents names what the guard refused. */
  readonly evidence: JsonObject;
  /** Root cause by a model; empty when none was asked. */
  readonly rca_text: string;
  /** What the symptom is about, key to value. */
  readonly subject: Readonly<Record<string, string>>;
  /** First tick at which the unchanged symptom may be reported again. */
  readonly cooldown_until_tick: number;
  /** Settings of the ladder that had a say; absent when none had. */
  readonly policy?: readonly string[];
  /** A prune that was drawn for waiting once more, for learning what it would have changed (spec 06 F.10). */
  readonly holdback?: JsonObject;
  /** Class that the model named (spec 08 §21). */
  readonly rca_class?: string;
  /** Written by the standalone loop; absent: by a tick of the Coordinator. */
  readonly origin?: 'run';
  /** The investigation that was asked for. */
  readonly investigation_id?: string;
};

/** What a symptom is about, key to value, such as mountpoint to /data; together with the name its identity. */
export type WireSubject = {
  readonly [k: string]: string;
};

/** What was seen: at most 64 keys, 8 levels and 32 KiB; truncated is true when something was cut. */
export type Evidence = {
  /** True when something was cut. */
  readonly truncated?: boolean;
};

/** A destructive intent that waits, and for what (spec 05 A.12.4). */
export type PendingAction = {
  readonly intent_type: 'delegate' | 'prune_branch';
  /** Of a delegate. */
  readonly action_name?: 'recover';
  /** Of a prune. */
  readonly family?: string;
  /** The policy that holds it back. */
  readonly held_by: 'closing_phase' | 'destructive_confirmations' | 'recover_backoff_ticks';
  /** Consecutive evaluations at HIGH so far. */
  readonly confirmations: number;
  /** Evaluations at HIGH that are asked for. */
  readonly needed: number;
  /** First tick at which another recover may go out. */
  readonly until_tick?: number;
};

/** The symptom of an alert or an observation; the keys after suggestion are additive (spec 05 A.12.4). */
export type SymptomDetail = {
  /** Name, as in docs/rules. */
  readonly symptom: string;
  readonly severity?: WireSeverity;
  readonly subject: WireSubject;
  /** Where it was seen. */
  readonly source?: 'local' | 'server' | 'coordinator_events' | 'inbox' | 'shared_state' | 'unknown';
  readonly evidence?: Evidence;
  /** Advice, one line; absent when there is none. */
  readonly suggestion?: string;
  /** Settings of the ladder that held back, switched off, merged or released something. */
  readonly policy?: readonly string[];
  readonly pending_action?: PendingAction;
  /** A family that is never pruned. */
  readonly protected?: string;
  /** A family that was pruned before. */
  readonly already_pruned?: string;
  /** Idempotency key of the recover that serves this symptom, too. */
  readonly merged_into?: string;
  /** Symptoms that this one explains; they send no alert of their own. */
  readonly explains?: readonly {
    readonly symptom: string;
    readonly severity: WireSeverity;
    readonly subject: WireSubject;
  }[];
  /** Key of a present symptom that explains this one but says nothing now. */
  readonly explained_by?: string;
  /** True in the notice that a state is gone. */
  readonly resolved?: true;
  /** First tick without it. */
  readonly since_tick?: number;
  readonly investigation?: InvestigationSummary;
};

/** What the newest investigation of the same symptom found (spec 07 B1). */
export type InvestigationSummary = {
  readonly investigation_id: string;
  readonly error_type: string;
  /** 0 to 1. */
  readonly confidence: number;
  readonly confidence_level: 'low' | 'medium' | 'high';
  /** Entity that is responsible, null when none was found. */
  readonly subject: string | null;
};

/** Something is wrong. */
export type AlertPayload = {
  readonly severity: WireSeverity;
  /** One line, at most 500 characters. */
  readonly summary: string;
  readonly detail?: SymptomDetail;
};

/** A line on the bus: a heartbeat, or an observation (low severity, or a resolved state). */
export type MessagePayload = {
  /** heartbeat or observation. */
  readonly topic: string;
  /** The text. */
  readonly body_md?: string;
  /** Recipient; absent: everybody. */
  readonly to?: string;
  readonly detail?: SymptomDetail;
};

/** Asks for a recover, the only action that this role may delegate. */
export type RecoverPayload = {
  readonly action_name: 'recover';
  readonly params: {
    /** Name of the symptom. */
    readonly reason: string;
    /** Kill whatever holds GPU memory. */
    readonly force_gpu_cleanup?: boolean;
    readonly evidence: Evidence;
    /** Further symptoms that this recover serves. */
    readonly also?: readonly {
      readonly reason: string;
      readonly evidence: Evidence;
    }[];
  };
  /** Stamped with the tick, so that one tick asks once. */
  readonly idempotency_key?: string;
};

/** Takes a family of actions off the table. */
export type PrunePayload = {
  /** Name of the action family. */
  readonly family: string;
  /** Summary of the symptom. */
  readonly reason: string;
  /** family: for good (default); queued: what waits. */
  readonly scope?: 'family' | 'queued';
};

/** Advice to change the strategy. */
export type EscalatePayload = {
  readonly reason: string;
  /** Acted on: skip_to_kernel, skip_to_sweep, skip_to_close, extend_explore_budget, extend_kernel_budget. */
  readonly next_action_hint: string;
  readonly severity?: WireSeverity;
};

/** Writes the state fields that this role owns. */
export type StatePayload = {
  readonly changes: {
    /** Crashes of the session. */
    readonly crash_count?: Json;
    /** What the session is doing. */
    readonly current_action?: Json;
  };
};

/**
 * signal.json and action.json beside an answer in robustness-workdir/<turn>, for the Coordinator's own breakdown (spec 01 §1.7).
 */
export type WorkdirNote = {
  /** Clock of the tick, ISO 8601, UTC. */
  readonly ts: string;
  /** signal.json: the most severe symptom reported, or none. */
  readonly signal?: string;
  /** action.json: the intent types sent for it, joined by +, or heartbeat. */
  readonly action?: string;
};

/**
 * One line of agents/robustness/presence/<session id>.jsonl per tick: what was there, and why it said nothing (spec 01 §6).
 */
export type PresenceLine = {
  /** The effective tick. */
  readonly tick_index: number;
  /** Clock of the tick, unix s. */
  readonly timestamp_unix: number;
  /** Keys of the symptoms that were there: name and sorted key=value pairs, joined by U+001F. */
  readonly present: readonly string[];
  /** Key to reason, for those that sent nothing. */
  readonly muted: {
    readonly [k: string]: 'cooldown_ticks' | 'inhibition_enabled' | 'silence';
  };
  /** Names of symptoms that could not be judged. */
  readonly undecided: readonly string[];
};

/**
 * One tick of a recording, as `tick --record` appends it and `replay` reads it; every text is redacted (spec 01 §1.2, 02 §2).
 */
export type RecordingLine = {
  readonly request: RequestFile;
  readonly sources?: RecordedSnapshot;
  readonly state?: DetectorState;
};

/** What the Coordinator asks per turn: request.json (spec 01 §1.3). Unknown keys are ignored. */
export type RequestFile = {
  readonly kind: 'coordinator_inbox';
  /** Used trimmed; the Coordinator sends the name of the session directory. */
  readonly session_id: string;
  /** The rendered prompt, at most 32 Mi UTF-16 units; blank only in recordings. */
  readonly raw_prompt: string;
  readonly context?: {
    /** Turn of the Coordinator, informational; anything but a number counts as 0. */
    readonly tick_index?: Json;
    /** Clock of the tick, unix s; anything but a finite number above 0 means the wall clock. */
    readonly now_unix?: Json;
  } | null;
  /**
   * session_dir, and every setting of config.schema.json; switches also as words and 0/1, numbers also as text. What is not usable is named in parse_warnings.
   */
  readonly options?: JsonObject | null;
};

/**
 * What the machine and the session looked like (spec 02 §2, §14). Slots may hold anything, rules guard themselves; what is described here is what our collectors write. An absent slot was not measured, null is unknown.
 */
export type RecordedSnapshot = {
  /** Names of the sources. */
  readonly sources_used?: readonly string[];
  /** Why less was seen than usual. */
  readonly degraded_reason?: string | null;
  /** Start of collection, unix s. */
  readonly collected_unix?: number;
  /** Name to outcome. */
  readonly collectors?: {
    readonly [k: string]: {
      readonly status: 'ok' | 'empty' | 'unknown' | 'skipped' | 'timeout' | 'error';
      /** A token such as not_on_path; empty when ok. */
      readonly reason?: string;
      /** Wall time, ms. */
      readonly ms?: number;
      /** For people, at most 200 characters. */
      readonly detail?: string;
    };
  };
  /** Rows of the bus, at most 200 and those after the cursor. */
  readonly coordinator_events?: Json;
  /** State of the database, cursors, GPU leases and queued tasks. */
  readonly coordinator_bus?: Json;
  /** Agent to its last sign of life, unix s. */
  readonly coordinator_last_seen?: Json;
  /** Running tasks and the last progress of each agent, unix s. */
  readonly local_task_progress?: Json;
  /** tool, lost_gpus and gpus[]: %, MiB, °C and W per GPU, with holders. */
  readonly local_gpu?: Json;
  /** Servers and helpers of the session, at most 512; rss_mb in MiB. */
  readonly local_processes?: Json;
  /** False: the process list is ignorance, not emptiness. */
  readonly local_processes_known?: Json;
  /** host, namespace or own_uid. */
  readonly local_processes_scope?: Json;
  /** Ended processes that nobody reaped, at most 64. */
  readonly local_zombies?: Json;
  /** Mount point to total_gb, used_gb, free_gb (GiB) and used_pct (%). */
  readonly local_disk?: Json;
  /** Memory and swap, MiB and %. */
  readonly local_memory?: Json;
  /** Segments in /dev/shm. */
  readonly local_shm?: Json;
  /** Messages of the kernel. */
  readonly local_kernel?: Json;
  /** Engines by their own log lines. */
  readonly local_engine?: Json;
  /** Answers of health endpoints; latency_ms in ms. */
  readonly local_server_health?: Json;
  /** `ray status`: healthy, pending demands, errors. */
  readonly local_ray?: Json;
  /** File descriptors in use and their limit. */
  readonly local_fd?: Json;
  /** Files, builds and locks in the kernel cache. */
  readonly local_aiter_jit?: Json;
  /** Last lines of the session's logs. */
  readonly local_log_tail?: Json;
  /** Lines that a log pattern caught, with file and offset. */
  readonly local_log_errors?: Json;
  /** Integrate results and kernel attempts; gains in %, throughput in tokens/s. */
  readonly local_decision_audit?: Json;
  /** manifest.json as it is. */
  readonly local_manifest?: Json;
  /** The model's config.json; weights in bytes. */
  readonly local_model_config?: Json;
  /** Share of GPU time by kernel tier, %. */
  readonly local_kernel_breakdown?: Json;
  /** Work directories and verdicts of the Critic. */
  readonly local_critic_health?: Json;
  /** state.json, database files (bytes), leases and the Coordinator's process. */
  readonly local_state_integrity?: Json;
  /** Gateway, mounts (ms) and TraceLens tools. */
  readonly local_external_deps?: Json;
};

/** One order; it holds back alerts, recovers and prunes, not the findings of the past. */
export type SilenceEntry = {
  /** Six hex digits that `silence remove` takes. */
  readonly id?: string;
  /** Name, as in docs/rules. */
  readonly symptom: string;
  /** Every pair must be in the symptom's subject; empty: all subjects. */
  readonly subject?: {
    readonly [k: string]: string;
  };
  /** Unix s. */
  readonly created_unix?: number;
  /** End, unix s. */
  readonly expires_unix: number;
  /** Why, for whoever reads it later. */
  readonly comment?: string;
};
