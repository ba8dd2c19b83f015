import { describe, expect, it } from 'vitest';
import { clustered } from '../../../src/selfedit/analyzer/clusters.js';
import { whitespaceTwin } from '../../../src/selfedit/analyzer/whitespace-twin.js';

const failure = (id: string, segment: string, reason: string) => ({
  trace_id: id,
  segment,
  input: '',
  output: '',
  expected: segment,
  reason,
  source: 'case' as const,
});

describe('clusters of failures', () => {
  const many = [
    ...Array.from({ length: 6 }, (_, i) => failure(`a${i}`, 'leak', 'names stall')),
    failure('b0', 'stall', 'no class'),
    failure('c0', 'leak', 'names crash'),
    failure('c1', 'leak', 'names crash'),
  ];

  it('take turns, the largest first, so that none is crowded out', () => {
    expect(clustered(many, 5).map(({ trace_id }) => trace_id)).toEqual(['a0', 'a1', 'c0', 'c1', 'b0']);
    expect(clustered(many, 2).map(({ cluster }) => cluster)).toEqual([
      'leak: names stall',
      'leak: names crash',
    ]);
  });

  it('keep all when there is room, and nothing of nothing', () => {
    expect(clustered(many, 50)).toHaveLength(9);
    expect(clustered([], 50)).toEqual([]);
    expect(clustered(many, 0)).toEqual([]);
  });
});

describe('a text copied with other white space', () => {
  const prompt = 'Read all findings first,\n  then decide.\nKeep it short. Keep it plain.';
  it.each([
    ['a line break less', 'findings first, then decide.', 'findings first,\n  then decide.'],
    ['a line break more', 'Keep it\nshort.', 'Keep it short.'],
    ['blanks around it', '  then decide. \n', 'then decide.'],
    ['signs of patterns', 'first,\n then\tdecide.', 'first,\n  then decide.'],
  ])('is found in spite of %s', (_what, text, found) => {
    expect(whitespaceTwin(prompt, text)).toBe(found);
  });

  it.each([
    ['another word', 'findings first, then judge.'],
    ['two places', 'Keep  it'],
    ['no words', ' \n '],
    ['another case', 'read all findings'],
    ['a pattern', 'Keep .* short'],
  ])('is not found with %s', (_what, text) => {
    expect(whitespaceTwin(prompt, text)).toBeNull();
  });
});
