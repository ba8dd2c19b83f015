import { basename } from 'node:path';
import type { SourceRoot } from '../tools/session/source-slice.js';
import { type Copied, copyTree } from './copy-tree.js';

/** A source tree that can be laid out for the sandbox. */
export interface SandboxSource {
  readonly name: string;
  /** The file of this tree that a path means, or null. */
  resolve(path: string): Promise<string | null>;
  /** Puts the tree into an empty directory. */
  prepare(directory: string, signal: AbortSignal): Promise<Copied>;
}

/** A local source root as it is now. */
export function localSource({ root, tree }: SourceRoot): SandboxSource {
  return {
    name: basename(root),
    resolve: async (path) => (tree.has(path) ? path : tree.resolve({ path, isLibrary: false })),
    prepare: (directory, signal) => copyTree(root, directory, signal),
  };
}
