import type { JsonObject } from '../foreign/json.js';

/** What one collector establishes and others need. Undefined: not established in this tick. */
export interface SharedFacts {
  /** The parsed `state.json`, read once. */
  readonly stateJson?: JsonObject;
  /** The living Coordinator process, as far as it could be identified (spec 02 §10.6). */
  readonly coordinator?: CoordinatorFact;
  /** Slot `local_processes` before redaction of what only joins need. */
  readonly processes?: readonly JsonObject[];
}

export interface CoordinatorFact {
  readonly pid: number;
  /** Unix s. */
  readonly startedUnix: number | null;
}
