import { describe, expect, it } from 'vitest';
import { isAmong, type ShownError } from '../../../src/investigate/evidence/same-error.js';
import type { EvidenceItem } from '../../../src/investigate/model/evidence.js';
import { item } from '../support.js';

const said = (fingerprint: string | null, text: string | null): EvidenceItem =>
  item({ key: `${fingerprint} ${text}`, cls: 'log', fingerprint, text });
const traceback = said('typed_exception', 'Traceback (most recent call last):');
const index: ShownError = { fingerprint: 'index_error', text: 'IndexError: list index out of range' };
const own = (name: string): ShownError => ({ fingerprint: 'typed_exception', text: `${name}: it is so` });

describe('the same error', () => {
  it.each<[string, ShownError, EvidenceItem[], boolean]>([
    ['in the same words', index, [said('index_error', 'IndexError: list index out of range')], true],
    ['behind a stack trace', index, [traceback, said('index_error', 'IndexError: x')], true],
    ['inside a longer line', index, [said('index_error', 'RuntimeError: died: IndexError: x')], true],
    ['where nothing is told apart', index, [said(null, null)], true],
    ['where nothing was seen', index, [], false],
    [
      'of another kind',
      { fingerprint: 'value_parse', text: 'ValueError: invalid literal for int' },
      [traceback, said('index_error', 'IndexError: x')],
      false,
    ],
    ['that is only the effect', own('AbortError'), [traceback, said('index_error', 'IndexError: x')], false],
    [
      'of their own making, same name',
      own('PriceError'),
      [traceback, said('typed_exception', 'PriceError: y')],
      true,
    ],
    [
      'of their own making, another name',
      own('StockError'),
      [traceback, said('typed_exception', 'PriceError: y')],
      false,
    ],
    [
      'without a fingerprint beside one with',
      { fingerprint: null, text: null },
      [said('index_error', 'x')],
      false,
    ],
    [
      'of one fingerprint, under two names',
      { fingerprint: 'none_deref', text: "TypeError: 'NoneType' object" },
      [said('none_deref', "AttributeError: 'NoneType' object has no attribute")],
      false,
    ],
  ])('%s: %s', (_what, error, items, isSame) => {
    expect(isAmong(error, items)).toBe(isSame);
  });
});
