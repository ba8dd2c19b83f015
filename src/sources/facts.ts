import type { JsonObject } from '../foreign/json.js';

/** What one collector establishes and others need. Undefined: not established in this tick. */
export interface SharedFacts {
  /** The parsed `state.json`, read once; from `state`. */
  readonly stateJson?: JsonObject;
  /** Who drives the session, as far as it could be identified; from `state`. */
  readonly coordinator?: CoordinatorFact;
  /** Every process that could be seen, also those that match no pattern; from `processes`. */
  readonly processes?: ProcessTable;
  /** The parsed `manifest.json`; from `manifest`. */
  readonly manifest?: JsonObject;
}

/** The Coordinator and where it keeps its files (spec 02 §10.6). */
export interface CoordinatorFact {
  /** Null: no record names a pid. */
  readonly pid: number | null;
  /** Null: cannot be known (another host, another PID namespace, no record). */
  readonly alive: boolean | null;
  /** Start of the living process, unix s; null when it is not known to live. */
  readonly startedUnix: number | null;
  /** Host that holds the session, `""` when no record names one. */
  readonly hostname: string;
  /** True when the record names another host than this one. */
  readonly otherHost: boolean;
  /** Absolute workspace root; the session's grandparent when nothing else names it. */
  readonly workspaceRoot: string;
  /** Absolute path of the Coordinator's own log, when a launch file of this session names it. */
  readonly runLog: string | null;
}

/** The processes of this host, as far as they can be seen (spec 02 §10.4). */
export interface ProcessTable {
  readonly scope: ProcessScope;
  readonly processes: readonly ProcessFact[];
}

/** What a process listing covers; only `host` proves that nobody else is there. */
export type ProcessScope = 'host' | 'namespace' | 'own_uid';

export interface ProcessFact {
  readonly pid: number;
  readonly ppid: number;
  readonly uid: number;
  /** One letter of proc(5); `Z` is a zombie. */
  readonly state: string;
  /** Unix s. */
  readonly startUnix: number | null;
  /** Whole argument vector, unredacted; one element when the process has rewritten its title; empty for kernel threads. */
  readonly argv: readonly string[];
  /** `""` = unknown. */
  readonly cwd: string;
  readonly isServer: boolean;
  /** True when it matches a server or benchmark pattern, hence is in slot `local_processes`. */
  readonly matched: boolean;
  /** Null = unknown. Matched processes and compilers are asked themselves, all others only their ancestors. Looked up when read. */
  readonly sessionOwned: boolean | null;
  /** Another session that the process names as its own, absolute; null when it names none. */
  readonly otherSession: string | null;
  /** Port that a server was told to use. */
  readonly port: number | null;
  /** Host that a server was told to bind. */
  readonly host: string | null;
}
