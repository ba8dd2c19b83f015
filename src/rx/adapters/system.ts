import type { TraceEvent } from '../trace/event.js';
import type { Config, Metrics } from '../types.js';

/** What a run is for; a real system finds it in RX_ARM (06 F.8). */
export type Arm = 'discovery' | 'control' | 'treatment' | 'aa' | 'confirmation';

/** One run of the system: one seed under one configuration. */
export interface RunRequest {
  readonly config: Config;
  readonly seed: number;
  readonly arm: Arm;
}

/** A run that gave no usable result, with the reason for people. */
export interface FailedRun {
  readonly ok: false;
  readonly reason: string;
}

export type MeasuredRun = { readonly ok: true; readonly metrics: Metrics } | FailedRun;

export type TracedRun = { readonly ok: true; readonly events: readonly TraceEvent[] } | FailedRun;

/** The system whose configuration is under repair. A failed run is data; only a broken programme throws. */
export interface SystemUnderTest {
  /** Counts of one run. */
  measure(request: RunRequest): Promise<MeasuredRun>;
  /** Events of one run, the `place`-th of its batch from 0; two places never share a run id. */
  trace(request: RunRequest, place: number): Promise<TracedRun>;
}

/** Runs once more after a failure, as transient trouble deserves one second chance (06 F.8). */
export async function withOneRetry<R extends { readonly ok: boolean }>(run: () => Promise<R>): Promise<R> {
  const first = await run();
  return first.ok ? first : run();
}

/** The system failed so that the run cannot go on; ends a command with exit code 2. */
export class SystemFailure extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'SystemFailure';
  }
}
