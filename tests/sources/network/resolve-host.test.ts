import { describe, expect, it } from 'vitest';
import { fixedLookup, resolveHost } from '../../../src/sources/network/resolve-host.js';

const ask = (host: string, timeoutMs = 5000) => resolveHost(host, timeoutMs, new AbortController().signal);

describe('a host name', () => {
  it.each([
    ['127.0.0.1', [{ address: '127.0.0.1', family: 4 }]],
    ['[::1]', [{ address: '::1', family: 6 }]],
    [
      'localhost',
      [
        { address: '127.0.0.1', family: 4 },
        { address: '::1', family: 6 },
      ],
    ],
  ])('%s needs nobody', async (host, addresses) => {
    expect(await ask(host)).toEqual({ kind: 'addresses', addresses });
  });

  it('that looks like an option is none', async () => {
    expect(await ask('--help')).toMatchObject({ kind: expect.stringMatching(/unknown_host|timeout/) });
  });

  it('is given up at its limit', async () => {
    const aborted = await resolveHost('gateway.invalid', 5000, AbortSignal.abort());
    expect(aborted?.kind).not.toBe('addresses');
  });
});

describe('a look-up that knows its answer', () => {
  const lookup = fixedLookup([
    { address: '127.0.0.1', family: 4 },
    { address: '::1', family: 6 },
  ]);

  it('gives one address, or all', async () => {
    const answer = (all: boolean) =>
      new Promise((resolve) => lookup('x', { all }, (_error, address, family) => resolve([address, family])));
    expect(await answer(false)).toEqual(['127.0.0.1', 4]);
    expect(await answer(true)).toEqual([
      [
        { address: '127.0.0.1', family: 4 },
        { address: '::1', family: 6 },
      ],
      undefined,
    ]);
  });
});
