import type { Dispatched, Dispatcher } from '../ledger/dispatcher.js';
import type { Evidence } from '../model/evidence.js';

/** Calls and time of the collection (spec 07 B9.2). */
export const MAX_CALLS = 30;
export const MAX_COLLECT_S = 60;

/** The dispatcher with the collector's own limits; what does not fit is not asked. */
export class Collector {
  #calls = 0;
  readonly #end: number;

  constructor(
    private readonly dispatcher: Dispatcher,
    private readonly maxCalls = MAX_CALLS,
    maxSeconds = MAX_COLLECT_S,
  ) {
    this.#end = performance.now() + maxSeconds * 1000;
  }

  get calls(): number {
    return this.#calls;
  }

  get evidence(): readonly Evidence[] {
    return this.dispatcher.evidence();
  }

  has(tool: string): boolean {
    return this.dispatcher.tools.some(({ name }) => name === tool);
  }

  /** The answer, or undefined when there is no such tool, no room for the call, or nothing new in it. */
  async ask(tool: string, args: Readonly<Record<string, unknown>>): Promise<Dispatched | undefined> {
    if (!this.has(tool) || this.#calls >= this.maxCalls || performance.now() > this.#end) return undefined;
    this.#calls += 1;
    const answer = await this.dispatcher.call(tool, args);
    return answer.receipt === null || answer.isRepeat ? undefined : answer;
  }
}

/** The newest, the middle and the oldest of a list that is newest first; fewer when they are the same. */
export function spread<T>(newestFirst: readonly T[]): T[] {
  const indexes = [0, Math.floor(newestFirst.length / 2), newestFirst.length - 1];
  return [...new Set(indexes)].flatMap((index) => newestFirst[index] ?? []);
}
