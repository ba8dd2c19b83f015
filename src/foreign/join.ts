import { normalize } from 'node:path';

/**
 * As `join` of `node:path`, in whose place the build puts it: paths that need no tidying are most of them, and a tick that
 * walks over each of their characters is long enough in it for the engine to compile it anew.
 */
export function join(...parts: readonly string[]): string {
  const path = parts.join('/');
  const isTidy = path !== '' && !path.startsWith('.') && !path.includes('/.') && !path.includes('//');
  if (isTidy && parts[0] !== '' && parts.at(-1) !== '') return path;
  const given = parts.filter((part) => part !== '');
  return given.length === 0 ? '.' : normalize(given.join('/'));
}
