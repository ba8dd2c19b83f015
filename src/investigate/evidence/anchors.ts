import { compareCodePoints } from '../../foreign/order.js';
import type { Evidence, EvidenceItem, Frame } from '../model/evidence.js';
import { type FileTree, resolveIn } from './file-tree.js';
import { framesOfLines, isNear, type LocatedFrame } from './frames.js';

export interface Anchor {
  readonly path: string;
  readonly line: number;
}

interface TimedFrame {
  readonly frame: Frame;
  readonly tsUnix: number | null;
}

/** Frames of the lines of one receipt, which never change. */
const parsed = new WeakMap<Evidence, readonly LocatedFrame[]>();

/** Every frame on fetched lines, once, whichever calls fetched it. */
export function locatedFrames(evidence: readonly Evidence[]): LocatedFrame[] {
  const frames = new Map<string, LocatedFrame>();
  for (const one of evidence) {
    const own = parsed.get(one) ?? framesOfLines(one.lines);
    parsed.set(one, own);
    for (const frame of own) frames.set(frame.key, frame);
  }
  return [...frames.values()];
}

/** The frames that belong to some items: their own, and those on lines near a fingerprinted one. */
export function framesOfItems(
  items: readonly EvidenceItem[],
  located: readonly LocatedFrame[],
): TimedFrame[] {
  const own = items.flatMap(({ frames, tsUnix }) => frames.map((frame) => ({ frame, tsUnix })));
  const logged = items.filter(({ cls, fingerprint }) => cls === 'log' && fingerprint !== null);
  const near = located.filter((frame) => logged.some((item) => isNear(frame, item)));
  return [...own, ...near];
}

/** The most frequent resolved place among the frames of some items (spec 07 B7.3). */
export function anchorOf(
  items: readonly EvidenceItem[],
  located: readonly LocatedFrame[],
  trees: readonly FileTree[],
): Anchor | null {
  const places = new Map<string, Anchor & { isLibrary: boolean; count: number; first: number }>();
  for (const { frame, tsUnix } of framesOfItems(items, located)) {
    const path = resolveIn(trees, frame);
    if (path === null) continue;
    const key = `${path}:${frame.line}`;
    const time = tsUnix ?? Number.POSITIVE_INFINITY;
    const known = places.get(key);
    places.set(key, {
      path,
      line: frame.line,
      isLibrary: frame.isLibrary && known?.isLibrary !== false,
      count: (known?.count ?? 0) + 1,
      first: Math.min(known?.first ?? time, time),
    });
  }
  const ranked = [...places.values()].sort(
    (a, b) =>
      Number(a.isLibrary) - Number(b.isLibrary) ||
      b.count - a.count ||
      (a.first === b.first ? 0 : a.first - b.first) ||
      compareCodePoints(a.path, b.path) ||
      a.line - b.line,
  );
  const best = ranked[0];
  return best === undefined ? null : { path: best.path, line: best.line };
}

/** True when the place was read and holds something (spec 07 B7.3). */
export function isRead(evidence: readonly Evidence[], path: string, line: number | null): boolean {
  return evidence.some(({ receipt, source }) => {
    if (receipt.status !== 'ok' || receipt.evidence_class !== 'source' || !receipt.signal) return false;
    if (source === null || source.path !== path) return false;
    if (line === null) return true;
    return (source.lines[line - source.lineStart] ?? '').trim() !== '';
  });
}
