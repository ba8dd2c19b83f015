import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { redactCommand, redactorFor, redactText, secretValues } from '../../src/foreign/redact.js';

describe('redactText', () => {
  it.each([
    ['Authorization: Bearer abc.def-123', 'Authorization: [redacted]'],
    ['authorization: Basic dXNlcjpwYXNzd29yZA==', 'authorization: [redacted]'],
    ['sent bearer t0k3n twice', 'sent bearer [redacted] twice'],
    ['key sk-abcdefghi end', 'key [redacted] end'],
    ['sk-ant-api03-AbC_dEf', '[redacted]'],
    ['push with ghp_0123456789abcdef', 'push with [redacted]'],
    ['hf_abcdefghi', '[redacted]'],
    ['id AKIAIOSFODNN7EXAMPLE', 'id [redacted]'],
    ['api_key=abcdefgh', 'api_key=[redacted]'],
    ['X-Api-Key: abcdefgh12', 'X-Api-Key: [redacted]'],
    ['my_password = hunter2hunter2, next', 'my_password = [redacted], next'],
    ['{"access_token": "aaaabbbbcccc", "n": 1}', '{"access_token": "[redacted]", "n": 1}'],
    ["{'secret': 'with blanks in it', 'n': 1}", "{'secret': '[redacted]', 'n': 1}"],
    ['{\\"token\\": \\"aaaabbbbcccc\\"}', '{\\"token\\": \\"[redacted]\\"}'],
    ['http://user:p%40ss@host:8888/health', 'http://[redacted]@host:8888/health'],
    ['postgres://u:p@ss@db/x', 'postgres://[redacted]@db/x'],
    ['http://h/x?model=a&api_key=1&sig=zz#f', 'http://h/x?model=a&api_key=[redacted]&sig=[redacted]#f'],
    ['GET /v1/models?X-Goog-Signature=00&y=1', 'GET /v1/models?X-Goog-Signature=[redacted]&y=1'],
  ])('masks %s', (input, expected) => {
    expect(redactText(input)).toBe(expected);
  });

  it.each([
    'http://127.0.0.1:8888/health?model=llama&deep=1',
    'mail someone@example.org about http://host/path',
    'max_tokens=40960000 tokens: 12345678',
    'tokenizer=sentencepiece',
    'risk-assessment of a desk-mounted device',
    'sk-short and hf_short and AKIA123',
    'token=short',
    'secretary: present at the meeting',
    'bearers of bad news',
    'HIP out of memory. Tried to allocate 9 GiB',
  ])('leaves %s alone', (input) => {
    expect(redactText(input)).toBe(input);
  });

  it('masks every query value on demand', () => {
    expect(redactText('http://h/x?a=1&b=2', { query: 'all' })).toBe('http://h/x?a=[redacted]&b=[redacted]');
  });

  it('masks the values of secret environment variables, longest first', () => {
    const redact = redactorFor({
      MY_TOKEN: 'abcdefgh',
      OTHER_KEY: 'abcdefghij',
      PATH: '/usr/bin:/bin',
      SHORT_KEY: 'x',
    });
    expect(redact('saw abcdefghij and abcdefgh in /usr/bin:/bin x')).toBe(
      'saw [redacted] and [redacted] in /usr/bin:/bin x',
    );
  });

  it('changes nothing the second time', () => {
    const piece = fc.constantFrom(
      'Bearer ',
      'token=',
      'Authorization: ',
      'Negotiate ',
      'sk-',
      'abcdefghijkl',
      '"',
      "'",
      '\\',
      '&',
      '?key=',
      'http://',
      'u:p@',
      ' ',
      '[redacted]',
      ';',
      '\n',
      'ghp_',
      '{',
      '}',
      ':',
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 14 }), (pieces) => {
        const once = redactText(pieces.join(''));
        expect(redactText(once)).toBe(once);
      }),
      { numRuns: 2000 },
    );
  });

  it('never lets a named secret through, whatever stands around it', () => {
    const value = fc.stringMatching(/^[A-Za-z0-9]{12,40}$/);
    const name = fc.constantFrom(
      'api_key',
      'OPENAI_API_KEY',
      'x-token',
      'db.password',
      'Authorization',
      'hf-secret',
    );
    fc.assert(
      fc.property(
        fc.string(),
        name,
        fc.constantFrom('=', ': ', '": "', "': '"),
        value,
        (before, key, joint, secret) => {
          const text = `${before} ${key}${joint}${secret} `;
          fc.pre(!before.includes(secret));
          expect(redactText(text)).not.toContain(secret);
        },
      ),
    );
  });

  it('takes time in proportion to the length', () => {
    const hostile = [
      '://'.repeat(20_000),
      'token='.repeat(10_000),
      `bearer${' '.repeat(60_000)}`,
      '"token":"'.repeat(6000),
    ];
    const start = performance.now();
    for (const text of hostile) redactText(text);
    expect(performance.now() - start).toBeLessThan(2000);
  });
});

describe('redactCommand', () => {
  it.each([
    ['serve --api-key abc --port 1', 'serve --api-key [redacted] --port 1'],
    ['serve --hf-token=abc', 'serve --hf-token=[redacted]'],
    ['HF_TOKEN=abc python x.py', 'HF_TOKEN=[redacted] python x.py'],
    ['curl http://h/x?a=1', 'curl http://h/x?a=[redacted]'],
    ['env openai_api_key="a b" x', 'env openai_api_key=[redacted] x'],
  ])('masks %s', (input, expected) => {
    expect(redactCommand(input)).toBe(expected);
  });

  it('leaves ordinary options alone', () => {
    const command = 'python -m vllm.entrypoints --port 8888 --tokenizer x MODE=fast';
    expect(redactCommand(command)).toBe(command);
  });
});

describe('secretValues', () => {
  it('takes long values of secret names only', () => {
    expect(
      secretValues({ A_KEY: 'longenough1', B: 'longenough2', PASSWORD: 'short', TOKEN: undefined }),
    ).toEqual(['longenough1']);
  });
});
