import { createHash } from 'node:crypto';
import { appendFileSync, mkdirSync } from 'node:fs';
import { appendFile, mkdir, open, readFile, rename } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { parseJson } from '../../foreign/json.js';
import { type ModelFile, parseModelFile } from './model-file.js';
import { type OutcomeRow, parseOutcomeRow } from './outcome-row.js';
import type { TrainedModel } from './trained-model.js';

/** What rx remembers between runs, in `<state dir>/rx` (spec 06 F.7.7). */
export interface Memory {
  readonly outcomes: readonly OutcomeRow[];
  /** Lines of the log that could not be read. */
  readonly torn_lines: number;
  readonly model: TrainedModel | null;
  /** Why a model that exists is not used. */
  readonly model_problem?: string;
}

const PRIVATE_FILE = 0o600;
const PRIVATE_DIR = 0o700;
/** Only the newest part of a longer log is read. */
const MAX_LOG_BYTES = 32 * 1024 * 1024;

export function outcomesPath(stateDir: string): string {
  return join(stateDir, 'rx', 'outcomes.jsonl');
}

export function modelPath(stateDir: string): string {
  return join(stateDir, 'rx', 'model.json');
}

/** Reads the memory; missing files are an empty memory, a damaged model a reason. */
export async function readMemory(stateDir: string): Promise<Memory> {
  const log = (await readTail(outcomesPath(stateDir), MAX_LOG_BYTES)) ?? '';
  const lines = log.split('\n').filter((line) => line.trim() !== '');
  const outcomes = lines.flatMap((line) => parseOutcomeRow(jsonOf(line)) ?? []);
  const text = await readTail(modelPath(stateDir), MAX_LOG_BYTES);
  const base = { outcomes, torn_lines: lines.length - outcomes.length };
  if (text === null) return { ...base, model: null };
  const read = parseModelFile(jsonOf(text));
  return read.ok ? { ...base, model: read.model } : { ...base, model: null, model_problem: read.reason };
}

/** Appends outcomes in one write. */
export async function appendOutcomes(stateDir: string, rows: readonly OutcomeRow[]): Promise<void> {
  if (rows.length === 0) return;
  const path = outcomesPath(stateDir);
  await mkdir(dirname(path), { recursive: true, mode: PRIVATE_DIR });
  await appendFile(path, serialise(rows), { mode: PRIVATE_FILE });
}

/** The same, at once, for a caller that must have written before it goes on. */
export function appendOutcomeSync(stateDir: string, row: OutcomeRow): void {
  const path = outcomesPath(stateDir);
  mkdirSync(dirname(path), { recursive: true, mode: PRIVATE_DIR });
  appendFileSync(path, serialise([row]), { mode: PRIVATE_FILE });
}

/** Replaces the model file atomically. */
export async function writeModel(stateDir: string, model: ModelFile): Promise<void> {
  const path = modelPath(stateDir);
  await mkdir(dirname(path), { recursive: true, mode: PRIVATE_DIR });
  const temporary = `${path}.${process.pid}.tmp`;
  const file = await open(temporary, 'w', PRIVATE_FILE);
  try {
    await file.writeFile(`${JSON.stringify(model, null, 2)}\n`);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(temporary, path);
}

/** Identifies the rows that a model was fitted on. */
export function hashRows(rows: readonly unknown[]): string {
  return createHash('sha256').update(JSON.stringify(rows)).digest('hex');
}

/** Begins with a newline, so that a line which a crash left unfinished does not take the next one with it. */
function serialise(rows: readonly OutcomeRow[]): string {
  return `\n${rows.map((row) => `${JSON.stringify(row)}\n`).join('')}`;
}

/** The last bytes of a file, from a line's start; null when it does not exist. */
async function readTail(path: string, maxBytes: number): Promise<string | null> {
  const bytes = await readFile(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw error;
  });
  if (bytes === null || bytes.length <= maxBytes) return bytes?.toString('utf8') ?? null;
  const tail = bytes.subarray(bytes.length - maxBytes);
  return tail.subarray(tail.indexOf(0x0a) + 1).toString('utf8');
}

function jsonOf(text: string): unknown {
  const parsed = parseJson(text);
  return parsed.ok ? parsed.value : undefined;
}
