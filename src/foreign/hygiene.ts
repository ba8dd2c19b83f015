import type { Json, JsonObject } from './json.js';
import { lazy } from './lazy.js';

/** Bounds of a cleaned value. */
export interface CleanLimits {
  /** Code points of one string. */
  readonly text: number;
  /** Items of one list. */
  readonly items: number;
  /** Keys of one object. */
  readonly keys: number;
  /** Levels of lists and objects, the outermost counted as 1; what is deeper becomes null. */
  readonly depth: number;
}

/** Bounds of what leaves the classifier (spec 03 G-5). */
export const SYMPTOM_LIMITS: CleanLimits = { text: 2000, items: 50, keys: 50, depth: 8 };

/** Bounds of what leaves the process (spec 01 §4.4). */
export const OUTGOING_LIMITS: CleanLimits = { text: 2000, items: 50, keys: 64, depth: 8 };

/** Bytes of one evidence object as JSON (spec 01 §4.4). */
export const EVIDENCE_BYTES = 32 * 1024;

/** Room for `"truncated":true,`. */
const MARK_BYTES = 18;

/** Values visited in one object; a tree of 50 items per list and eight levels would otherwise be worth a tick's time. */
const MAX_VALUES = 20_000;

/** Quick to make and to run, and true of few texts; the exact pattern is made for those. */
const SURROGATE = /[\ud800-\udfff]/;
const LONE_SURROGATE = lazy(() => /\p{Surrogate}/gu);
const CONTROLS =
  /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g;
const NOT_EVIDENCE = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028\u2029]/g;
const NOT_ONE_LINE = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/g;

/** Replaces lone surrogates by U+FFFD, so that the text has a UTF-8 form. */
export function wellFormed(text: string): string {
  return SURROGATE.test(text) ? text.replace(LONE_SURROGATE(), '\ufffd') : text;
}

/** The first code points of a text; never half a surrogate pair. */
export function cutCodePoints(text: string, maxCodePoints: number): string {
  if (text.length <= maxCodePoints) return text;
  let units = 0;
  for (let points = 0; points < maxCodePoints && units < text.length; points += 1) {
    const code = text.codePointAt(units) ?? 0;
    units += code > 0xffff ? 2 : 1;
  }
  return text.slice(0, units);
}

/**
 * A foreign text made safe to store (spec 03 G-5): control characters except TAB, LF and CR, line separators and
 * bidirectional controls removed, lone surrogates replaced, cut at the given number of code points.
 */
export function cleanText(text: string, maxCodePoints: number): string {
  return cutCodePoints(stripControls(text), maxCodePoints);
}

/** {@link cleanText} without the cut. */
export function stripControls(text: string): string {
  return wellFormed(text.replace(CONTROLS, ''));
}

/** A text of several lines that may leave: what is no LF, TAB or printable character becomes a blank (spec 01 §4.4). */
export function outgoingText(text: string): string {
  return wellFormed(text.replace(NOT_EVIDENCE, ' '));
}

/** A text of one line that may leave: LF and TAB become blanks too (spec 01 §4.4). */
export function outgoingLine(text: string): string {
  return wellFormed(text.replace(NOT_ONE_LINE, ' '));
}

/**
 * Evidence as a rule may hand it on (spec 03 G-5): every string, key included, cleaned and masked, sizes bounded,
 * `_truncated: true` at the top if anything was cut. Non-finite numbers become null.
 */
export function cleanEvidence(evidence: unknown, redact: (text: string) => string = unchanged): JsonObject {
  const { value, cut } = cleanObject(evidence, SYMPTOM_LIMITS, (text) => redact(stripControls(text)));
  return cut ? { ...value, _truncated: true } : value;
}

/**
 * Evidence as it may leave the process (spec 01 §4.4): bounded as a whole by dropping its largest values first, with
 * `truncated: true` if anything was cut.
 */
export function outgoingEvidence(
  evidence: unknown,
  redact: (text: string) => string = unchanged,
): JsonObject {
  const { value, cut } = cleanObject(evidence, OUTGOING_LIMITS, (text) => redact(outgoingText(text)));
  const fitted = fitBytes(value, EVIDENCE_BYTES - MARK_BYTES);
  return cut || fitted.cut ? { ...fitted.value, truncated: true } : fitted.value;
}

/** Any JSON value bounded, with every string passed through `clean`; `cut` tells whether something is missing. */
export function cleanJson(
  value: unknown,
  limits: CleanLimits,
  clean: (text: string) => string,
): { value: Json; cut: boolean } {
  const walk = new Walk(limits, clean);
  return { value: walk.value(value, 1), cut: walk.cut };
}

function cleanObject(
  value: unknown,
  limits: CleanLimits,
  clean: (text: string) => string,
): { value: JsonObject; cut: boolean } {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return { value: {}, cut: false };
  const walk = new Walk(limits, clean);
  return { value: walk.object(value, 1), cut: walk.cut };
}

/** Drops the largest values of an object until it fits into so many bytes of JSON. */
export function fitBytes(value: JsonObject, maxBytes: number): { value: JsonObject; cut: boolean } {
  // No UTF-16 unit takes more than three bytes.
  if (JSON.stringify(value).length * 3 <= maxBytes) return { value, cut: false };
  let total = jsonBytes(value);
  if (total <= maxBytes) return { value, cut: false };
  const sizes = Object.entries(value).map(([key, item]) => ({
    key,
    bytes: jsonBytes(key) + jsonBytes(item) + 2,
  }));
  sizes.sort((a, b) => b.bytes - a.bytes);
  const dropped = new Set<string>();
  for (const { key, bytes } of sizes) {
    if (total <= maxBytes) break;
    dropped.add(key);
    total -= bytes;
  }
  return { value: Object.fromEntries(Object.entries(value).filter(([key]) => !dropped.has(key))), cut: true };
}

class Walk {
  cut = false;
  #visited = 0;

  constructor(
    private readonly limits: CleanLimits,
    private readonly clean: (text: string) => string,
  ) {}

  value(value: unknown, depth: number): Json {
    this.#visited += 1;
    if (typeof value === 'string') return this.#text(value);
    if (typeof value === 'boolean' || value === null) return value;
    if (typeof value === 'number') return Number.isFinite(value) ? value : null;
    if (typeof value !== 'object') return null;
    if (depth > this.limits.depth || this.#visited > MAX_VALUES) {
      this.cut = true;
      return null;
    }
    return Array.isArray(value) ? this.#list(value, depth) : this.object(value, depth);
  }

  object(value: object, depth: number): JsonObject {
    const entries = Object.entries(value).filter(([, item]) => item !== undefined);
    if (entries.length > this.limits.keys) this.cut = true;
    const kept = entries.slice(0, this.limits.keys);
    return Object.fromEntries(kept.map(([key, item]) => [this.#text(key), this.value(item, depth + 1)]));
  }

  #list(value: readonly unknown[], depth: number): Json[] {
    if (value.length > this.limits.items) this.cut = true;
    return value.slice(0, this.limits.items).map((item) => this.value(item, depth + 1));
  }

  #text(value: string): string {
    // Masking a text that is far over the limit would cost time for what is thrown away.
    const bounded = cutCodePoints(value, this.limits.text * 4);
    const cleaned = this.clean(bounded);
    const kept = cutCodePoints(cleaned, this.limits.text);
    if (kept.length < cleaned.length || bounded.length < value.length) this.cut = true;
    return kept;
  }
}

function jsonBytes(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value) ?? 'null', 'utf8');
}

function unchanged(text: string): string {
  return text;
}
