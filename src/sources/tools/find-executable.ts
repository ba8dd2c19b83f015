import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { isAbsolute } from 'node:path';

/**
 * Absolute path of a command as the shell would find it, or null. Relative entries of `PATH` are ignored: what stands in
 * the working directory is somebody else's file.
 */
export function findExecutable(name: string, path: string | undefined): string | null {
  if (isAbsolute(name)) return isExecutable(name) ? name : null;
  for (const directory of (path ?? '').split(':')) {
    if (!isAbsolute(directory)) continue;
    const candidate = `${directory}/${name}`;
    if (isExecutable(candidate)) return candidate;
  }
  return null;
}

function isExecutable(path: string): boolean {
  // Most directories do not have it, and a thrown error takes longer than a question.
  if (!existsSync(path)) return false;
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
