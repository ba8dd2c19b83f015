import { describe, expect, it } from 'vitest';
import { discoverCredentials, INVESTIGATE_DISCOVERY } from '../../src/llm/credentials.js';
import { parseCustomHeaders } from '../../src/llm/custom-headers.js';
import { checkEndpoint } from '../../src/llm/endpoint.js';
import type { EnvRecord } from '../../src/llm/env-view.js';

const OPENAI = 'https://api.openai.com/v1';
const ANTHROPIC = 'https://api.anthropic.com';

function found(env: EnvRecord): string[] {
  const { baseUrl, key, provider, model } = discoverCredentials(env);
  return [baseUrl, key, provider, model];
}

describe('credential discovery', () => {
  it.each<[string, EnvRecord, string[]]>([
    ['nothing', {}, ['', '', 'openai', 'gpt-5.6-sol']],
    ['blank values', { OPENAI_API_KEY: ' ', ANTHROPIC_API_KEY: '' }, ['', '', 'openai', 'gpt-5.6-sol']],
    ['an OpenAI key', { OPENAI_API_KEY: ' k ' }, [OPENAI, 'k', 'openai', 'gpt-5.6-sol']],
    ['a base URL alone', { OPENAI_BASE_URL: 'http://g/v1' }, ['', '', 'openai', 'gpt-5.6-sol']],
    ['a gateway key alone', { LLM_API_KEY: 'lk' }, ['', '', 'openai', 'gpt-5.6-sol']],
    ['the other gateway key alone', { LLM_GATEWAY_KEY: 'g' }, ['', '', 'openai', 'gpt-5.6-sol']],
    [
      'a gateway with both keys',
      { OPENAI_BASE_URL: 'http://g/v1', LLM_API_KEY: 'lk', LLM_GATEWAY_KEY: 'gk' },
      ['http://g/v1', 'lk', 'openai', 'gpt-5.6-sol'],
    ],
    [
      'a gateway without key beside an Anthropic key',
      { OPENAI_BASE_URL: 'http://g/v1', ANTHROPIC_API_KEY: 'ak' },
      [ANTHROPIC, 'ak', 'anthropic', 'claude-opus-5'],
    ],
    ['both keys', { OPENAI_API_KEY: 'k', ANTHROPIC_API_KEY: 'x' }, [OPENAI, 'k', 'openai', 'gpt-5.6-sol']],
    [
      'Anthropic key and token',
      { ANTHROPIC_AUTH_TOKEN: 'at', ANTHROPIC_API_KEY: 'ak' },
      [ANTHROPIC, 'ak', 'anthropic', 'claude-opus-5'],
    ],
    ['a subscription token', { CLAUDE_CODE_OAUTH_TOKEN: 't' }, ['', '', 'anthropic', 'claude-opus-5']],
    [
      'a DeepSeek key',
      { DEEPSEEK_API_KEY: 'd' },
      ['https://api.deepseek.com/v1', 'd', 'openai', 'deepseek-v4-pro'],
    ],
    [
      'a DeepSeek key and a model',
      { DEEPSEEK_API_KEY: 'd', CODEX_MODEL: 'cm' },
      ['https://api.deepseek.com/v1', 'd', 'openai', 'cm'],
    ],
    [
      'a DeepSeek URL of the Anthropic kind',
      { DEEPSEEK_API_KEY: 'd', DEEPSEEK_BASE_URL: 'http://ds/Anthropic' },
      ['http://ds/v1', 'd', 'openai', 'deepseek-v4-pro'],
    ],
    [
      'a DeepSeek URL of the bare host',
      { DEEPSEEK_API_KEY: 'd', DEEPSEEK_BASE_URL: 'https://api.deepseek.com/' },
      ['https://api.deepseek.com/v1', 'd', 'openai', 'deepseek-v4-pro'],
    ],
    [
      'a DeepSeek URL of another kind',
      { DEEPSEEK_API_KEY: 'd', DEEPSEEK_BASE_URL: 'http://ds/x//', DEEPSEEK_MODEL: 'm' },
      ['http://ds/x/v1', 'd', 'openai', 'm'],
    ],
    [
      'a DeepSeek key beside an Anthropic key',
      { DEEPSEEK_API_KEY: 'd', ANTHROPIC_API_KEY: 'ak' },
      [ANTHROPIC, 'ak', 'anthropic', 'claude-opus-5'],
    ],
    ['a DeepSeek URL alone', { DEEPSEEK_BASE_URL: 'http://ds' }, ['', '', 'openai', 'deepseek-v4-pro']],
    [
      'a DeepSeek key beside a base URL',
      { DEEPSEEK_API_KEY: 'd', OPENAI_BASE_URL: 'b' },
      ['https://api.deepseek.com/anthropic', 'd', 'anthropic', 'deepseek-v4-pro'],
    ],
    [
      'a DeepSeek gateway in today’s variables, without a model',
      { ANTHROPIC_BASE_URL: 'https://api.deepseek.com/anthropic', ANTHROPIC_API_KEY: 'ak' },
      ['https://api.deepseek.com/anthropic', 'ak', 'anthropic', 'deepseek-v4-pro'],
    ],
  ])('of %s (spec 01 §13.10, 05 B.13)', (_, env, expected) => {
    expect(found(env)).toEqual(expected);
  });

  it.each<[EnvRecord, string]>([
    [{ ROBUSTNESS_LLM_MODEL: 'r', LLM_MODEL: 'l', OPENAI_MODEL: 'o', CODEX_MODEL: 'c' }, 'r'],
    [{ ROBUSTNESS_LLM_MODEL: ' ', LLM_MODEL: 'l', OPENAI_MODEL: 'o', CODEX_MODEL: 'c' }, 'l'],
    [{ OPENAI_MODEL: 'o', CODEX_MODEL: 'c' }, 'o'],
    [{ CODEX_MODEL: 'c', ANTHROPIC_MODEL: 'a' }, 'c'],
    [{ ANTHROPIC_API_KEY: 'k', OPENAI_MODEL: 'o', ANTHROPIC_MODEL: 'a', CLAUDE_MODEL: 'cl' }, 'a'],
    [{ ANTHROPIC_API_KEY: 'k', OPENAI_MODEL: 'o', CLAUDE_MODEL: 'cl' }, 'cl'],
  ])('takes the first model that is named: %j -> %s (spec 05 B.3)', (env, model) => {
    expect(discoverCredentials(env).model).toBe(model);
  });

  it('never puts a subscription token anywhere', () => {
    const token = 'oauth-token-that-must-not-travel';
    const credentials = discoverCredentials({ CLAUDE_CODE_OAUTH_TOKEN: token });
    expect(JSON.stringify(credentials)).not.toContain(token);
    expect(credentials.onlySubscriptionToken).toBe(true);
    expect(checkEndpoint(credentials)).toMatchObject({
      ok: false,
      problem: expect.stringContaining('subscription'),
    });
  });

  it('does not change the environment it reads', () => {
    const env = Object.freeze({ DEEPSEEK_API_KEY: 'd' });
    discoverCredentials(env);
    expect(Object.keys(env)).toEqual(['DEEPSEEK_API_KEY']);
  });

  it.each<[EnvRecord, string[]]>([
    [{ OPENROUTER_API_KEY: 'or' }, ['https://openrouter.ai/api/v1', 'or', 'deepseek/deepseek-chat-v3-0324']],
    [
      { OPENROUTER_API_KEY: 'or', MODEL_NAME: 'openrouter/x/y' },
      ['https://openrouter.ai/api/v1', 'or', 'x/y'],
    ],
    [
      { OPENROUTER_API_KEY: 'or', ANTHROPIC_API_KEY: 'ak' },
      ['https://openrouter.ai/api/v1', 'or', 'deepseek/deepseek-chat-v3-0324'],
    ],
    [
      { OPENROUTER_API_KEY: 'or', OPENAI_API_KEY: 'k', INVESTIGATE_MODEL: 'im', LLM_MODEL: 'l' },
      [OPENAI, 'k', 'im'],
    ],
    [{ OPENAI_API_KEY: 'k', MODEL_NAME: 'mn', CODEX_MODEL: 'c' }, [OPENAI, 'k', 'c']],
    [{ OPENAI_API_KEY: 'k', MODEL_NAME: 'mn' }, [OPENAI, 'k', 'mn']],
  ])('of an investigation also knows OpenRouter: %j (spec 07 B12)', (env, expected) => {
    const { baseUrl, key, model } = discoverCredentials(env, INVESTIGATE_DISCOVERY);
    expect([baseUrl, key, model]).toEqual(expected);
    expect(discoverCredentials({ OPENROUTER_API_KEY: 'or' }).key).toBe('');
  });
});

describe('the endpoint check', () => {
  const base = discoverCredentials({ OPENAI_API_KEY: 'k' });

  it.each([
    ['ftp://h/v1', 'scheme'],
    ['file:///etc/passwd', 'scheme'],
    ['h/v1', 'not a URL'],
    ['http://user:pw-very-secret@h/v1', 'user info'],
  ])('refuses %s without repeating what is secret', (baseUrl, word) => {
    const check = checkEndpoint({ ...base, baseUrl });
    expect(check).toMatchObject({ ok: false, problem: expect.stringContaining(word) });
    expect(JSON.stringify(check)).not.toContain('pw-very-secret');
  });

  it('refuses a key that no header can carry', () => {
    expect(checkEndpoint({ ...base, key: 'a\nb' })).toMatchObject({ ok: false });
  });

  it('shows an address without its query', () => {
    expect(checkEndpoint({ ...base, baseUrl: 'https://h/v1/?sig=s' })).toEqual({
      ok: true,
      endpoint: { baseUrl: 'https://h/v1', query: { sig: 's' }, shown: 'https://h/v1' },
    });
  });
});

describe('custom headers (spec 05 B.6)', () => {
  const env = { V: 'q', EVIL: 'x\r\nInjected: 1', ALL: '{"A":"1"}' };

  it.each<[string, Record<string, string>]>([
    ['{"A":1," B ":" x ","":3}', { A: '1', B: 'x' }],
    ['A:b:c', { A: 'b:c' }],
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the syntax under test
    ['A: ${V}-${NOPE}', { A: 'q-' }],
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the syntax under test
    ['${ALL}', { A: '1' }],
    ['noline', {}],
    ['[1]', {}],
    ['{bad', {}],
    ['', {}],
    ['A: 1\n\n : x\nB:\nb: 2', { A: '1', b: '2' }],
  ])('reads %j', (source, headers) => {
    expect(parseCustomHeaders(source, env)).toEqual({ headers, problems: [] });
  });

  // biome-ignore lint/suspicious/noTemplateCurlyInString: the syntax under test
  it.each(['A B: x', 'A: \u0001', '{"A":"b\\nc"}', 'A: ${EVIL}', 'Ä: x'])(
    'refuses %j and says so',
    (source) => {
      const { headers, problems } = parseCustomHeaders(source, env);
      expect(headers).toEqual({});
      expect(problems).toHaveLength(1);
    },
  );
});
