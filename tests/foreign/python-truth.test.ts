import { describe, expect, it } from 'vitest';
import { isTruthy } from '../../src/foreign/python-truth.js';

describe('truth as Python has it', () => {
  it.each([null, undefined, false, 0, -0, '', [], {}])('%j is false', (value) => {
    expect(isTruthy(value)).toBe(false);
  });

  it.each([true, 1, -0.5, ' ', '0', 'false', [0], { a: undefined }])('%j is true', (value) => {
    expect(isTruthy(value)).toBe(true);
  });
});
