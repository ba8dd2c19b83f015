import type { FetchedLine, Frame } from '../model/evidence.js';
import { isTelemetryNoise } from './fingerprints.js';

interface ParsedFrame extends Frame {
  /** Python prints the innermost frame last, the others first. */
  readonly isPython: boolean;
}

/** A frame on a fetched line, with what ties it to items nearby. */
export interface LocatedFrame {
  readonly key: string;
  readonly source: string;
  readonly line: number | null;
  readonly tsUnix: number | null;
  readonly frame: Frame;
}

const MAX_LINE = 2000;
const SHAPES: readonly { readonly pattern: RegExp; readonly isPython: boolean }[] = [
  { pattern: /\bFile "([^"]{1,400})", line (\d{1,7})/, isPython: true },
  { pattern: /\bin (\S{1,400}):line (\d{1,7})/, isPython: false },
  { pattern: /\(([^\s()]{0,400}\/[^\s():]{1,200}):(\d{1,7})(?::\d{1,7})?\)/, isPython: false },
  {
    pattern:
      /((?:[\w@.+-]{0,120}\/){1,32}[\w@.+-]{1,120}\.(?:py|go|rs|js|ts|cs|java|cpp|cu|hip|h)):(\d{1,7})\b/,
    isPython: false,
  },
  { pattern: /\(([\w$]{1,120}\.java):(\d{1,7})\)/, isPython: false },
];
const LIBRARY = /(?:^|\/)(?:node_modules|site-packages|dist-packages|usr\/lib|go\/pkg\/mod)\//;
/** Frames further than this from a fingerprinted line do not belong to it (spec 07 B7.3). */
const NEAR_S = 5;
const NEAR_LINES = 20;

/** The part of a path below its library directory, or null. */
export function belowLibrary(path: string): string | null {
  const match = LIBRARY.exec(path);
  return match === null ? null : path.slice(match.index + match[0].length);
}

/** The frame that a line shows, if any. */
export function parseFrame(text: string): ParsedFrame | null {
  const line = text.slice(0, MAX_LINE);
  if (isTelemetryNoise(line)) return null;
  for (const { pattern, isPython } of SHAPES) {
    const match = pattern.exec(line);
    if (match === null) continue;
    const path = (match[1] ?? '').replaceAll('\\', '/');
    return { path, line: Number(match[2]), isLibrary: LIBRARY.test(path), isPython };
  }
  return null;
}

/** One frame per stack trace of a text of several lines. */
export function framesOfText(text: string): Frame[] {
  const lines = text.split('\n').map((line) => ({ text: line, value: undefined }));
  return tracesIn(lines, () => true).map(({ frame }) => frame);
}

/** One frame per stack trace of the fetched lines; lines of one source follow each other as fetched. */
export function framesOfLines(lines: readonly FetchedLine[]): LocatedFrame[] {
  const wrapped = lines.map((line) => ({ text: line.text, value: line }));
  return tracesIn(wrapped, areNeighbours).map(({ frame, at }) => {
    const { source, line, tsUnix } = at.value;
    const key = JSON.stringify([source, line, tsUnix, frame.path, frame.line]);
    return { key, source, line, tsUnix, frame };
  });
}

/** True when a frame stands near enough to an item of the same source (spec 07 B7.3). */
export function isNear(
  frame: Pick<LocatedFrame, 'source' | 'line' | 'tsUnix'>,
  item: { readonly source: string; readonly line: number | null; readonly tsUnix: number | null },
): boolean {
  if (frame.source !== item.source) return false;
  if (frame.tsUnix !== null && item.tsUnix !== null) return Math.abs(frame.tsUnix - item.tsUnix) <= NEAR_S;
  if (frame.line !== null && item.line !== null) return Math.abs(frame.line - item.line) <= NEAR_LINES;
  return false;
}

interface Wrapped<T> {
  readonly text: string;
  readonly value: T;
}

function tracesIn<T>(
  lines: readonly Wrapped<T>[],
  follow: (a: T, b: T) => boolean,
): { frame: Frame; at: Wrapped<T> }[] {
  const found: { frame: Frame; at: Wrapped<T> }[] = [];
  let open: { frame: ParsedFrame; at: Wrapped<T> }[] = [];
  let previous: Wrapped<T> | undefined;
  let quoted = 0;
  const close = (): void => {
    const innermost = innermostOf(open);
    if (innermost !== undefined) found.push(innermost);
    open = [];
    quoted = 0;
  };
  for (const line of lines) {
    if (previous !== undefined && !follow(previous.value, line.value)) close();
    previous = line;
    const frame = parseFrame(line.text);
    if (frame !== null) {
      if (open.length > 0 && open[0]?.frame.isPython !== frame.isPython) close();
      open.push({ frame, at: line });
      quoted = 0;
      continue;
    }
    // Python quotes the source line, and since 3.11 a line of carets, below each frame.
    const isQuoted = open.at(-1)?.frame.isPython === true && /^\s/.test(line.text) && quoted < 2;
    if (isQuoted) quoted += 1;
    else close();
  }
  close();
  return found;
}

function innermostOf<T>(
  trace: readonly { frame: ParsedFrame; at: Wrapped<T> }[],
): { frame: Frame; at: Wrapped<T> } | undefined {
  const own = trace.filter(({ frame }) => !frame.isLibrary);
  const candidates = own.length > 0 ? own : trace;
  const chosen = candidates[0]?.frame.isPython === true ? candidates.at(-1) : candidates[0];
  if (chosen === undefined) return undefined;
  const { path, line, isLibrary } = chosen.frame;
  return { frame: { path, line, isLibrary }, at: chosen.at };
}

function areNeighbours(a: FetchedLine, b: FetchedLine): boolean {
  if (a.source !== b.source) return false;
  return a.line === null || b.line === null || b.line === a.line + 1;
}
