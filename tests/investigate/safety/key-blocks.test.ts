import { describe, expect, it } from 'vitest';
import { withoutKeys } from '../../../src/investigate/safety/key-blocks.js';

const BEGIN = '-----BEGIN RSA PRIVATE KEY-----';
const END = '-----END RSA PRIVATE KEY-----';
const BODY = 'MIIEowIBAAKCAQEAx7Vq9mT2kPzY0b1nq3cX5sD8eF6gH4jK2lN0oR9uWvB7tZ1y';
const MASK = '[redacted:pem]';

describe('lines of a key', () => {
  it('are masked between their marks, whatever they look like', () => {
    expect(withoutKeys(['a', BEGIN, BODY, 'short', END, 'b'])).toEqual(['a', BEGIN, MASK, MASK, MASK, 'b']);
  });

  it('are masked where a part of a block is seen', () => {
    expect(withoutKeys([BODY, `  ${BODY}`])).toEqual([MASK, MASK]);
  });

  it('end with the block, also when it is one line', () => {
    expect(withoutKeys([`key = "${BEGIN}\\nabc\\n${END}"`, 'b'])[1]).toBe('b');
  });

  it('do not hide the rest of a file that only begins one', () => {
    const rest = Array.from({ length: 300 }, (_, index) => `line ${index}`);
    expect(withoutKeys([BEGIN, ...rest]).slice(-100)).toEqual(rest.slice(-100));
  });

  it.each([
    'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
    'ABCDEFGHIJKLMNOPQRSTUVWXYZABCDEFGHIJKLMNOPQRSTUVWXYZABCDEFGHIJKL',
    'return items[0]',
    'AMD Instinct MI300X VF 192 GiB gfx942 sramecc+ xnack-, all eight of them',
    '',
  ])('%j is none', (line) => {
    expect(withoutKeys([line])).toEqual([line]);
  });
});
