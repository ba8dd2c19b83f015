import { clockOf, parseSample } from './engine-samples.js';
import type { LogLine, LogRecord } from './records.js';

/** What the rest of a log says of an engine after one of its lines. */
export type Afterwards =
  /** It went on working, so the line was not its end. */
  | 'survived'
  /** It worked until just now; the next look will tell. */
  | 'open'
  | 'unknown';

/** How long an engine that has met its end may go on telling of its work, s. */
const LASTING_S = 30;
/** An engine that needs longer than this was started anew, s. */
const MAX_GAP_S = 90;
/** An engine that works says so every ten seconds or more often, s. */
const JUST_NOW_S = 15;
const ANSWERED = /"POST \/(?:v1\/(?:chat\/)?completions|generate)[^"]{0,80}" 200\b/;
/** Which of several engines a line is of. */
const ENGINE = /\bEngine \d{3}\b|\bDP\d{1,3}\b/;
const STARTED =
  /server_args=|Initializing an? (?:V1 )?LLM engine|vLLM API server version|Started server process|Loading (?:safetensors|pt) checkpoint|Load weight begin/;

interface Mark {
  readonly offset: number;
  readonly kind: 'work' | 'start';
  /** The last clock up to there, s from some origin; null without one. */
  readonly clock: number | null;
}

/**
 * Tells lines that an engine outlived from its last words. Whoever goes on serving is not dead, whatever stands in the log:
 * the text of a request, an attempt that failed and was skipped, a failure that was handled.
 */
export class WorkTrace {
  readonly #marks: readonly Mark[];
  readonly #clocks: readonly { readonly offset: number; readonly clock: number }[];
  readonly #quietS: number;
  /** Of engines that write into one log each outlives what ends another. */
  readonly #isOfSeveral: boolean;

  /** @param quietS how long the log has not been written to, s */
  constructor(lines: readonly LogLine[], quietS: number) {
    const clocks: { offset: number; clock: number }[] = [];
    const engines = new Set<string>();
    this.#marks = lines.flatMap(({ text, offset }): Mark[] => {
      const own = clockOf(text);
      if (own !== null) clocks.push({ offset, clock: own });
      const clock = clocks.at(-1)?.clock ?? null;
      if (STARTED.test(text)) return [{ offset, kind: 'start', clock }];
      if (!isWork(text)) return [];
      const engine = ENGINE.exec(text)?.[0];
      if (engine !== undefined) engines.add(engine);
      return [{ offset, kind: 'work', clock }];
    });
    this.#clocks = clocks;
    this.#isOfSeveral = engines.size > 1;
    this.#quietS = quietS;
  }

  /** @param mayWait false when it was `open` at the last look, and must not be so again */
  after(record: LogRecord, mayWait: boolean): Afterwards {
    const end = record.lines.at(-1)?.offset ?? record.offset;
    const then = this.#clockAt(record.offset);
    if (this.#isOfSeveral) return 'unknown';
    const after = this.#marks.filter(({ offset }) => offset > end);
    const start = after.findIndex(({ kind }) => kind === 'start');
    const stretch = start === -1 ? after : after.slice(0, start);
    if (isLasting(stretch, then)) return 'survived';
    if (start !== -1 || !mayWait || this.#quietS > JUST_NOW_S) return 'unknown';
    const newest = this.#marks.at(-1);
    const latest = this.#clocks.at(-1)?.clock ?? null;
    const isFresh = newest !== undefined && sinceOr(newest.clock, latest, 0) <= JUST_NOW_S;
    return newest?.kind === 'work' && isFresh ? 'open' : 'unknown';
  }

  #clockAt(offset: number): number | null {
    return this.#clocks.findLast((each) => each.offset <= offset)?.clock ?? null;
  }
}

/** Work that begins soon after the line and goes on for longer than an engine takes to die. */
function isLasting(stretch: readonly Mark[], then: number | null): boolean {
  const [first] = stretch;
  const last = stretch.at(-1);
  if (first === undefined || last === undefined) return false;
  if (then === null || first.clock === null || last.clock === null) return stretch.length >= 2;
  return first.clock - then <= MAX_GAP_S && last.clock - then >= LASTING_S;
}

function sinceOr(from: number | null, to: number | null, otherwise: number): number {
  return from === null || to === null ? otherwise : to - from;
}

/** Statistics of an idle engine show that somebody counts, not that it works: a hung one has them as well. */
function isWork(text: string): boolean {
  if (ANSWERED.test(text)) return true;
  const sample = parseSample(text);
  if (sample === undefined) return false;
  if (sample.engine === 'sglang' && sample.gen_tokens_s === null) return true;
  return (sample.gen_tokens_s ?? 0) > 0 || (sample.prompt_tokens_s ?? 0) > 0;
}
