import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { maskLine, TemplateCounter } from '../../../src/investigate/evidence/log-templates.js';

const same = (line: string): string => line;

function count(lines: readonly [string, number | null][], clean = same) {
  const counter = new TemplateCounter();
  for (const [line, at] of lines) counter.add(line, at);
  return counter.rows(clean);
}

describe('the template of a line', () => {
  it.each([
    ['Tried to allocate 2.00 GiB', 'Tried to allocate <n> GiB'],
    ['2026-05-28T19:26:40.123Z ERROR on rank3', '<time> ERROR on rank<n>'],
    ['2026/05/28 19:26:40 died', '<time> died'],
    ['E0528 19:26:40.123456 worker', 'E<n> <time> worker'],
    ['request 6fa459ea-ee8a-3ca4-894e-db77e160355e failed', 'request <uuid> failed'],
    ['fault at 0x7f00dead', 'fault at <hex>'],
    ['digest deadbeef00112233 differs', 'digest <hex> differs'],
    ['connect 192.0.2.7:5432 refused', 'connect <n>:<n> refused'],
    ['task t-12 of 40', 'task t-<n> of <n>'],
  ])('%s: %s', (line, template) => {
    expect(maskLine(line)).toBe(template);
  });

  it.each(['the defaced facade was decaded', 'no number here', 'NullPointerException in Cart'])(
    '%s stays as it is',
    (line) => {
      expect(maskLine(line)).toBe(line);
    },
  );

  it('is made in no time, whatever the line', () => {
    for (const line of ['0'.repeat(2000), 'a1'.repeat(1000), '1.'.repeat(1000), 'abcdef01-'.repeat(220)]) {
      const begun = performance.now();
      maskLine(line);
      expect(performance.now() - begun).toBeLessThan(100);
    }
  });

  it('masked again is itself', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 300 }), (line) => {
        const once = maskLine(line);
        expect(maskLine(once)).toBe(once);
      }),
    );
  });
});

describe('templates of many lines', () => {
  it('say how many, and when first and last; what came once is left out', () => {
    expect(
      count([
        ['retry 1 of 5', 20],
        ['out of memory on rank 3', 10],
        ['retry 2 of 5', null],
        ['retry 3 of 5', 12],
      ]),
    ).toEqual([{ template: 'retry <n> of <n>', count: 3, first_unix: 12, last_unix: 20 }]);
  });

  it('come most frequent first, at most twenty', () => {
    // Words without digits, so that each is a kind of its own.
    const word = (index: number): string => 'abcdefghijklmnopqrstuvwxyz'.charAt(index).repeat(3);
    const lines = Array.from({ length: 25 }, (_, index) =>
      Array.from({ length: index + 2 }, (): [string, number] => [word(index), index]),
    ).flat();
    const rows = count(lines);
    expect(rows).toHaveLength(20);
    expect(rows[0]).toMatchObject({ template: 'yyy', count: 26 });
    expect(rows.map(({ count: n }) => n)).toEqual([...rows.map(({ count: n }) => n)].sort((a, b) => b - a));
  });

  it('show no secret, and count those apart only by it as one', () => {
    const clean = (line: string): string => line.replace(/ghp_\w+/, '[redacted]');
    const rows = count(
      ['ghp_alpha', 'ghp_beta'].flatMap((token): [string, number][] => [
        [`login with ${token} failed`, 1],
        [`login with ${token} failed`, 2],
      ]),
      clean,
    );
    expect(rows).toEqual([
      { template: 'login with [redacted] failed', count: 4, first_unix: 1, last_unix: 2 },
    ]);
  });

  it('take bounded memory', () => {
    const counter = new TemplateCounter();
    const letters = (index: number): string =>
      index.toString(26).replace(/\d/g, (digit) => 'qrstuvwxyz'.charAt(Number(digit)));
    for (let index = 0; index < 50_000; index += 1) counter.add(`kind ${letters(index)}`, index);
    for (let index = 0; index < 3; index += 1) counter.add('kind q', index);
    expect(counter.rows(same)).toHaveLength(1);
  });
});
