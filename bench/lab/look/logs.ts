import { finiteNumber, type JsonObject, objectOr } from '../../../src/foreign/json.js';
import { type EngineRecord, parseEngines, withSamples } from '../../../src/sources/logs/engine-samples.js';
import {
  deliveredHits,
  HitCollector,
  hitsToRemember,
  rememberedHits,
} from '../../../src/sources/logs/hits.js';
import { judgeNew } from '../../../src/sources/logs/judge-new.js';
import { LogJudge } from '../../../src/sources/logs/judge-record.js';
import { joinRecords } from '../../../src/sources/logs/records.js';
import type { LabLog } from '../world/types.js';
import type { LabWorld } from '../world/world.js';
import type { Look } from './look.js';

const JUDGE = new LogJudge([]);
/** Every line is taken to be as long. */
const LINE_BYTES = 128;
/** A log that has been quiet for longer is no news at first sight, s. */
const STALE_AFTER_S = 1800;
/** A log that nobody writes is read no more after this, s. */
const FORGOTTEN_AFTER_S = 4 * 3600;

/** Failures in what the logs gained, judged by the product's own records, detectors and memory; engine samples likewise. */
export function lookAtLogs(world: LabWorld, memory: JsonObject): Look {
  const cursors = objectOr(memory['log_cursors']);
  const remembered = rememberedHits(memory['log_hits'], world.now);
  const hits = new HitCollector(remembered, world.now, (line) => line);
  const engines = new Map(parseEngines(memory['engines']).map((record) => [record.log, record]));
  const seen = new Set<string>();
  const next: Record<string, number> = {};
  const tail: string[] = [];
  for (const log of world.logs.values()) {
    const newest = log.lines.at(-1)?.at ?? 0;
    if (world.now - newest > FORGOTTEN_AFTER_S) continue;
    const from = finiteNumber(cursors[log.name]);
    next[log.name] = log.lines.length;
    seen.add(log.name);
    tail.push(...log.lines.slice(-3).map(({ text }) => `[${log.name}] ${text}`));
    if (from === undefined && world.now - newest > STALE_AFTER_S) continue;
    // A log that has shrunk was rotated and starts anew.
    const start = from === undefined || from > log.lines.length ? 0 : from;
    next[log.name] = readLog(log, { start, isResumed: start === from, now: world.now }, hits, engines);
  }
  const living = [...engines.values()].filter((record) => seen.has(record.log) && serves(world, record));
  return {
    slots: {
      local_log_tail: tail,
      local_log_errors: deliveredHits(hits.hits, remembered),
      local_engine: living,
    },
    memory: {
      log_cursors: next,
      log_hits: hitsToRemember(hits.hits, remembered),
      engines: [...engines.values()].slice(-32),
    },
  };
}

/** Gives the line from which the next look goes on. */
function readLog(
  log: LabLog,
  { start, isResumed, now }: { readonly start: number; readonly isResumed: boolean; readonly now: number },
  hits: HitCollector,
  engines: Map<string, EngineRecord>,
): number {
  const fresh = log.lines.slice(start);
  if (fresh.length === 0) return start;
  const lines = fresh.map(({ text }, index) => ({ text, offset: (start + index) * LINE_BYTES }));
  const newest = fresh.at(-1)?.at ?? 0;
  const again = judgeNew(
    hits,
    JUDGE,
    {
      records: joinRecords(lines),
      lines,
      isReplaced: false,
      resumedAt: isResumed ? start * LINE_BYTES : null,
      quietS: now - newest,
      mayReadAgain: () => true,
    },
    log,
  );
  if (log.isServerLog) {
    const record = withSamples(engines.get(log.name), log.name, lines, newest);
    if (record !== undefined) engines.set(log.name, record);
  }
  return again === undefined ? log.lines.length : again / LINE_BYTES;
}

/** Only of a living server of ours an engine's words are about now. */
function serves({ processes, sessionDir }: LabWorld, { log, samples }: EngineRecord): boolean {
  const servers = processes.filter((process) => process.isServer && process.owned === true);
  const newest = samples.at(-1)?.unix ?? 0;
  const old = servers.filter(({ startedAt }) => startedAt <= newest + 5);
  const directory = `${sessionDir}/${log}`.replace(/\/[^/]*$/, '');
  return old.some(({ cwd }) => cwd === directory) || (old.length > 0 && servers.length === 1);
}
