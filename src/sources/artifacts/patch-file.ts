import { lstatSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { realOr } from '../session/workspace.js';
import { isInside } from '../tools/paths.js';

/** What is known of a patch; null = not looked up. */
export type PatchFacts = {
  readonly patch_size_bytes: number | null;
  /** False only when the place was looked at and nothing is there. */
  readonly patch_exists: boolean | null;
};

const NOT_LOOKED_UP: PatchFacts = { patch_size_bytes: null, patch_exists: null };

/**
 * Looks at a patch that a result names: only inside one of the roots, relative paths from where the result lies
 * (spec 02 §10.1).
 */
export function patchFacts(patchPath: string, resultDir: string, roots: readonly string[]): PatchFacts {
  if (patchPath === '' || patchPath.includes('\0')) return NOT_LOOKED_UP;
  const path = resolve(resultDir, patchPath);
  if (!roots.some((root) => isInside(path, root))) return NOT_LOOKED_UP;
  // The directory's links count, a final link is itself what was named.
  if (!roots.some((root) => isInside(realOr(dirname(path)), realOr(root)))) {
    return NOT_LOOKED_UP;
  }
  try {
    const stat = lstatSync(path);
    return { patch_size_bytes: stat.isFile() ? stat.size : null, patch_exists: true };
  } catch (error) {
    const isGone =
      error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR');
    return { patch_size_bytes: null, patch_exists: isGone ? false : null };
  }
}
