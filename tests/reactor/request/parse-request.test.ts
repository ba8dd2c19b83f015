import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseRequest, readRequest } from '../../../src/reactor/request/parse-request.js';

const valid = {
  kind: 'coordinator_inbox',
  session_id: ' s ',
  raw_prompt: ' p ',
  context: null,
  options: null,
};
const bytes = (value: unknown) => Buffer.from(JSON.stringify(value));
const refusal = (source: Uint8Array) => {
  const reading = parseRequest(source);
  return reading.ok ? undefined : reading.refusal;
};

describe('a request', () => {
  it('gives the trimmed id and the prompt as it is', () => {
    expect(parseRequest(bytes(valid))).toEqual({
      ok: true,
      request: { sessionId: 's', rawPrompt: ' p ', tickIndex: 0, nowUnix: undefined, options: {} },
    });
  });

  it.each([
    [7.9, 7],
    [-1.5, -1],
    [true, 1],
    ['5', 0],
    [null, 0],
    [undefined, 0],
  ])('reads tick_index %j as %j', (given, tickIndex) => {
    expect(parseRequest(bytes({ ...valid, context: { tick_index: given } }))).toMatchObject({
      request: { tickIndex },
    });
  });

  it.each([[0], [-5], [true], ['1772442000'], [null]])('takes the wall clock for now_unix %j', (given) => {
    const reading = parseRequest(bytes({ ...valid, context: { now_unix: given } }));
    expect(reading.ok && reading.request.nowUnix).toBeUndefined();
  });

  it('ignores unknown keys, and the last of two equal keys wins', () => {
    const source = Buffer.from(
      '{"kind":"x","kind":"coordinator_inbox","session_id":"s","raw_prompt":"p","more":1}',
    );
    expect(parseRequest(source).ok).toBe(true);
  });
});

describe('a refusal', () => {
  it.each<[string, Uint8Array, string]>([
    ['a byte order mark', Buffer.from(`\ufeff${JSON.stringify(valid)}`), 'RA_REQUEST_ENCODING'],
    ['invalid UTF-8', Buffer.from([0x7b, 0xff, 0x7d]), 'RA_REQUEST_ENCODING'],
    ['malformed JSON', Buffer.from('{"kind":'), 'RA_REQUEST_SYNTAX'],
    ['a bare NaN', Buffer.from('{"kind": NaN}'), 'RA_REQUEST_SYNTAX'],
    ['a blank file', Buffer.from(' \n'), 'RA_REQUEST_FIELD'],
    ['a list', bytes([]), 'RA_REQUEST_FIELD'],
  ])('for %s', (_, source, code) => {
    expect(refusal(source)?.code).toBe(code);
  });

  it.each<[string, unknown]>([
    ['kind', { ...valid, kind: ' coordinator_inbox ' }],
    ['kind', { ...valid, kind: null }],
    ['session_id', { ...valid, session_id: 5 }],
    ['session_id', { ...valid, session_id: ' ' }],
    ['raw_prompt', { ...valid, raw_prompt: '\n' }],
    ['context', { ...valid, context: [] }],
    ['options', { ...valid, options: 'x' }],
  ])('names the field %s', (field, request) => {
    expect(refusal(bytes(request))?.happened).toMatch(new RegExp(`^${field} is `));
  });

  it('reports the first check that fails', () => {
    expect(refusal(bytes({ kind: 'x', session_id: 5 }))?.happened).toContain('kind');
  });

  it('never throws', () => {
    fc.assert(
      fc.property(fc.anything(), (value) => {
        expect(typeof readRequest(value).ok).toBe('boolean');
      }),
    );
    fc.assert(
      fc.property(fc.uint8Array(), (source) => {
        expect(typeof parseRequest(source).ok).toBe('boolean');
      }),
    );
  });
});
