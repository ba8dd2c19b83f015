import { resolve, sep } from 'node:path';

/** True when `path` is `root` or lies below it, compared by path component; both absolute. Touches no file. */
export function isInside(path: string, root: string): boolean {
  const child = resolve(path);
  const parent = resolve(root);
  if (child === parent) return true;
  return child.startsWith(parent.endsWith(sep) ? parent : parent + sep);
}
