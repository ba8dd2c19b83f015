import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { filesBelow } from '../support/files-below.js';

/** A code in a text; not the beginning of one, as in `RA_REQUEST_…`. */
const CODE = /\bRA_[A-Z]+(?:_[A-Z]+)*\b/g;
const PLACES = [
  { directory: 'src', endings: ['.ts'] },
  { directory: 'bridge', endings: ['.py', '.cjs'] },
];

const codesIn = (text: string): string[] => text.match(CODE) ?? [];

const used = new Set(
  PLACES.flatMap(({ directory, endings }) =>
    filesBelow(directory)
      .filter((path) => endings.some((ending) => path.endsWith(ending)))
      .flatMap((path) => codesIn(readFileSync(path, 'utf8'))),
  ),
);
const page = readFileSync('docs/errors.md', 'utf8');
const rows = page.split('\n').filter((line) => /^\| `RA_/.test(line));
const documented = rows.map((row) => codesIn(row)[0] ?? '');

describe('docs/errors.md', () => {
  it('has a row for every code that can be met', () => {
    expect(used.size).toBeGreaterThan(20);
    expect([...used].filter((code) => !documented.includes(code))).toEqual([]);
  });

  it('has no row for a code that is gone, and none twice', () => {
    expect(documented.filter((code) => !used.has(code))).toEqual([]);
    expect(new Set(documented).size).toBe(documented.length);
  });

  it('is sorted, so that a code is found', () => {
    expect(documented).toEqual(documented.toSorted());
  });

  it.each(rows)('says what %s means and what to do', (row) => {
    const [, , means = '', todo = ''] = row.split(/(?<!\\)\|/).map((cell) => cell.trim());
    expect(means.length).toBeGreaterThan(20);
    expect(todo.length).toBeGreaterThan(10);
  });
});
