import { finiteNumber, type Json, type JsonObject, objectsOf, text } from '../../foreign/json.js';
import type { LogLine } from './records.js';

/** What an engine said about its queue at one moment (spec 04 §11, `engine_progress`). */
export type EngineSample = {
  /** Unix s. */
  readonly unix: number;
  /** Requests. */
  readonly running: number | null;
  readonly waiting: number | null;
  readonly gen_tokens_s: number | null;
  readonly prompt_tokens_s: number | null;
};

export type EngineRecord = {
  /** The log's name. */
  readonly log: string;
  readonly engine: 'vllm' | 'sglang';
  readonly ever_generated: boolean;
  /** Oldest first. */
  readonly samples: readonly EngineSample[];
};

const MAX_SAMPLES = 20;
/** Samples closer than this add nothing, s. */
const MIN_DISTANCE_S = 5;

const VLLM =
  /Avg prompt throughput: ([\d.]{1,16}) tokens\/s, Avg generation throughput: ([\d.]{1,16}) tokens\/s, Running: (\d{1,9}) reqs?, Waiting: (\d{1,9}) reqs?/;
const SGLANG_DECODE =
  /Decode batch[.,].{0,400}?#running-req: (\d{1,9}).{0,400}?gen throughput \(token\/s\): ([\d.]{1,16})(?:.{0,200}?#queue-req: (\d{1,9}))?/;
const SGLANG_PREFILL =
  /Prefill batch[.,].{0,400}?#new-token: (\d{1,9}).{0,400}?#running-req: (\d{1,9})(?:.{0,200}?#queue-req: (\d{1,9}))?/;
const CLOCK = /(?:(\d{4})-)?(\d{2})-(\d{2})[T ](\d{2}):(\d{2}):(\d{2})/;

interface Unplaced extends Omit<EngineSample, 'unix'> {
  readonly engine: EngineRecord['engine'];
  /** The line's own clock, s from some origin; null without one. */
  readonly clock: number | null;
}

/**
 * Adds the samples of newly read lines to what is known of an engine.
 *
 * The clocks of log lines lack the time zone, sometimes the year; the last line was written when the file was, which places
 * all the others.
 */
export function withSamples(
  before: EngineRecord | undefined,
  log: string,
  lines: readonly LogLine[],
  mtimeUnix: number,
): EngineRecord | undefined {
  const found = lines.flatMap((line) => parseSample(line.text) ?? []);
  const engine = found.at(-1)?.engine ?? before?.engine;
  if (engine === undefined) return undefined;
  const lastClock = lines.reduce<number | null>((last, line) => clockOf(line.text) ?? last, null);
  const placed = found.flatMap(({ engine: _engine, clock, ...sample }): EngineSample[] => {
    const unix = clock === null || lastClock === null ? mtimeUnix : mtimeUnix - (lastClock - clock);
    return clock !== null && lastClock !== null && clock > lastClock ? [] : [{ unix, ...sample }];
  });
  const samples = thinned([...(before?.samples ?? []), ...placed]);
  const generated = [...samples, ...placed].some((sample) => (sample.gen_tokens_s ?? 0) > 0);
  return { log, engine, ever_generated: (before?.ever_generated ?? false) || generated, samples };
}

/** Records of `sources.engines`; foreign ones are dropped. */
export function parseEngines(value: Json | undefined): EngineRecord[] {
  return objectsOf(value).flatMap((item) => {
    const log = text(item['log']);
    const engine = item['engine'];
    if (log === undefined || (engine !== 'vllm' && engine !== 'sglang')) return [];
    const samples = objectsOf(item['samples']).flatMap(parseStored);
    return [
      { log, engine, ever_generated: item['ever_generated'] === true, samples: samples.slice(-MAX_SAMPLES) },
    ];
  });
}

function parseStored(item: JsonObject): EngineSample[] {
  const unix = finiteNumber(item['unix']);
  if (unix === undefined) return [];
  const number = (key: string) => finiteNumber(item[key]) ?? null;
  return [
    {
      unix,
      running: number('running'),
      waiting: number('waiting'),
      gen_tokens_s: number('gen_tokens_s'),
      prompt_tokens_s: number('prompt_tokens_s'),
    },
  ];
}

/** One line of statistics, undefined for any other line. */
export function parseSample(line: string): Unplaced | undefined {
  if (!line.includes('throughput') && !line.includes('Prefill batch')) return undefined;
  const clock = clockOf(line);
  const vllm = VLLM.exec(line);
  if (vllm !== null) {
    const [, prompt, generation, running, waiting] = vllm;
    return {
      engine: 'vllm',
      clock,
      running: numberOf(running),
      waiting: numberOf(waiting),
      gen_tokens_s: numberOf(generation),
      prompt_tokens_s: numberOf(prompt),
    };
  }
  const decode = SGLANG_DECODE.exec(line);
  if (decode !== null) {
    const [, running, generation, waiting] = decode;
    const tokens = { gen_tokens_s: numberOf(generation), prompt_tokens_s: null };
    return { engine: 'sglang', clock, running: numberOf(running), waiting: numberOf(waiting), ...tokens };
  }
  const prefill = SGLANG_PREFILL.exec(line);
  if (prefill === null) return undefined;
  const [, , running, waiting] = prefill;
  // A prefill tells how many tokens, not how fast; that it happens is progress, so nothing here reads as zero.
  return {
    engine: 'sglang',
    clock,
    running: numberOf(running),
    waiting: numberOf(waiting),
    gen_tokens_s: null,
    prompt_tokens_s: null,
  };
}

/** The clock that a line begins with, s from an origin of its own; null without one. */
export function clockOf(line: string): number | null {
  const found = CLOCK.exec(line.slice(0, 200));
  if (found === null) return null;
  const [, year, month, day, hour, minute, second] = found.map(Number);
  const date = Date.UTC(
    Number.isFinite(year) ? Number(year) : 2000,
    Number(month) - 1,
    Number(day),
    hour,
    minute,
    second,
  );
  return Number.isFinite(date) ? date / 1000 : null;
}

function numberOf(digits: string | undefined): number | null {
  const number = Number(digits);
  return digits !== undefined && Number.isFinite(number) ? number : null;
}

/**
 * In order and at most twenty. Of the stretch in which the engine stands still the samples lie the farther apart the older
 * they are, so that twenty tell of hours; the newest sample that shows it at work is never thinned out.
 */
function thinned(samples: readonly EngineSample[]): EngineSample[] {
  const ordered = [...samples].sort((a, b) => a.unix - b.unix);
  const lastWorking = ordered.findLastIndex((sample) => !standsStill(sample));
  const stretch = ordered.slice(lastWorking + 1);
  const still: EngineSample[] = [];
  for (const sample of stretch.toReversed()) {
    const [newest] = still;
    const next = still.at(-1);
    const distance = newest === undefined ? 0 : Math.max(MIN_DISTANCE_S, (newest.unix - sample.unix) / 3);
    // The first one tells since when, and would otherwise be dropped while the stretch is young.
    const isFirst = sample === stretch[0];
    if (isFirst || next === undefined || next.unix - sample.unix >= distance) still.push(sample);
  }
  const [since, ...others] = still.toReversed();
  const kept = since === undefined ? [] : [since, ...others.slice(2 - MAX_SAMPLES)];
  return [...ordered.slice(0, lastWorking + 1).slice(kept.length - MAX_SAMPLES), ...kept].slice(-MAX_SAMPLES);
}

function standsStill({ waiting, gen_tokens_s, prompt_tokens_s }: EngineSample): boolean {
  return (waiting ?? 0) > 0 && gen_tokens_s === 0 && (prompt_tokens_s ?? 0) === 0;
}
