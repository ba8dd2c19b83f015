import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { isRecord, type Json, type JsonRecord, parseJson, recordOr } from './json.js';
import { type Redact, redactTree } from './redaction.js';

/** What is recorded (spec 07 B15). */
export type CassetteKind = 'http' | 'llm' | 'session' | 'snapshot' | 'sandbox' | 'clock' | 'random';

const KINDS: ReadonlySet<string> = new Set([
  'http',
  'llm',
  'session',
  'snapshot',
  'sandbox',
  'clock',
  'random',
]);
const SCHEMA_VERSION = 1;
const MAX_MISSES = 50;
const MAX_SHOWN = 200;

/** First line of a cassette. */
export interface CassetteHeader {
  readonly created_unix: number;
  readonly mode: string;
  readonly versions: Readonly<Record<string, string>>;
}

/** Takes all recordings of one run. */
export interface CassetteWriter {
  /** Appends one entry; a failed write is counted, never thrown into the run. */
  record(kind: CassetteKind, key: string, request: Json, response: Json): void;
  /** Why entries are missing; empty when none is. */
  problems(): readonly string[];
}

/** Gives recordings back; equal keys in recorded order, the last one again and again. */
export interface CassetteReader {
  readonly header: CassetteHeader;
  take(
    kind: CassetteKind,
    key: string,
  ): { readonly ok: true; readonly response: Json } | { readonly ok: false };
  /** True when something of this name was recorded; asking is no miss. */
  has(kind: CassetteKind, key: string): boolean;
  /** What was asked for and is not there, each once. */
  misses(): readonly string[];
}

export type Opened<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly problem: string };

/**
 * Begins a cassette at a path, replacing what is there; readable by the owner alone. Refuses without redaction, because
 * recorded bodies stay.
 */
export function createCassette(
  path: string,
  header: CassetteHeader,
  redact: Redact | null,
): Opened<CassetteWriter> {
  if (redact === null) return { ok: false, problem: 'recording needs redaction, which is off' };
  try {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, line({ schema_version: SCHEMA_VERSION, ...header }), { mode: 0o600 });
  } catch (error) {
    return { ok: false, problem: `the cassette cannot be written: ${String(error)}` };
  }
  let seq = 0;
  const problems: string[] = [];
  return {
    ok: true,
    value: {
      record(kind, key, request, response) {
        seq += 1;
        const entry = {
          seq,
          kind,
          // A replay asks with what was masked before it got into the arguments.
          key: redact(key),
          request: redactTree(request, redact),
          response: redactTree(response, redact),
        };
        try {
          // One call per line, so that no reader and no crash sees half of one.
          appendFileSync(path, line(entry));
        } catch (error) {
          if (problems.length < 10) problems.push(`entry ${seq} was not written: ${String(error)}`);
        }
      },
      problems: () => problems,
    },
  };
}

/** Reads a whole cassette; one malformed line refuses it, because a gap would make a replay lie. */
export function readCassette(source: string): Opened<CassetteReader> {
  const [first = '', ...rest] = source.split('\n').filter((text) => text.trim() !== '');
  const header = parseHeader(first);
  if (!header) return { ok: false, problem: `line 1 is no header of schema version ${SCHEMA_VERSION}` };
  const answers = new Map<string, Json[]>();
  for (const [index, text] of rest.entries()) {
    const entry = parseEntry(text);
    if (!entry) return { ok: false, problem: `line ${index + 2} is no cassette entry` };
    const list = answers.get(entry.id) ?? [];
    list.push(entry.response);
    answers.set(entry.id, list);
  }
  const misses = new Set<string>();
  return {
    ok: true,
    value: {
      header,
      take(kind, key) {
        const list = answers.get(idOf(kind, key));
        const response = list && list.length > 1 ? list.shift() : list?.[0];
        if (response !== undefined) return { ok: true, response };
        if (misses.size < MAX_MISSES) misses.add(idOf(kind, key).slice(0, MAX_SHOWN));
        return { ok: false };
      },
      has: (kind, key) => answers.has(idOf(kind, key)),
      misses: () => [...misses],
    },
  };
}

function line(value: JsonRecord): string {
  return `${JSON.stringify(value)}\n`;
}

function idOf(kind: string, key: string): string {
  return `${kind} ${key}`;
}

function parseHeader(text: string): CassetteHeader | null {
  const json = parseJson(text);
  if (!json.ok || !isRecord(json.value) || json.value['schema_version'] !== SCHEMA_VERSION) return null;
  const { created_unix, mode, versions } = json.value;
  if (typeof created_unix !== 'number' || typeof mode !== 'string') return null;
  const texts = Object.entries(recordOr(versions)).flatMap(([name, value]) =>
    typeof value === 'string' ? [[name, value] as const] : [],
  );
  return { created_unix, mode, versions: Object.fromEntries(texts) };
}

function parseEntry(text: string): { id: string; response: Json } | null {
  const json = parseJson(text);
  if (!json.ok || !isRecord(json.value)) return null;
  const { kind, key, response } = json.value;
  if (typeof kind !== 'string' || !KINDS.has(kind) || typeof key !== 'string' || response === undefined)
    return null;
  return { id: idOf(kind, key), response };
}
