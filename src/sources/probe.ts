import { cutCodePoints } from '../foreign/hygiene.js';
import type { Json, JsonObject } from '../foreign/json.js';
import type {
  Collector,
  CollectorAnswer,
  CollectorEnv,
  CollectorVerdict,
  Join,
  SlotValues,
} from './collector.js';
import type { SharedFacts } from './facts.js';
import { mergeSlots } from './slots.js';
import type { CollectorName, CollectorReport } from './snapshot.js';
import { monotonicMs } from './tools/clock.js';
import { Deadlines } from './tools/deadlines.js';
import { LazyStop } from './tools/stop.js';

/** What a probe needs besides its collectors. */
export interface ProbeInput {
  readonly collectors: readonly Collector[];
  readonly joins: readonly Join[];
  /** The environment of this tick; facts are filled in as they are established. */
  readonly env: Omit<CollectorEnv, 'facts'>;
  /** Time for all collectors together, ms. */
  readonly limitMs: number;
  /** Ends the probe early, for instance when the tick is cancelled. */
  readonly signal?: AbortSignal;
  /** The session's file system does not answer, so that nobody may touch it; `env.sessionDir` is null then. */
  readonly isSessionHung?: boolean;
}

/** What all collectors together saw. */
export interface ProbeResult {
  readonly slots: SlotValues;
  readonly reports: { readonly [name in CollectorName]?: CollectorReport };
  /** Keys to replace in slot `sources`; undefined removes a key. */
  readonly memory: JsonObject;
  /** Keys to replace in the cache file; undefined removes a key. */
  readonly cache: JsonObject;
  /** Failures of joins, one line each. */
  readonly faults: readonly string[];
}

const DETAIL_LENGTH = 200;

/**
 * Runs all collectors beside each other, each within its own budget and all within one limit (spec 02 §10.1). A collector
 * starts when those it needs are in or have failed. What is not in at its limit is `timeout`; it is told to stop and is not
 * waited for. One that throws is `error`. Neither affects the others. Never rejects.
 */
export async function probe(input: ProbeInput): Promise<ProbeResult> {
  const run = new ProbeRun(input);
  return run.result();
}

interface Settled {
  readonly verdict: CollectorVerdict;
  readonly answer?: CollectorAnswer;
  readonly ms: number;
}

class ProbeRun {
  readonly #input: ProbeInput;
  readonly #endsAt: number;
  #isOver = false;
  readonly #deadlines = new Deadlines();
  readonly #facts: { -readonly [K in keyof SharedFacts]: SharedFacts[K] } = {};
  readonly #env: CollectorEnv;
  readonly #settled = new Map<Collector, Promise<Settled>>();

  constructor(input: ProbeInput) {
    this.#input = input;
    this.#endsAt = monotonicMs() + input.limitMs;
    this.#env = Object.assign(Object.create(input.env), { facts: this.#facts });
  }

  async result(): Promise<ProbeResult> {
    const { collectors, signal } = this.#input;
    const stop = () => this.#stop();
    this.#deadlines.add(this.#endsAt, stop);
    if (signal?.aborted === true) stop();
    signal?.addEventListener('abort', stop, { once: true });
    try {
      for (const collector of inOrderOfNeeds(collectors))
        this.#settled.set(collector, this.#settle(collector));
      const outcomes: [Collector, Settled][] = [];
      for (const collector of collectors) {
        const settled = await this.#settled.get(collector);
        if (settled !== undefined) outcomes.push([collector, settled]);
      }
      return this.#merge(outcomes);
    } finally {
      signal?.removeEventListener('abort', stop);
      stop();
    }
  }

  #stop(): void {
    this.#isOver = true;
    this.#deadlines.end();
  }

  async #settle(collector: Collector): Promise<Settled> {
    const silenced = this.#silenced(collector);
    if (silenced !== undefined) return { verdict: silenced, ms: 0 };
    await this.#needed(collector);
    const started = monotonicMs();
    const settled = await this.#collect(collector, started);
    if (settled.answer?.facts !== undefined) Object.assign(this.#facts, settled.answer.facts);
    return settled;
  }

  #silenced(collector: Collector): CollectorVerdict | undefined {
    const { config, sessionDir } = this.#input.env;
    const reason = collector.disabled?.(config);
    if (reason !== undefined) return { status: 'skipped', reason };
    if (collector.hostBound && config.disable_local_probe) {
      return { status: 'skipped', reason: config.nodes >= 2 ? 'multi_node' : 'disabled' };
    }
    if (collector.needsSession !== true || sessionDir !== null) return undefined;
    if (this.#input.isSessionHung === true) return late('the session directory does not answer');
    return { status: 'skipped', reason: 'no_session' };
  }

  async #needed(collector: Collector): Promise<void> {
    for (const name of collector.needs) {
      const provider = this.#input.collectors.find((other) => other.names.includes(name));
      if (provider !== undefined && provider !== collector) await this.#settled.get(provider);
    }
  }

  async #collect(collector: Collector, started: number): Promise<Settled> {
    const budgetMs = Math.min(collector.budgetMs(this.#input.env.config), this.#endsAt - started);
    const elapsed = () => monotonicMs() - started;
    if (budgetMs <= 0 || this.#isOver) return { verdict: late('no time was left for it'), ms: 0 };

    const over = new LazyStop();
    const { promise: timeout, resolve } = withResolve<Settled>();
    const stop = () => {
      over.abort(new Error('out of time'));
      resolve({ verdict: late(`no answer within ${Math.round(budgetMs)} ms`), ms: elapsed() });
    };
    this.#deadlines.add(started + budgetMs, stop);
    try {
      const answer = collector.collect(this.#env, over).then(
        (value): Settled => ({ verdict: { status: 'ok' }, answer: value, ms: elapsed() }),
        (error: unknown): Settled => {
          if (over.aborted) return { verdict: late('stopped at its limit'), ms: elapsed() };
          return { verdict: broken(error), ms: elapsed() };
        },
      );
      return await Promise.race([answer, timeout]);
    } catch (error) {
      return { verdict: broken(error), ms: elapsed() };
    } finally {
      this.#deadlines.drop(stop);
    }
  }

  #merge(outcomes: readonly [Collector, Settled][]): ProbeResult {
    let slots = mergeSlots([
      ...outcomes.map(([collector]) => collector.whenUnknown),
      ...outcomes.map(([, { answer }]) => answer?.slots ?? {}),
    ]);
    const memory: Record<string, Json | undefined> = {};
    const cache: Record<string, Json | undefined> = {};
    const reports: { [name in CollectorName]?: CollectorReport } = {};
    for (const [collector, { verdict, answer, ms }] of outcomes) {
      Object.assign(memory, answer?.memory);
      Object.assign(cache, answer?.cache);
      for (const name of collector.names) reports[name] = report(answer?.verdicts[name] ?? verdict, ms);
    }
    const faults: string[] = [];
    for (const join of this.#input.joins) {
      try {
        slots = { ...slots, ...join.join(slots, this.#env) };
      } catch (error) {
        faults.push(`${join.name}: ${messageOf(error)}`);
      }
    }
    return { slots, reports, memory, cache, faults };
  }
}

/** Providers before those that need them, otherwise as listed; what needs itself through others keeps its place. */
function inOrderOfNeeds(collectors: readonly Collector[]): Collector[] {
  const ordered: Collector[] = [];
  const visit = (collector: Collector, path: readonly Collector[]): void => {
    if (ordered.includes(collector) || path.includes(collector)) return;
    for (const name of collector.needs) {
      const provider = collectors.find((other) => other.names.includes(name));
      if (provider !== undefined) visit(provider, [...path, collector]);
    }
    ordered.push(collector);
  };
  for (const collector of collectors) visit(collector, []);
  return ordered;
}

function withResolve<T>(): { readonly promise: Promise<T>; readonly resolve: (value: T) => void } {
  let resolve: (value: T) => void = () => undefined;
  const promise = new Promise<T>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}

function report(verdict: CollectorVerdict, ms: number): CollectorReport {
  const { status, reason = '', detail = '' } = verdict;
  return { status, reason, ms: Math.round(ms), detail: cutCodePoints(detail, DETAIL_LENGTH) };
}

function late(detail: string): CollectorVerdict {
  return { status: 'timeout', reason: 'deadline', detail };
}

function broken(error: unknown): CollectorVerdict {
  return { status: 'error', reason: 'exception', detail: messageOf(error) };
}

function messageOf(error: unknown): string {
  return error instanceof Error ? `${error.name}: ${error.message}` : String(error);
}
