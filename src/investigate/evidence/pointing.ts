import type { Evidence, EvidenceItem, Frame, SourceRead } from '../model/evidence.js';
import { framesOfItems, isRead, locatedFrames } from './anchors.js';
import { type FileTree, resolveIn } from './file-tree.js';
import { fingerprintById } from './fingerprints.js';
import { distinctiveLiterals } from './literals.js';

/** A file of the source, and a line of it where one is claimed. */
export interface Place {
  readonly path: string;
  readonly line: number | null;
}

type Pointer = Pick<Frame, 'path' | 'isLibrary'> & { readonly line: number | null };

/** How far a claimed line may be from the one that evidence names and still be the same place. */
const NEAR_LINES = 10;

/** True unless both lines are known and too far from each other to be one place. */
export function isNearLine(a: number | null, b: number | null): boolean {
  return a === null || b === null || Math.abs(a - b) <= NEAR_LINES;
}

/**
 * The items that point to a place, by a frame, a file hint or a distinctive literal. The line that they name must have been
 * read and be near the claimed one: another part of the same file proves nothing about it (spec 07 B11.1, S).
 */
export function pointingItems(
  items: readonly EvidenceItem[],
  place: Place,
  evidence: readonly Evidence[],
  trees: readonly FileTree[],
): EvidenceItem[] {
  if (items.length === 0 || !isRead(evidence, place.path, place.line)) return [];
  const isThere = ({ path, line, isLibrary }: Pointer): boolean =>
    isNearLine(line, place.line) &&
    isRead(evidence, place.path, line) &&
    (path === place.path || resolveIn(trees, { path, isLibrary }) === place.path);
  const located = locatedFrames(evidence).filter(({ frame }) => isThere(frame));
  const reads = evidence.flatMap(({ receipt, source }) =>
    receipt.status === 'ok' && source !== null && source.path === place.path ? [source] : [],
  );
  return items.filter(
    (item) =>
      framesOfItems([item], located).some(({ frame }) => isThere(frame)) ||
      isHinted(item, isThere) ||
      isWritten(item, place, reads),
  );
}

/** A hint without a line names the file alone. */
function isHinted({ fileHint }: EvidenceItem, isThere: (pointer: Pointer) => boolean): boolean {
  if (fileHint === null) return false;
  const [, path = fileHint, line] = /^(.*):(\d{1,7})$/.exec(fileHint) ?? [];
  return isThere({ path, line: line === undefined ? null : Number(line), isLibrary: false });
}

/** A literal of the item's fingerprinted line stands in a line that was read, near the claimed one. */
function isWritten({ fingerprint, text }: EvidenceItem, place: Place, reads: readonly SourceRead[]): boolean {
  const row = fingerprint === null ? undefined : fingerprintById(fingerprint);
  if (row === undefined || text === null) return false;
  const literals = distinctiveLiterals(text, row);
  return reads.some(({ lines, lineStart }) =>
    lines.some(
      (line, index) =>
        isNearLine(lineStart + index, place.line) && literals.some((literal) => line.includes(literal)),
    ),
  );
}
