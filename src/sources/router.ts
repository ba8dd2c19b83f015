import { finiteNumber, type JsonObject, objectOr, text } from '../foreign/json.js';
import { emptySnapshot, type Snapshot } from './snapshot.js';

export type SourceState = 'healthy' | 'degraded' | 'failed';

/** What the router remembers of one source between ticks; wire shape of `sources.router.<name>` (spec 02 §11). */
export type SourceMemory = {
  readonly state: SourceState;
  readonly fail_streak: number;
  /** Wall clock, unix s. */
  readonly last_recheck_unix: number;
};

/** What a source's fetch came to. */
export type FetchOutcome =
  | { readonly kind: 'snapshot'; readonly snapshot: Snapshot }
  | { readonly kind: 'unavailable'; readonly reason: string };

export interface Source {
  readonly name: string;
  /** A rejection is a bug of the source; it counts as a failure, never as an answer. */
  fetch(): Promise<FetchOutcome>;
}

/** A change of a source's state, to be logged once as a warning. */
export interface SourceTransition {
  readonly source: string;
  readonly from: SourceState;
  readonly to: SourceState;
  readonly reason: string;
  readonly failStreak: number;
}

/** A bug of a source, to be logged as an error each time. */
export interface SourceFault {
  readonly source: string;
  readonly error: Error;
}

export interface RouteSettings {
  /** Consecutive failures; at least 1. */
  readonly failThreshold: number;
  /** Seconds; at least 0. */
  readonly recheckIntervalS: number;
}

export interface RouteResult {
  readonly snapshot: Snapshot;
  /** To be kept as `sources.router`. */
  readonly memory: { readonly [source: string]: SourceMemory };
  readonly transitions: readonly SourceTransition[];
  readonly faults: readonly SourceFault[];
}

const UNSEEN: SourceMemory = { state: 'healthy', fail_streak: 0, last_recheck_unix: 0 };
const BROKE = 'the source broke';

/**
 * The degrade router (spec 02 §3.2, with the state across ticks of §10.1): tries the primary, unless it is degraded and the
 * re-check is not due, and serves the fallback in the same tick otherwise. A re-check time in the future counts as due.
 *
 * @throws RangeError when both sources have one name, because they would share one state
 */
export async function route(
  primary: Source,
  fallback: Source,
  remembered: JsonObject,
  nowUnix: number,
  settings: RouteSettings,
): Promise<RouteResult> {
  if (primary.name === fallback.name) throw new RangeError(`two sources are named ${primary.name}`);
  const book = new Book(remembered, nowUnix, Math.max(1, settings.failThreshold));

  let cause = `${primary.name} is degraded and not due for another try`;
  if (isDue(book.of(primary.name), nowUnix, Math.max(0, settings.recheckIntervalS))) {
    const outcome = await attempt(primary, book);
    if (outcome.kind === 'snapshot') {
      book.succeeded(primary.name);
      return book.result(servedBy(outcome.snapshot, primary.name));
    }
    book.failed(primary.name, outcome.reason);
    cause = `${primary.name}: ${outcome.reason}`;
  }

  const outcome = await attempt(fallback, book);
  if (outcome.kind === 'snapshot') {
    book.succeeded(fallback.name);
    const served = servedBy(outcome.snapshot, fallback.name);
    const isDegraded = book.of(primary.name).state === 'degraded';
    const reason = isDegraded ? `${primary.name} is degraded, ${fallback.name} serves (${cause})` : null;
    return book.result({ ...served, degraded_reason: served.degraded_reason ?? reason });
  }
  if (outcome.kind === 'unavailable') book.gaveUp(fallback.name, outcome.reason);
  else book.failed(fallback.name, outcome.reason);
  const fallbackCause = outcome.kind === 'unavailable' ? 'is unavailable too' : 'broke too';
  const reason = `${cause}; ${fallback.name} ${fallbackCause}: ${outcome.reason}`;
  return book.result({ ...emptySnapshot(), degraded_reason: reason });
}

function isDue(memory: SourceMemory, nowUnix: number, intervalS: number): boolean {
  if (memory.state === 'healthy') return true;
  const waited = nowUnix - memory.last_recheck_unix;
  return waited >= intervalS || waited < 0;
}

function servedBy(snapshot: Snapshot, name: string): Snapshot {
  if (snapshot.sources_used.includes(name)) return snapshot;
  return { ...snapshot, sources_used: [...snapshot.sources_used, name] };
}

type Attempt = FetchOutcome | { readonly kind: 'broken'; readonly reason: string };

async function attempt(source: Source, book: Book): Promise<Attempt> {
  try {
    return await source.fetch();
  } catch (error) {
    const fault = error instanceof Error ? error : new Error(String(error));
    book.faults.push({ source: source.name, error: fault });
    return { kind: 'broken', reason: `${BROKE} (${fault.message})` };
  }
}

/** The sources' states during one tick. */
class Book {
  readonly faults: SourceFault[] = [];
  readonly #transitions: SourceTransition[] = [];
  readonly #memory = new Map<string, SourceMemory>();
  readonly #nowUnix: number;
  readonly #failThreshold: number;

  constructor(remembered: JsonObject, nowUnix: number, failThreshold: number) {
    this.#nowUnix = nowUnix;
    this.#failThreshold = failThreshold;
    for (const [name, value] of Object.entries(remembered))
      this.#memory.set(name, parseMemory(objectOr(value)));
  }

  of(name: string): SourceMemory {
    return this.#memory.get(name) ?? UNSEEN;
  }

  succeeded(name: string): void {
    this.#become(name, 'healthy', 0, 'it answers again');
  }

  failed(name: string, reason: string): void {
    const { state, fail_streak } = this.of(name);
    const streak = fail_streak + 1;
    const next = state === 'healthy' && streak >= this.#failThreshold ? 'degraded' : state;
    this.#become(name, next, streak, reason);
  }

  /** A fallback that is unavailable has failed at once. */
  gaveUp(name: string, reason: string): void {
    this.failed(name, reason);
    this.#become(name, 'failed', this.of(name).fail_streak, reason);
  }

  result(snapshot: Snapshot): RouteResult {
    const memory = Object.fromEntries(this.#memory);
    return { snapshot, memory, transitions: this.#transitions, faults: this.faults };
  }

  #become(name: string, to: SourceState, failStreak: number, reason: string): void {
    const from = this.of(name).state;
    if (from !== to) this.#transitions.push({ source: name, from, to, reason, failStreak });
    this.#memory.set(name, { state: to, fail_streak: failStreak, last_recheck_unix: this.#nowUnix });
  }
}

function parseMemory(value: JsonObject): SourceMemory {
  const state = text(value['state']);
  const streak = finiteNumber(value['fail_streak']) ?? 0;
  return {
    state: state === 'degraded' || state === 'failed' ? state : 'healthy',
    fail_streak: Math.max(0, Math.trunc(streak)),
    last_recheck_unix: finiteNumber(value['last_recheck_unix']) ?? 0,
  };
}
