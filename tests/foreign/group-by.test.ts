import { expect, it } from 'vitest';
import { groupBy } from '../../src/foreign/group-by.js';

it('keeps keys in first-seen order and items in list order', () => {
  const groups = groupBy(['b1', 'a1', 'b2', 'constructor'], (item) => item.charAt(0));
  expect([...groups]).toEqual([
    ['b', ['b1', 'b2']],
    ['a', ['a1']],
    ['c', ['constructor']],
  ]);
});
