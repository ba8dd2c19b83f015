import { readFileSync } from 'node:fs';

/** A recorded output below tests/fixtures/sources. */
export function fixture(name: string): string {
  return readFileSync(new URL(`../../fixtures/sources/${name}`, import.meta.url), 'utf8');
}
