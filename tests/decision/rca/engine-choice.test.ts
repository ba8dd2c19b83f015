import { describe, expect, it } from 'vitest';
import { chooseEngine } from '../../../src/decision/rca/engine-choice.js';
import { config } from './support.js';

const KEY = { OPENAI_API_KEY: 'sk-a-key-for-tests' };

describe('engine choice (spec 05 B.1, B.13)', () => {
  it.each<[string, Record<string, string>, string]>([
    ['nothing', {}, 'off'],
    ['an OpenAI key', KEY, 'openai'],
    ['a base URL alone', { OPENAI_BASE_URL: 'http://g/v1' }, 'off'],
    ['a gateway key alone', { LLM_API_KEY: 'k' }, 'off'],
    ['an Anthropic key', { ANTHROPIC_API_KEY: 'k' }, 'anthropic'],
    ['an Anthropic token', { ANTHROPIC_AUTH_TOKEN: 'k' }, 'anthropic'],
    ['a subscription token', { CLAUDE_CODE_OAUTH_TOKEN: 't' }, 'off'],
    ['a DeepSeek key', { DEEPSEEK_API_KEY: 'd' }, 'openai'],
    ['a DeepSeek URL alone', { DEEPSEEK_BASE_URL: 'http://d' }, 'off'],
    // The reference ends in the no-op engine here (B.12.8); the discovered pair is usable, so it is used.
    [
      'a DeepSeek key beside a keyless base URL',
      { DEEPSEEK_API_KEY: 'd', OPENAI_BASE_URL: 'http://b' },
      'anthropic',
    ],
    ['an address that is none', { ...KEY, OPENAI_BASE_URL: 'b' }, 'off'],
    ['an address of another scheme', { ...KEY, OPENAI_BASE_URL: 'ftp://b' }, 'off'],
  ])('of %s', (_, env, expected) => {
    const choice = chooseEngine(config(), env);
    expect(choice.kind === 'on' ? choice.credentials.provider : 'off').toBe(expected);
    expect(choice.warnings).toEqual([]);
  });

  // `on` and ` 1` do not count in the reference (B.1, "better").
  it.each(['1', 'true', 'TRUE', 'yes', 'on', ' 1', 'YES '])('the kill switch %j turns it off', (value) => {
    expect(chooseEngine(config(), { ...KEY, ROBUSTNESS_LLM_RCA_DISABLED: value })).toMatchObject({
      kind: 'off',
      reason: 'kill_switch',
    });
  });

  it.each(['0', '', 'no', 'off', 'false', '2'])('the kill switch %j leaves it on', (value) => {
    expect(chooseEngine(config(), { ...KEY, ROBUSTNESS_LLM_RCA_DISABLED: value }).kind).toBe('on');
  });

  it('false turns it off; true without credentials is off with a warning', () => {
    expect(chooseEngine(config({ llm_rca_enabled: false }), KEY)).toMatchObject({
      kind: 'off',
      reason: 'configured',
    });
    expect(chooseEngine(config({ llm_rca_enabled: true }), {})).toMatchObject({
      kind: 'off',
      reason: 'no_credentials',
      warnings: [expect.stringContaining('OPENAI_API_KEY')],
    });
    expect(chooseEngine(config({ llm_rca_enabled: true }), KEY)).toMatchObject({ kind: 'on', warnings: [] });
  });

  it('its line names provider, model, address and the way out, and no secret', () => {
    const { line } = chooseEngine(config(), { ...KEY, OPENAI_BASE_URL: 'https://gw.example/v1?sig=hidden' });
    expect(line).toContain('openai, model gpt-5.6-sol at https://gw.example/v1');
    expect(line).toContain('ROBUSTNESS_LLM_RCA_DISABLED=1');
    expect(line).not.toMatch(/hidden|sk-a-key/);
  });

  it('says why a subscription token does not serve', () => {
    const { line } = chooseEngine(config(), { CLAUDE_CODE_OAUTH_TOKEN: 't' });
    expect(line).toContain('CLAUDE_CODE_OAUTH_TOKEN');
  });

  it('the configuration names another model, or another endpoint', () => {
    expect(chooseEngine(config({ llm_model: 'm' }), KEY)).toMatchObject({
      credentials: { model: 'm', key: KEY.OPENAI_API_KEY },
    });
    const own = { llm_base_url: 'http://own', llm_api_key: 'own-key', llm_provider: 'Anthropic' };
    expect(chooseEngine(config(own), { ...KEY, CLAUDE_MODEL: 'cm' })).toMatchObject({
      credentials: { provider: 'anthropic', baseUrl: 'http://own', key: 'own-key', model: 'cm' },
    });
    expect(
      chooseEngine(config({ llm_base_url: 'http://own/v1', llm_api_key: 'own-key' }), {
        ANTHROPIC_API_KEY: 'k',
      }),
    ).toMatchObject({
      credentials: { provider: 'openai', baseUrl: 'http://own/v1', key: 'own-key' },
    });
  });
});
