import type { IssueContext } from '../model/heal-result.js';
import type { NumberedEvent, OutcomeEvent, ProgressEvent, StepEvent } from './events.js';

export type Listener = (event: NumberedEvent) => void;

export interface LiveRunOptions {
  readonly id: string;
  readonly sessionId: string;
  readonly issue: IssueContext;
  readonly startedUnix: number;
  /** How long it goes on when nobody listens, ms. */
  readonly detachMs: number;
}

/**
 * An investigation that goes on in this process: what it has said so far, and who listens. The number of a step is that of
 * its receipt, so a client can go on from the files as well once the process is gone.
 */
export class LiveRun {
  readonly id: string;
  readonly sessionId: string;
  readonly issue: IssueContext;
  readonly startedUnix: number;
  readonly #abort = new AbortController();
  readonly #detachMs: number;
  readonly #steps: StepEvent[] = [];
  readonly #listeners = new Set<Listener>();
  #progress: ProgressEvent | null = null;
  #outcome: OutcomeEvent | null = null;
  #detached: NodeJS.Timeout | undefined;

  constructor(options: LiveRunOptions) {
    this.id = options.id;
    this.sessionId = options.sessionId;
    this.issue = options.issue;
    this.startedUnix = options.startedUnix;
    this.#detachMs = options.detachMs;
  }

  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  get outcome(): OutcomeEvent | null {
    return this.#outcome;
  }

  /** Number of the outcome once there is one. */
  get lastId(): number {
    return (this.#steps.at(-1)?.round ?? 0) + 1;
  }

  get steps(): readonly StepEvent[] {
    return this.#steps;
  }

  cancel(): void {
    this.#abort.abort();
  }

  tell(event: StepEvent | ProgressEvent): void {
    if (this.#outcome !== null) return;
    if (event.type === 'step') this.#steps.push(event);
    else this.#progress = event;
    this.#send(numbered(event));
  }

  end(outcome: OutcomeEvent): void {
    if (this.#outcome !== null) return;
    this.#outcome = outcome;
    clearTimeout(this.#detached);
    this.#send({ id: this.lastId, event: outcome });
    this.#listeners.clear();
  }

  /** Sends what came after number `after`, then everything new; the function returned ends that. */
  listen(after: number, listener: Listener): () => void {
    for (const step of this.#steps) if (step.round > after) listener(numbered(step));
    if (this.#outcome !== null) {
      listener({ id: this.lastId, event: this.#outcome });
      return () => undefined;
    }
    if (this.#progress !== null) listener(numbered(this.#progress));
    clearTimeout(this.#detached);
    this.#listeners.add(listener);
    return () => {
      this.#listeners.delete(listener);
      if (this.#listeners.size > 0 || this.#outcome !== null) return;
      clearTimeout(this.#detached);
      this.#detached = setTimeout(() => this.cancel(), this.#detachMs);
      this.#detached.unref();
    };
  }

  #send(event: NumberedEvent): void {
    for (const listener of [...this.#listeners]) listener(event);
  }
}

function numbered(event: StepEvent | ProgressEvent): NumberedEvent {
  return { id: event.type === 'step' ? event.round : null, event };
}
