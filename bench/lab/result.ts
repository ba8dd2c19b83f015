import type { Severity } from '../../src/signals/symptom.js';
import type { Fault } from './scenario.js';

/** A finding that went out with a tick. */
export interface LabAlert {
  readonly name: string;
  readonly severity: Severity;
  readonly subject: Readonly<Record<string, string>>;
  readonly summary: string;
  /** `recover` or `prune:FAMILY`, of those that went out with it. */
  readonly destructive: readonly string[];
}

export interface LabTick {
  readonly tick: number;
  /** Unix s. */
  readonly at: number;
  readonly alerts: readonly LabAlert[];
  /** Keys of all present symptoms with their severity. */
  readonly present: readonly { readonly key: string; readonly severity: Severity }[];
  /** Present keys that another symptom explains. */
  readonly explained: readonly string[];
  /** What is so at this moment and may be said of any session: symptoms that merely tell the time. */
  readonly truths: readonly string[];
  /** All intents, in order: type and what it is about. */
  readonly intents: readonly string[];
}

/** One scenario played once. */
export interface LabRun {
  readonly scenario: string;
  readonly kind: 'healthy' | 'faulty';
  readonly seed: number;
  readonly sessionDir: string;
  readonly startUnix: number;
  readonly endUnix: number;
  readonly ticks: readonly LabTick[];
  readonly faults: readonly Fault[];
  readonly notices: readonly string[];
}
