import { type Stats, statSync } from 'node:fs';

/** What is at a path, links followed; undefined when nothing is, or when it may not be seen. Never throws. */
export function statOf(path: string): Stats | undefined {
  try {
    return statSync(path);
  } catch {
    return undefined;
  }
}
