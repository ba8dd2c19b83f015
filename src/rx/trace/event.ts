/**
 * One action of one agent in one turn of one run, as rx keeps it (spec 06 A.1, D.1). The wire form nests `tool_name` in
 * `action_taken` and the total in `latency_ms`; `parseTraceEvent` reads it, `formatTraceEvent` writes it.
 */
export interface TraceEvent {
  /** `""` when the source gives none. */
  readonly event_id: string;
  readonly run_id: string;
  /** Orders the events inside a run; an integer. */
  readonly turn: number;
  readonly agent_id: string;
  /** `unknown` when the source names no tool. */
  readonly tool_name: string;
  readonly action_succeeded: boolean;
  /** Names of the beliefs that were stale, in the order of the source. */
  readonly divergence_fields: readonly string[];
  /** Null means none. */
  readonly failure_classification: string | null;
  /** Total milliseconds of the action, an integer. */
  readonly latency_total_ms: number;
}

/** The classifications with a meaning of their own, in one-hot order (spec 06 A.1). Others are legal. */
export const KNOWN_CLASSIFICATIONS = [
  'coordination_failure',
  'agent_error',
  'information_lag',
  'environment_constraint',
] as const;

/** What a failure without classification is called in keys and names (spec 06 B.1). */
export const UNCLASSIFIED = 'unclassified';

/** Failed, or succeeded with a classification (spec 06 A.1). */
export function isFailure(event: Pick<TraceEvent, 'action_succeeded' | 'failure_classification'>): boolean {
  return !event.action_succeeded || event.failure_classification !== null;
}

/** Failures / events, 0 without events (spec 06 A.1). */
export function failureRate(failures: number, events: number): number {
  return events === 0 ? 0 : failures / events;
}
