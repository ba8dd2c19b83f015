import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { DEFAULT_CONFIG } from '../../../src/investigate/config.js';
import { type InvestigateSettings, readSettings } from '../../../src/runtime/investigate/settings.js';
import { loadConfig } from '../../../src/runtime/shared/load-config.js';
import { tempDir } from '../../support/temp-dir.js';

type Env = Record<string, string>;

function inDirectory(file: object | null, env: Env = {}, flags: Env = {}) {
  const cwd = tempDir();
  if (file !== null) writeFileSync(join(cwd, 'robustness.config.json'), JSON.stringify(file));
  return readSettings({ env, cwd, sessionDir: null, flags });
}

function good(...args: Parameters<typeof inDirectory>): InvestigateSettings {
  const reading = inDirectory(...args);
  if (!reading.ok) throw new Error(reading.problems.join('\n'));
  return reading.settings;
}

function problems(...args: Parameters<typeof inDirectory>): readonly string[] {
  const reading = inDirectory(...args);
  return reading.ok ? [] : reading.problems;
}

describe('settings of investigations', () => {
  it('have defaults, and no address of any service', () => {
    const { config, services, pageToken, warnings } = good(null);
    expect(config).toEqual(DEFAULT_CONFIG);
    expect(config).toMatchObject({
      jaegerUrl: '',
      lokiUrl: '',
      maxModelRequests: 20,
      maxToolCalls: 40,
      maxInputTokens: 200_000,
      maxOutputTokens: 20_000,
      maxWallS: 300,
      maxCostUsd: null,
      verifierEnabled: false,
      maskIdentifiers: false,
      abstractUserFields: null,
      keepTranscript: true,
      bands: { mediumMin: 0.55, highMin: 0.85, lowCeiling: 0.5, mediumCeiling: 0.8 },
    });
    expect([services, pageToken, warnings]).toEqual([{}, null, []]);
  });

  it.each<[object, object]>([
    [{ investigate_max_wall_s: 60 }, { maxWallS: 60 }],
    [{ investigate_governor_profile: 'reference' }, { profile: 'reference' }],
    [{ investigate_source_roots: ['/opt/a', '/opt/b'] }, { sourceRoots: ['/opt/a', '/opt/b'] }],
    [{ investigate_keep_transcript: false }, { keepTranscript: false }],
    [{ investigate_max_cost_usd: 0.5 }, { maxCostUsd: 0.5 }],
    [
      { investigate_verifier_model: 'judge', investigate_verifier_min_band: 'high' },
      { verifierModel: 'judge' },
    ],
    [{ jaeger_url: 'http://jaeger:16686' }, { jaegerUrl: 'http://jaeger:16686' }],
    [
      { retry_confidence: 0.3, fastpath_confidence: 0.95 },
      { retryConfidence: 0.3, fastpathConfidence: 0.95 },
    ],
    [{ band_medium_min: 0.6 }, { bands: { ...DEFAULT_CONFIG.bands, mediumMin: 0.6 } }],
  ])('the file says %j', (file, expected) => {
    expect(good(file).config).toMatchObject(expected);
  });

  it('the environment outbids the file, and a flag both', () => {
    const file = { investigate_governor_profile: 'reference', investigate_max_wall_s: 60 };
    const env = { INVESTIGATE_GOVERNOR_PROFILE: 'strict', INVESTIGATE_MAX_WALL_S: '70' };
    expect(good(file, env).config).toMatchObject({ profile: 'strict', maxWallS: 70 });
    const flags = { investigate_governor_profile: 'reference' };
    expect(good(file, env, flags).config).toMatchObject({ profile: 'reference', maxWallS: 70 });
  });

  it('a file of the session directory comes before one of the working directory', () => {
    const cwd = tempDir();
    const sessionDir = join(cwd, 'session');
    mkdirSync(sessionDir);
    for (const [directory, seconds] of [
      [cwd, 10],
      [sessionDir, 20],
    ] as const)
      writeFileSync(
        join(directory, 'robustness.config.json'),
        JSON.stringify({ investigate_max_wall_s: seconds }),
      );
    const wall = (sources: { sessionDir: string | null }) => {
      const reading = readSettings({ env: {}, cwd, ...sources });
      return reading.ok ? reading.settings.config.maxWallS : null;
    };
    expect([wall({ sessionDir }), wall({ sessionDir: null })]).toEqual([20, 10]);
  });

  it.each<[Env, object]>([
    [{ MAX_TOOL_CALLS: '7' }, { maxToolCalls: 7 }],
    [{ MAX_TOOL_CALLS: '7', INVESTIGATE_MAX_TOOL_CALLS: '9' }, { maxToolCalls: 9 }],
    [
      { VERIFIER_ENABLED: 'TRUE', VERIFIER_MIN_BAND: 'High' },
      { verifierEnabled: true, verifierMinBand: 'high' },
    ],
    [{ JAEGER_URL: 'http://a', INVESTIGATE_JAEGER_URL: 'http://b' }, { jaegerUrl: 'http://b' }],
    [{ LOKI_URL: ' http://loki:3100 ' }, { lokiUrl: 'http://loki:3100' }],
    [{ RETRY_CONFIDENCE: '0.2', BAND_HIGH_MIN: '0.9' }, { retryConfidence: 0.2 }],
    [{ INVESTIGATE_SOURCE_ROOTS: '/opt/a, /opt/b,' }, { sourceRoots: ['/opt/a', '/opt/b'] }],
    [{ INVESTIGATE_MAX_COST_USD: 'null' }, { maxCostUsd: null }],
    [{ INVESTIGATE_MAX_WALL_S: '   ' }, { maxWallS: 300 }],
  ])('the variables %j are read', (env, expected) => {
    expect(good(null, env).config).toMatchObject(expected);
  });

  it.each<[Env, string]>([
    [{ INVESTIGATE_MAX_WALL_S: '5m' }, 'INVESTIGATE_MAX_WALL_S'],
    [{ MAX_TOOL_CALLS: 'many' }, 'MAX_TOOL_CALLS'],
    [{ INVESTIGATE_MAX_TOOL_CALLS: '1.5' }, 'INVESTIGATE_MAX_TOOL_CALLS'],
    [{ INVESTIGATE_GOVERNOR_PROFILE: 'lax' }, 'INVESTIGATE_GOVERNOR_PROFILE'],
    [{ VERIFIER_MIN_BAND: 'huge' }, 'VERIFIER_MIN_BAND'],
    [{ INVESTIGATE_KEEP_TRANSCRIPT: 'perhaps' }, 'INVESTIGATE_KEEP_TRANSCRIPT'],
    [{ JAEGER_URL: 'jaeger:16686/ui' }, 'jaeger_url'],
    [{ LOKI_URL: 'http://user:canary@loki' }, 'loki_url'],
    [{ INVESTIGATE_PRICES: 'gpt=cheap' }, 'investigate_prices'],
  ])('%j is refused, naming %s', (env, name) => {
    const found = problems(null, env);
    expect(found).toEqual([expect.stringContaining(name)]);
    expect(found.join()).not.toContain('canary');
  });

  it.each<[object, string]>([
    [{ investigate_max_wall_s: '60' }, 'investigate_max_wall_s'],
    [{ investigate_source_roots: '/opt' }, 'investigate_source_roots'],
    [{ investigate_mode: 'later' }, 'investigate_mode'],
    [{ github_token: 12_345 }, 'github_token'],
    [{ investigate_wall_s: 60 }, 'there is no setting investigate_wall_s'],
    [{ investigate: { mode: 'off' } }, 'there is no setting investigate;'],
  ])('a file with %j is refused, naming %s', (file, name) => {
    expect(problems(file)).toEqual([expect.stringContaining(name)]);
  });

  it('a number out of range is brought to its limit, with a warning that names it', () => {
    const { config, warnings } = good({ investigate_keep: 0 }, { INVESTIGATE_MAX_WALL_S: '99999' });
    expect(config).toMatchObject({ keep: 1, maxWallS: 3600 });
    expect(warnings).toEqual([
      expect.stringMatching(/investigate_keep is out of range.*its limit is used/),
      expect.stringMatching(/^environment: INVESTIGATE_MAX_WALL_S is out of range.*its limit is used/),
    ]);
  });

  it.each<Env>([
    { BAND_MEDIUM_MIN: '0.9' },
    { BAND_CEIL_LOW: '0.55' },
    { BAND_CEIL_MEDIUM: '0.85' },
    { BAND_HIGH_MIN: '0.5' },
  ])('bands that do not fit together are refused: %j', (env) => {
    expect(problems(null, env)).toEqual([expect.stringContaining('the bands do not fit together')]);
  });

  it('names a variable that is none of its own, and does not end for it', () => {
    expect(good(null, { INVESTIGATE_MAXWALL_S: '3', INVESTIGATE_MODE: 'off' }).warnings).toEqual([
      'environment: there is no setting INVESTIGATE_MAXWALL_S; ignored',
    ]);
  });

  it('keeps credentials apart from everything that is shown or recorded', () => {
    const file = {
      github_token: 'canary-github',
      investigate_token: 'canary-page',
      e2b_api_key: 'canary-e2b',
    };
    const settings = good(file, { JAEGER_AUTH: 'Basic canary-jaeger' });
    expect(settings.services.githubToken?.reveal()).toBe('canary-github');
    expect(settings.services.jaegerAuth?.reveal()).toBe('Basic canary-jaeger');
    expect(settings.pageToken).toBe('canary-page');
    expect(settings.masked).toEqual(
      expect.arrayContaining(['canary-github', 'canary-page', 'canary-e2b', 'canary-jaeger']),
    );
    expect(JSON.stringify([settings.agent, settings.config, settings.services])).not.toContain('canary');
  });

  it('masks a credential that another place outbids', () => {
    const env = { INVESTIGATE_GITHUB_TOKEN: 'canary-one', GITHUB_TOKEN: 'canary-two' };
    const { services, masked } = good({ github_token: 'canary-file' }, env);
    expect(services.githubToken?.reveal()).toBe('canary-one');
    expect(masked).toEqual(expect.arrayContaining(['canary-one', 'canary-two']));
  });

  it('knows prices of its own before those of selfedit', () => {
    const file = {
      selfedit: { prices: { a: { in: 1, out: 2 }, b: { in: 3, out: 4 } } },
      investigate_prices: ['b=0.5/1.5'],
    };
    expect(good(file).config.prices).toEqual({
      a: { inputUsd: 1, outputUsd: 2 },
      b: { inputUsd: 0.5, outputUsd: 1.5 },
    });
  });

  it('says that there is no telemetry to turn on', () => {
    expect(good({ investigate_telemetry: true }).warnings).toEqual([expect.stringContaining('no telemetry')]);
  });
});

describe('a tick with settings of investigations', () => {
  const tick = (env: Env) => loadConfig({ env, cwd: tempDir(), sessionDir: null });

  it('takes no offence at variables that may be somebody else', () => {
    const { problems: found, secrets } = tick({ MAX_TOOL_CALLS: 'many', GITHUB_TOKEN: 'x', LOKI_URL: 'y' });
    expect([found, secrets]).toEqual([[], {}]);
  });

  it('names what is wrong with its own and goes on', () => {
    const { config, problems: found } = tick({ INVESTIGATE_COOLDOWN_S: 'soon', INVESTIGATE_QUEUE_MAX: '0' });
    expect(config).toMatchObject({ investigate_cooldown_s: 900, investigate_queue_max: 1 });
    expect(found.map(({ name, problem }) => [name, problem])).toEqual([
      ['INVESTIGATE_COOLDOWN_S', 'unusable'],
      ['INVESTIGATE_QUEUE_MAX', 'clamped'],
    ]);
  });

  it('takes the name with ROBUSTNESS_ in front as for every setting', () => {
    expect(tick({ ROBUSTNESS_INVESTIGATE_MODE: 'OFF' }).config).toMatchObject({ investigate_mode: 'off' });
  });
});
