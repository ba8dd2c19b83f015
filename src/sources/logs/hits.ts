import { cutCodePoints, stripControls, wellFormed } from '../../foreign/hygiene.js';
import { finiteNumber, isObject, type Json, type JsonObject, objectsOf, text } from '../../foreign/json.js';
import { lazy } from '../../foreign/lazy.js';
import { type LogRole, logDetectors } from './detectors.js';
import type { LogFinding } from './judge-record.js';

/** A hit as it is remembered and delivered; wire shape of `sources.log_hits` (spec 02 §11). */
export type LogHit = {
  /** Identifier of the detector, byte for byte. */
  readonly pattern: string;
  /** With the log's tag, redacted. */
  readonly line: string;
  readonly file: string;
  /** Bytes. */
  readonly offset: number;
  readonly first_seen_unix: number;
  readonly role: LogRole;
  readonly oom: JsonObject | null;
  /** The engine whose log it is went on working after it. */
  readonly survived: boolean;
};

const LINE_LENGTH = 240;
const MAX_HITS = 200;
/** How long a hit is delivered beside new ones, s. */
const REMEMBERED_S = 1800;
/** Hits of one pattern in one log and look; more of the same say nothing more. */
const MAX_SAME = 20;

const roles = lazy(() => new Map(logDetectors().map(({ identifier, role }) => [identifier, role])));

/** Hits that were seen before, without those that are too old by now. */
export function rememberedHits(value: Json | undefined, nowUnix: number): LogHit[] {
  return objectsOf(value).flatMap((item) => {
    const pattern = text(item['pattern']);
    const line = text(item['line']);
    const file = text(item['file']);
    const offset = finiteNumber(item['offset']);
    const since = finiteNumber(item['first_seen_unix']);
    if (pattern === undefined || line === undefined || file === undefined) return [];
    if (offset === undefined || since === undefined || nowUnix - since >= REMEMBERED_S) return [];
    const oom = isObject(item['oom']) ? item['oom'] : null;
    const role = roles().get(pattern) ?? 'root';
    return [
      { pattern, line, file, offset, first_seen_unix: since, role, oom, survived: item['survived'] === true },
    ];
  });
}

/** Where a finding stands. */
export interface LogPlace {
  /** The log's name. */
  readonly file: string;
  /** Bytes. */
  readonly offset: number;
  readonly isReplaced: boolean;
  readonly survived: boolean;
}

/** Collects the hits of one look. */
export class HitCollector {
  readonly #known: ReadonlySet<string>;
  readonly #counts = new Map<string, number>();
  readonly #nowUnix: number;
  readonly #redact: (line: string) => string;
  readonly hits: LogHit[] = [];

  constructor(remembered: readonly LogHit[], nowUnix: number, redact: (line: string) => string) {
    this.#known = new Set(remembered.map(({ file, offset, pattern }) => keyOf(file, offset, pattern)));
    this.#nowUnix = nowUnix;
    this.#redact = redact;
  }

  /** @param isReplaced the file is another one than before, so its positions mean something else */
  add(finding: LogFinding, { file, offset, isReplaced, survived }: LogPlace): void {
    const { identifier, role, oom } = finding;
    if (!isReplaced && this.#known.has(keyOf(file, offset, identifier))) return;
    const same = `${file}\u0000${identifier}`;
    const count = (this.#counts.get(same) ?? 0) + 1;
    this.#counts.set(same, count);
    if (count > MAX_SAME || this.hits.length >= MAX_HITS) return;
    const line = cutCodePoints(
      `[${file}] ${this.#redact(wellFormed(stripControls(finding.text)))}`,
      LINE_LENGTH,
    );
    const first_seen_unix = this.#nowUnix;
    this.hits.push({ pattern: identifier, line, file, offset, first_seen_unix, role, oom, survived });
  }
}

/** Slot `local_log_errors`: this look's hits and those that are remembered. */
export function deliveredHits(fresh: readonly LogHit[], remembered: readonly LogHit[]): JsonObject[] {
  const isNew = (hits: readonly LogHit[], value: boolean): JsonObject[] =>
    hits.map(({ oom, survived, ...hit }) => ({
      ...hit,
      new: value,
      ...(oom === null ? {} : { oom }),
      ...(survived ? { survived } : {}),
    }));
  return [...isNew(fresh, true), ...isNew(remembered, false)];
}

/** `sources.log_hits`: the newest. */
export function hitsToRemember(fresh: readonly LogHit[], remembered: readonly LogHit[]): readonly LogHit[] {
  return [...fresh, ...remembered].slice(0, MAX_HITS);
}

function keyOf(file: string, offset: number, pattern: string): string {
  return `${file}\u0000${offset}\u0000${pattern}`;
}
