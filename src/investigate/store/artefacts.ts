import {
  appendFileSync,
  chmodSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { finiteNumber, isObject, type JsonObject, objectOr, parseJson, text } from '../../foreign/json.js';
import { statOf } from '../../foreign/stat.js';
import { replaceFile } from '../../foreign/write-file.js';
import { readTextBounded } from '../../sources/tools/read-file.js';
import type { LedgerSink } from '../ledger/dispatcher.js';
import { CANCELLED, type HealResult } from '../model/heal-result.js';
import type { Receipt } from '../model/receipt.js';
import { ID_PATTERN } from './paths.js';

/** One line of `index.jsonl` (spec 07 B2). */
export type IndexLine = {
  readonly investigation_id: string;
  readonly created_unix: number;
  readonly key: string | null;
  readonly mode: string;
  readonly error_type: string;
  readonly subject: string | null;
  readonly confidence: number;
  readonly confidence_level: string;
  readonly duration_s: number;
};

/** The files of one investigation. */
export interface Artefacts extends LedgerSink {
  readonly directory: string;
  /** Marks the run as going on, so that ticks leave its finding alone (spec 07 B1). */
  begin(key: string | null): void;
  transcript(entry: JsonObject): void;
  /** Without a line the result is kept but counts as none. */
  finish(result: HealResult, line: IndexLine | null): void;
  /** Files that could not be written; the investigation goes on without them. */
  problems(): readonly string[];
}

const FILE = { mode: 0o600 } as const;
const DIRECTORY = { mode: 0o700, recursive: true } as const;
const MAX_INDEX_BYTES = 1024 * 1024;
const MAX_RESULT_BYTES = 8 * 1024 * 1024;

/** Begins the files of one investigation below `root`. */
export function createArtefacts(root: string, id: string, keep: number): Artefacts {
  const directory = join(root, id);
  const problems: string[] = [];
  const attempt = (what: string, write: () => void): void => {
    try {
      write();
    } catch (error) {
      if (problems.length < 10) problems.push(`${what} could not be written: ${String(error)}`);
    }
  };
  attempt('the directory', () => {
    mkdirSync(join(directory, 'payloads'), DIRECTORY);
    chmodSync(root, 0o700);
  });
  const mark = join(directory, 'running.json');
  return {
    directory,
    begin: (key) =>
      attempt('the mark of a running investigation', () =>
        writeFileSync(mark, JSON.stringify({ key, pid: process.pid, start_unix: Date.now() / 1000 }), FILE),
      ),
    receipt: (receipt) =>
      attempt('a receipt', () => appendFileSync(join(directory, 'receipts.jsonl'), line(receipt), FILE)),
    payload: (receiptId, json) =>
      attempt('a result', () => writeFileSync(join(directory, 'payloads', `${receiptId}.json`), json, FILE)),
    transcript: (entry) =>
      attempt('the transcript', () => appendFileSync(join(directory, 'transcript.jsonl'), line(entry), FILE)),
    finish: (result, indexLine) =>
      attempt('the result', () => {
        const temporary = join(directory, '.result.json.tmp');
        writeFileSync(temporary, `${JSON.stringify(result, null, 1)}\n`, FILE);
        renameSync(temporary, join(directory, 'result.json'));
        if (indexLine !== null) appendIndex(root, indexLine);
        rmSync(mark, { force: true });
        removeOld(root, keep);
      }),
    problems: () => problems,
  };
}

/** Adds a line; what was said about runs long removed goes once the file is large. */
function appendIndex(root: string, indexLine: IndexLine): void {
  const path = join(root, 'index.jsonl');
  appendFileSync(path, line(indexLine), FILE);
  if ((statOf(path)?.size ?? 0) <= MAX_INDEX_BYTES) return;
  const newest = readTail(path, MAX_INDEX_BYTES / 2);
  replaceFile(path, newest.slice(newest.indexOf('\n') + 1), { isPrivate: true });
}

/** A past investigation as the directory shows it. */
export interface Past {
  readonly id: string;
  readonly createdUnix: number;
  readonly state: 'done' | 'aborted' | 'cancelled';
  readonly line: IndexLine | null;
}

/** Past investigations, newest first; one without a result was aborted. */
export function listPast(root: string, running: ReadonlySet<string> = new Set()): Past[] {
  const lines = new Map(readIndex(root).map((entry) => [entry.investigation_id, entry]));
  return idsIn(root)
    .filter((id) => !running.has(id))
    .map((id) => {
      const indexed = lines.get(id) ?? null;
      const state = indexed === null ? stateOf(root, id) : ('done' as const);
      return { id, createdUnix: Number(id.split('-')[1]), state, line: indexed };
    })
    .sort((a, b) => b.createdUnix - a.createdUnix || (a.id < b.id ? 1 : -1));
}

/** What became of a run that the index does not name. */
function stateOf(root: string, id: string): Past['state'] {
  const source = readResult(root, id);
  if (source === undefined) return 'aborted';
  const parsed = parseJson(source);
  const budget = objectOr(parsed.ok ? objectOr(parsed.value)['budget'] : {});
  return budget['exhausted'] === CANCELLED ? 'cancelled' : 'done';
}

/** The lines of the index; those that are none are skipped. */
export function readIndex(root: string): IndexLine[] {
  return readTail(join(root, 'index.jsonl'), MAX_INDEX_BYTES)
    .split('\n')
    .flatMap((source) => {
      const parsed = parseJson(source);
      return parsed.ok && isObject(parsed.value) ? indexLine(parsed.value) : [];
    });
}

/** A stored result as text, or undefined. */
export function readResult(root: string, id: string): string | undefined {
  if (!ID_PATTERN.test(id)) return undefined;
  const file = readTextBounded(join(root, id, 'result.json'), { maxBytes: MAX_RESULT_BYTES });
  return file.ok && file.text !== '' ? file.text : undefined;
}

function indexLine(row: JsonObject): IndexLine[] {
  const id = text(row['investigation_id']);
  if (id === undefined || !ID_PATTERN.test(id)) return [];
  return [
    {
      investigation_id: id,
      created_unix: finiteNumber(row['created_unix']) ?? 0,
      key: text(row['key']) ?? null,
      mode: text(row['mode']) ?? '',
      error_type: text(row['error_type']) ?? 'unknown',
      subject: text(row['subject']) ?? null,
      confidence: finiteNumber(row['confidence']) ?? 0,
      confidence_level: text(row['confidence_level']) ?? 'low',
      duration_s: finiteNumber(row['duration_s']) ?? 0,
    },
  ];
}

function removeOld(root: string, keep: number): void {
  const ids = idsIn(root).sort(
    (a, b) => Number(b.split('-')[1]) - Number(a.split('-')[1]) || (a < b ? 1 : -1),
  );
  for (const id of ids.slice(Math.max(1, keep))) rmSync(join(root, id), { recursive: true, force: true });
}

function idsIn(root: string): string[] {
  try {
    return readdirSync(root).filter((name) => ID_PATTERN.test(name));
  } catch {
    // Nothing was ever investigated here.
    return [];
  }
}

function readTail(path: string, maxBytes: number): string {
  const file = readTextBounded(path, { maxBytes, oversize: 'tail' });
  return file.ok ? file.text : '';
}

function line(value: Receipt | IndexLine | JsonObject): string {
  return `${JSON.stringify(value)}\n`;
}
