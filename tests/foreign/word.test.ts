import { describe, expect, it } from 'vitest';
import { wholeWords } from '../../src/foreign/word.js';

describe('whole words', () => {
  it.each([
    ['signal 15', 'died of Signal\t 15.'],
    ['critic', 'agents.critic.runtime'],
    ['a.b', 'x a.b y'],
    ['sigterm', 'SIGTERM…'],
  ])('%s is in %j', (words, line) => {
    expect(wholeWords(words).test(line)).toBe(true);
  });

  it.each([
    ['signal 15', 'signal 150'],
    ['signal 15', 'signal15'],
    ['critic', 'critical'],
    ['critic', 'my_critic'],
    ['critic', 'écritic'],
    ['a.b', 'axb'],
  ])('%s is not in %j', (words, line) => {
    expect(wholeWords(words).test(line)).toBe(false);
  });
});
