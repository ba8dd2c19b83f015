import { closeSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { readRange } from '../../sources/tools/read-file.js';
import { openConfined } from '../safety/confine.js';
import type { SourceRoot } from '../tools/session/source-slice.js';

export interface PreparedTree {
  /** Absolute. */
  readonly path: string;
  remove(): void;
}

const MAX_BYTES = 200 * 2 ** 20;
const MAX_MS = 60_000;

/** A private copy of a source root for the sandbox: regular files inside it, nothing that holds secrets (spec 07 B13). */
export function prepareTree({ root, tree }: SourceRoot): PreparedTree | string {
  const path = mkdtempSync(join(tmpdir(), 'robustness-box-'));
  const remove = (): void => rmSync(path, { recursive: true, force: true });
  const end = performance.now() + MAX_MS;
  let bytes = 0;
  for (const file of tree.files) {
    const opened = openConfined(root, file);
    if (!opened.ok) continue;
    try {
      bytes += opened.size;
      if (bytes > MAX_BYTES || performance.now() > end) {
        remove();
        return `the source is larger than ${MAX_BYTES} bytes, or took too long to copy`;
      }
      const target = join(path, file);
      mkdirSync(dirname(target), { recursive: true });
      writeFileSync(target, readRange(opened.fd, 0, opened.size), { mode: 0o444 });
    } finally {
      closeSync(opened.fd);
    }
  }
  return { path, remove };
}
