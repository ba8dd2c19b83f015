import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fnv1a32, ngramDrift } from '../../../src/selfedit/prompt/drift.js';
import { applyEdit, editIdOf } from '../../../src/selfedit/prompt/edit.js';
import { lineHunks } from '../../../src/selfedit/prompt/line-diff.js';
import { tokenDistance, tokensOf } from '../../../src/selfedit/prompt/tokens.js';

describe('n-gram drift (spec 08 §25)', () => {
  it('hashes as FNV-1a does', () => {
    const alpha = fnv1a32('1|alpha');
    expect(alpha).toBe(3660570292);
    expect([alpha % 1024, alpha >>> 31]).toEqual([692, 1]);
    expect(fnv1a32('2|alpha beta')).toBe(3026943325);
  });

  it.each([
    ['alpha beta gamma', 'gamma beta alpha', 0.75, 3],
    ['alpha beta gamma', 'alpha beta delta', 0.5, 3],
    ['a b c d e', 'a b c d e f', 0.092515, 6],
    ['', '', 0, 6],
    ['', 'a', 1, 6],
    ['same', 'Same!', 0, 6],
  ])('of %j to %j', (before, after, drift, digits) => {
    expect(ngramDrift(before, after)).toBeCloseTo(drift, digits);
  });

  it('sees the exchange that word counts do not', () => {
    const drift = ngramDrift('never restart workers always report', 'always restart workers never report');
    expect(drift).toBeCloseTo(0.625, 9);
  });

  it('is symmetric, within bounds, and 0 for equal texts', () => {
    const words = fc
      .array(fc.constantFrom('a', 'b', 'cc', 'dd', 'e1'), { maxLength: 30 })
      .map((list) => list.join(' '));
    fc.assert(
      fc.property(words, words, (a, b) => {
        const drift = ngramDrift(a, b);
        expect(drift).toBeCloseTo(ngramDrift(b, a), 12);
        expect(drift >= 0 && drift <= 1).toBe(true);
        expect(ngramDrift(a, a)).toBeCloseTo(0, 12);
      }),
    );
  });
});

describe('token distance', () => {
  it.each([
    ['a b c', 'a b c', 0],
    ['a b c', 'a x c', 1],
    ['a b c', 'a b c d.', 2],
    ['', 'a b', 2],
    ['Never do it.', 'Always do it!', 2],
  ])('of %j to %j', (a, b, distance) => {
    expect(tokenDistance(tokensOf(a), tokensOf(b))).toBe(distance);
  });
});

describe('line hunks', () => {
  it('put the texts together again', () => {
    const text = fc
      .array(fc.constantFrom('a', 'b', 'c', ''), { minLength: 1, maxLength: 12 })
      .map((list) => list.join('\n'));
    fc.assert(
      fc.property(text, text, (before, after) => {
        const lines = before.split('\n');
        for (const hunk of lineHunks(before, after).reverse()) {
          expect(lines.slice(hunk.at, hunk.at + hunk.old.length)).toEqual(hunk.old);
          lines.splice(hunk.at, hunk.old.length, ...hunk.new);
        }
        expect(lines.join('\n')).toBe(after);
      }),
    );
  });
});

describe('applying an edit (spec 08 §22)', () => {
  const base = 'one\ntwo\ntwo\nthree';
  it.each([
    [{ op: 'replace', old_text: 'one', new_text: '1' }, '1\ntwo\ntwo\nthree'],
    [{ op: 'replace', old_text: 'two', new_text: '2', occurrence: 2 }, 'one\ntwo\n2\nthree'],
    [{ op: 'insert_after', old_text: 'thr', new_text: 'four' }, 'one\ntwo\ntwo\nthree\nfour'],
    [{ op: 'insert_after', old_text: 'one\n', new_text: 'x' }, 'one\ntwo\nx\ntwo\nthree'],
    [{ op: 'delete', old_text: 'one', new_text: '' }, 'two\ntwo\nthree'],
    [{ op: 'replace', old_text: 'one\r\ntwo\r\n', new_text: 'x\r\n' }, 'x\ntwo\nthree'],
  ] as const)('%j', (op, text) => {
    expect(applyEdit(base, [op])).toEqual({ ok: true, text });
  });

  it.each([
    [{ op: 'replace', old_text: 'two', new_text: '2' }, 'occurs 2 times'],
    [{ op: 'replace', old_text: 'two', new_text: '2', occurrence: 3 }, 'no occurrence 3'],
    [{ op: 'replace', old_text: 'zwei', new_text: '2' }, 'does not occur'],
    [{ op: 'replace', old_text: ' ', new_text: '2' }, 'is empty'],
    [{ op: 'replace', old_text: 'one', new_text: ' ' }, 'new_text is empty'],
    [{ op: 'replace', old_text: 'one', new_text: 'one' }, 'changes nothing'],
    [{ op: 'delete', old_text: base, new_text: '' }, 'nothing of the prompt'],
    [{ op: 'insert_after', old_text: 'one', new_text: 'x'.repeat(33_000) }, '32 KiB'],
  ] as const)('refuses %j', (op, problem) => {
    const applied = applyEdit(base, [op]);
    expect(applied.ok ? '' : applied.problem).toContain(problem);
  });

  it('names an edit by its base and operations', () => {
    const op = { op: 'replace', old_text: 'one', new_text: '1' } as const;
    expect(editIdOf('rca', 'aa', [op])).toMatch(/^rca-[0-9a-f]{12}$/);
    expect(editIdOf('rca', 'aa', [op])).not.toBe(editIdOf('rca', 'ab', [op]));
  });
});
