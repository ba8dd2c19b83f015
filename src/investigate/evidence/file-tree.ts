import { groupBy } from '../../foreign/group-by.js';
import type { Frame } from '../model/evidence.js';
import { belowLibrary } from './frames.js';

/** File paths of a repository or a source root, for looking up container paths. */
export interface FileTree {
  /** The file that a path from elsewhere means, or null (spec 07 B7.3). */
  resolve(frame: Pick<Frame, 'path' | 'isLibrary'>): string | null;
  has(path: string): boolean;
  readonly files: readonly string[];
}

const MAX_FILES = 20_000;

/** Indexes at most 20 000 file paths. */
export function createFileTree(paths: readonly string[]): FileTree {
  const files = paths.slice(0, MAX_FILES);
  const known = new Set(files);
  const byName = groupBy(files, (path) => path.slice(path.lastIndexOf('/') + 1));
  return {
    files,
    has: (path) => known.has(path),
    resolve: ({ path, isLibrary }) => {
      const segments = segmentsOf(path);
      const needed = isLibrary ? segmentsOf(belowLibrary(path) ?? path).length : 1;
      let best = 0;
      let found: string[] = [];
      for (const candidate of byName.get(segments.at(-1) ?? '') ?? []) {
        const common = commonSuffix(segments, segmentsOf(candidate));
        if (common > best) [best, found] = [common, [candidate]];
        else if (common === best) found.push(candidate);
      }
      return best >= needed && found.length === 1 ? (found[0] ?? null) : null;
    },
  };
}

/** The first tree that knows the path. */
export function resolveIn(
  trees: readonly FileTree[],
  frame: Pick<Frame, 'path' | 'isLibrary'>,
): string | null {
  for (const tree of trees) {
    const path = tree.resolve(frame);
    if (path !== null) return path;
  }
  return null;
}

function segmentsOf(path: string): string[] {
  return path.split('/').filter((segment) => segment !== '' && segment !== '.');
}

function commonSuffix(a: readonly string[], b: readonly string[]): number {
  let count = 0;
  while (count < Math.min(a.length, b.length) && a.at(-1 - count) === b.at(-1 - count)) count += 1;
  return count;
}
