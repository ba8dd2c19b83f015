import { readdirSync } from 'node:fs';
import { join } from 'node:path';

/** Paths of all files below a directory. */
export function filesBelow(directory: string): string[] {
  return readdirSync(directory, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}
