import { stripControls, wellFormed } from '../../foreign/hygiene.js';
import { objectOr } from '../../foreign/json.js';
import { lazy } from '../../foreign/lazy.js';
import { redactText, secretValues } from '../../foreign/redact.js';
import type { Collector, CollectorAnswer, CollectorEnv, CollectorVerdict } from '../collector.js';
import { breathe } from '../tools/breathe.js';
import type { Stop } from '../tools/stop.js';
import { candidateLogs, type LogFile } from './candidates.js';
import { type LogCursor, mergeCursors, parseLogCursor } from './cursor.js';
import { type EngineRecord, parseEngines, withSamples } from './engine-samples.js';
import { deliveredHits, HitCollector, hitsToRemember, rememberedHits } from './hits.js';
import { judgeNew } from './judge-new.js';
import { LogJudge } from './judge-record.js';
import { type LogReading, readLog } from './read-log.js';
import type { LogRecord } from './records.js';

const MAX_CURSORS = 200;
const MAX_ENGINES = 32;
/** A log that has been quiet for longer is no news at first sight, s. */
const STALE_AFTER_S = 1800;
/** Cheap sign that a line may hold a credential. */
const MAY_HOLD_SECRET = /key|token|secret|passw|auth|bearer|sk-|hf_|ghp_|AKIA|:\/\//i;

/** Server logs and the Coordinator's own: failures in what is new, tails, samples of engines (spec 02 §5.7, 5.8, 10.7). */
export const logsCollector: Collector = {
  names: ['logs'],
  hostBound: false,
  needs: ['state'],
  budgetMs: () => 2000,
  whenUnknown: { local_log_tail: [], local_log_errors: [], local_engine: null },
  collect,
};

async function collect(env: CollectorEnv, signal: Stop): Promise<CollectorAnswer> {
  const { config, memory, nowUnix } = env;
  const cursors = objectOr(memory['log_cursors']);
  const remembered = rememberedHits(memory['log_hits'], nowUnix);
  const redact = lineRedactor(env.env);
  const collected = new HitCollector(remembered, nowUnix, redact);
  const judge = new LogJudge(config.log_error_patterns);
  const engines = new Map(parseEngines(memory['engines']).map((record) => [record.log, record]));
  const moved = new Map<string, LogCursor>();
  const tail: string[] = [];
  const refused: string[] = [];

  const files = await candidateLogs(env, signal);
  for (const file of files) {
    await breathe(signal);
    const cursor = parseLogCursor(cursors[file.name]);
    const reading = readLog(file, cursor, config.log_tail_lines, nowUnix, STALE_AFTER_S, (read) =>
      judgeNew(collected, judge, read, file),
    );
    if (!reading.ok) {
      if (reading.reason !== 'missing') refused.push(`${file.name}: ${reading.detail}`);
      continue;
    }
    moved.set(file.name, reading.cursor);
    judgeRotated(collected, judge, reading.rotated, file);
    tail.push(...reading.tail.map((line) => `[${file.name}] ${redact(wellFormed(stripControls(line)))}`));
    sampleEngine(engines, file, reading);
  }

  const hits = collected.hits;
  return {
    verdicts: { logs: verdictOf(files.length, refused) },
    slots: {
      local_log_tail: tail,
      local_log_errors: deliveredHits(hits, remembered),
      local_engine: [...engines.values()].filter((record) => moved.has(record.log)),
    },
    memory: {
      log_cursors: mergeCursors(cursors, moved, MAX_CURSORS),
      log_hits: hitsToRemember(hits, remembered),
      engines: [...engines.values()].sort((a, b) => lastUnix(b) - lastUnix(a)).slice(0, MAX_ENGINES),
    },
  };
}

function judgeRotated(
  collected: HitCollector,
  judge: LogJudge,
  records: readonly LogRecord[],
  { name: file }: LogFile,
): void {
  for (const record of records) {
    const finding = judge.judge(record);
    if (finding === undefined) continue;
    collected.add(finding, { file, offset: record.offset, isReplaced: false, survived: false });
  }
}

function sampleEngine(engines: Map<string, EngineRecord>, file: LogFile, reading: LogReading): void {
  if (!file.isServerLog) return;
  const before = reading.isReplaced ? undefined : engines.get(file.name);
  const record = withSamples(before, file.name, reading.lines, reading.cursor.mtime);
  if (record === undefined) engines.delete(file.name);
  else engines.set(file.name, record);
}

function lineRedactor(env: CollectorEnv['env']): (line: string) => string {
  const secrets = lazy(() => secretValues(env));
  return (line) => {
    const isSuspect = MAY_HOLD_SECRET.test(line) || secrets().some((secret) => line.includes(secret));
    return isSuspect ? redactText(line, { secrets: secrets(), query: 'all' }) : line;
  };
}

function verdictOf(files: number, refused: readonly string[]): CollectorVerdict {
  const detail = refused.slice(0, 3).join('; ');
  if (files === 0) return { status: 'empty', detail };
  if (refused.length === files) return { status: 'unknown', reason: 'permission', detail };
  return { status: 'ok', detail };
}

function lastUnix(record: EngineRecord): number {
  return record.samples.at(-1)?.unix ?? 0;
}
