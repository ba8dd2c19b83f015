import { describe, expect, it } from 'vitest';
import { customHeaders } from '../../../src/sources/external/custom-headers.js';
import { gatewayTarget } from '../../../src/sources/external/gateway-target.js';
import { proxyFor } from '../../../src/sources/external/proxy.js';
import { retryAfterS } from '../../../src/sources/external/retry-after.js';

function ask(env: Record<string, string>, override = '') {
  const target = gatewayTarget(override, env);
  return target && { ...target, url: target.url.href };
}

describe('the gateway to ask', () => {
  it.each([
    ['https://gw.example/v1///', 'https://gw.example/v1/models'],
    ['https://gw.example/v1?api-version=3#x', 'https://gw.example/v1/models?api-version=3'],
    ['https://gw.example', 'https://gw.example/models'],
  ])('%s is asked at %s', (base, url) => {
    expect(ask({ OPENAI_BASE_URL: base })?.url).toBe(url);
  });

  it.each([
    ['https://api.example', 'https://api.example/v1/models'],
    ['https://api.example/v1/', 'https://api.example/v1/models'],
  ])('of Anthropic style %s is asked at %s', (base, url) => {
    expect(ask({ ANTHROPIC_BASE_URL: base, ANTHROPIC_API_KEY: 'k1' })).toEqual({
      url,
      flavor: 'anthropic',
      headers: { 'anthropic-version': '2023-06-01', 'x-api-key': 'k1' },
      authenticated: true,
    });
  });

  it('is nobody without a usable URL', () => {
    expect(ask({})).toBeNull();
    expect(ask({ OPENAI_BASE_URL: ' ' })).toBeNull();
    expect(ask({ OPENAI_BASE_URL: 'gw.example' })).toBeNull();
    expect(ask({ OPENAI_BASE_URL: 'https://gw.example' }, 'not a url')).toBeNull();
  });

  it('gets the key that belongs to it, and no other', () => {
    const env = {
      OPENAI_BASE_URL: 'https://gw.example/v1',
      ANTHROPIC_API_KEY: 'a',
      ANTHROPIC_AUTH_TOKEN: 'b',
    };
    expect(ask(env)).toMatchObject({ headers: {}, authenticated: false });
    expect(ask({ ...env, LLM_GATEWAY_KEY: 'g' })?.headers).toEqual({ authorization: 'Bearer g' });
    expect(ask({ ...env, LLM_GATEWAY_KEY: 'g', OPENAI_API_KEY: ' o ' })?.headers).toEqual({
      authorization: 'Bearer o',
    });
  });

  it('gets a bearer header when a token is the only Anthropic credential', () => {
    const target = ask({ ANTHROPIC_BASE_URL: 'https://api.example', ANTHROPIC_AUTH_TOKEN: 't' });
    expect(target?.headers).toEqual({ 'anthropic-version': '2023-06-01', authorization: 'Bearer t' });
  });

  it('gets nothing over plain http beyond this machine', () => {
    const key = { OPENAI_API_KEY: 'o' };
    expect(ask({ ...key, OPENAI_BASE_URL: 'http://gw.example/v1' })?.authenticated).toBe(false);
    expect(ask({ ...key, OPENAI_BASE_URL: 'http://10.0.0.1/v1' })?.authenticated).toBe(false);
    expect(ask({ ...key, OPENAI_BASE_URL: 'http://127.0.0.1:4000/v1' })?.authenticated).toBe(true);
  });

  it('gets nothing under an override of another host', () => {
    const env = {
      OPENAI_BASE_URL: 'https://gw.example/v1',
      OPENAI_API_KEY: 'o',
      ANTHROPIC_BASE_URL: 'https://a.example',
      ANTHROPIC_API_KEY: 'a',
    };
    expect(ask(env, 'https://evil.example/models')).toMatchObject({ headers: {}, authenticated: false });
    expect(ask(env, 'https://gw.example/healthz')).toMatchObject({
      url: 'https://gw.example/healthz',
      authenticated: true,
    });
    expect(ask(env, 'https://a.example/v1/models')?.headers).toMatchObject({ 'x-api-key': 'a' });
    expect(ask(env, 'https://gw.example:8443/')).toMatchObject({ authenticated: false });
  });

  it('gets custom headers only beside a key, and they may replace it', () => {
    const env = {
      OPENAI_BASE_URL: 'https://gw.example/v1',
      OPENAI_CUSTOM_HEADERS: `X-Team: \${TEAM}\nbad line\nA: b`,
      TEAM: 't1',
    };
    expect(ask(env)?.headers).toEqual({});
    expect(ask({ ...env, OPENAI_API_KEY: 'o' })?.headers).toEqual({
      'x-team': 't1',
      a: 'b',
      authorization: 'Bearer o',
    });
    const own = { ...env, OPENAI_API_KEY: 'o', OPENAI_CUSTOM_HEADERS: '{"Authorization": "Basic z"}' };
    expect(ask(own)?.headers).toEqual({ authorization: 'Basic z' });
  });
});

describe('custom headers', () => {
  it('leave out what would not be one header', () => {
    expect(customHeaders('{"a b": "x", "c": "d\\r\\nevil: 1", "e": 5, "f": "ok"}', {})).toEqual({ f: 'ok' });
    expect(customHeaders(`X: \${EVIL}`, { EVIL: 'a\r\nb: c' })).toEqual({});
    expect(customHeaders(`X: a\${UNSET}b`, {})).toEqual({ x: 'ab' });
    expect(customHeaders('{broken', {})).toEqual({});
    expect(customHeaders(undefined, {})).toEqual({});
  });
});

describe('the proxy', () => {
  const env = {
    HTTPS_PROXY: 'http://proxy.example:3128',
    HTTP_PROXY: 'http://plain.example',
    NO_PROXY: 'inside.example,.corp:444',
  };
  it.each([
    ['https://gw.example/', 'http://proxy.example:3128'],
    ['http://gw.example/', 'http://plain.example'],
    ['https://127.0.0.1/', undefined],
    ['https://10.1.2.3/', undefined],
    ['https://localhost/', undefined],
    ['https://inside.example/', undefined],
    ['https://a.inside.example/', undefined],
    ['https://notinside.example/', 'http://proxy.example:3128'],
    ['https://x.corp:444/', undefined],
    ['https://x.corp/', 'http://proxy.example:3128'],
  ])('for %s is %s', (url, proxy) => {
    expect(proxyFor(new URL(url), env)).toBe(proxy);
  });

  it('is none by wildcard, without a variable, or of a kind that is not known', () => {
    const url = new URL('https://gw.example/');
    expect(proxyFor(url, { ...env, NO_PROXY: '*' })).toBeUndefined();
    expect(proxyFor(url, {})).toBeUndefined();
    expect(proxyFor(url, { ALL_PROXY: 'socks5://proxy.example' })).toBeUndefined();
  });
});

describe('Retry-After', () => {
  it.each([
    ['120', 120],
    [' 5 ', 5],
    ['Wed, 21 Oct 2026 07:28:00 GMT', 60],
    ['Wed, 21 Oct 2015 07:28:00 GMT', 0],
    ['soon', null],
    ['-5', null],
    ['1e3', null],
    [undefined, null],
  ])('%j means %j s', (header, seconds) => {
    expect(retryAfterS(header, Date.UTC(2026, 9, 21, 7, 27) / 1000)).toBe(seconds);
  });
});
