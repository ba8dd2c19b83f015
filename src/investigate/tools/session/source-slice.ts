import { closeSync, realpathSync } from 'node:fs';
import { readRange } from '../../../sources/tools/read-file.js';
import { createFileTree, type FileTree } from '../../evidence/file-tree.js';
import { openConfined } from '../../safety/confine.js';
import { expandGlobs } from '../../safety/glob.js';
import { numberOf, stringOf } from '../arguments.js';
import { sliceOutcome } from '../slice.js';
import { failed, type Tool } from '../tool.js';

const MAX_BYTES = 8 * 1024 * 1024;

export interface SourceRoot {
  /** Absolute and resolved. */
  readonly root: string;
  readonly tree: FileTree;
}

/** The configured source roots that can be resolved. */
export function openSourceRoots(paths: readonly string[]): SourceRoot[] {
  return paths.flatMap((path) => {
    try {
      const root = realpathSync(path);
      const { files } = expandGlobs(root, ['**']);
      return [{ root, tree: createFileTree(files.map((file) => file.path)) }];
    } catch {
      // A root that is not there is simply not a source.
      return [];
    }
  });
}

/** `read_source_slice` (spec 07 B4.2). */
export function readSourceSlice(roots: readonly SourceRoot[]): Tool {
  return {
    name: 'read_source_slice',
    capability: 'source',
    family: 'session',
    description: 'Lines of a source file from a local source root.',
    parameters: {
      path: { type: 'string', maxLength: 1024, doc: 'relative to the source root' },
      line: { type: 'integer', minimum: 1, doc: 'line of interest' },
      context: { type: 'integer', default: 40, minimum: 0, maximum: 100, doc: 'lines before and after' },
    },
    async run(args, { clean }) {
      const path = stringOf(args, 'path');
      let last = failed('error', 'there is no such file');
      for (const { root } of roots) {
        const opened = openConfined(root, path);
        if (!opened.ok) {
          last = failed(opened.status, opened.reason);
          continue;
        }
        try {
          if (opened.size > MAX_BYTES) return failed('error', `${opened.size} bytes, limit ${MAX_BYTES}`);
          const text = readRange(opened.fd, 0, opened.size).toString('utf8');
          return sliceOutcome(path, text, numberOf(args, 'line', 1), numberOf(args, 'context', 40), clean);
        } finally {
          closeSync(opened.fd);
        }
      }
      return last;
    },
  };
}
