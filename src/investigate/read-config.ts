import { DEFAULT_CONFIG, type InvestigateConfig } from './config.js';
import { isConfidenceLevel } from './model/confidence.js';
import { SANDBOX_DRIVERS } from './sandbox/choice.js';
import { readCommand } from './tools/github/mcp-command.js';

export interface ConfigReading {
  readonly config: InvestigateConfig;
  /** Settings that cannot be used, each naming its variable; the command ends with them. */
  readonly errors: readonly string[];
  /** Settings that were brought into their range. */
  readonly warnings: readonly string[];
}

type Env = Readonly<Record<string, string | undefined>>;
type NumberKey = {
  [K in keyof InvestigateConfig]: InvestigateConfig[K] extends number ? K : never;
}[keyof InvestigateConfig];

interface NumberSetting {
  readonly key: NumberKey;
  /** Variable names, the first that is set wins. */
  readonly names: readonly string[];
  readonly minimum: number;
  readonly maximum: number;
}

const setting = (
  key: NumberKey,
  name: string,
  minimum: number,
  maximum: number,
  ...aliases: string[]
): NumberSetting => ({
  key,
  names: [`INVESTIGATE_${name}`, ...aliases],
  minimum,
  maximum,
});

const NUMBERS: readonly NumberSetting[] = [
  setting('cooldownS', 'COOLDOWN_S', 0, 86_400),
  setting('queueMax', 'QUEUE_MAX', 1, 1000),
  setting('keep', 'KEEP', 1, 10_000),
  setting('corroborationMaxGapS', 'CORROBORATION_MAX_GAP_S', 0, 86_400),
  setting('stateMaxAgeS', 'STATE_MAX_AGE_S', 0, 86_400),
  setting('maxModelRequests', 'MAX_MODEL_REQUESTS', 1, 200),
  setting('maxToolCalls', 'MAX_TOOL_CALLS', 0, 500, 'MAX_TOOL_CALLS'),
  setting('maxInputTokens', 'MAX_INPUT_TOKENS', 1000, 10_000_000),
  setting('maxOutputTokens', 'MAX_OUTPUT_TOKENS', 100, 1_000_000),
  setting('maxWallS', 'MAX_WALL_S', 1, 3600),
  setting('maxToolResultChars', 'MAX_TOOL_RESULT_CHARS', 500, 200_000),
  setting('maxHttpBytes', 'MAX_HTTP_BYTES', 1024, 256 * 1024 * 1024),
  setting('httpTimeoutS', 'HTTP_TIMEOUT_S', 0.1, 300),
  setting('modelContextTokens', 'MODEL_CONTEXT_TOKENS', 4000, 10_000_000),
  setting('sandboxWallS', 'SANDBOX_WALL_S', 1, 600),
  setting('retryConfidence', 'RETRY_CONFIDENCE', 0, 1, 'RETRY_CONFIDENCE'),
];

/** The settings in an environment (spec 07 A13, B17); a blank value counts as unset. */
export function readInvestigateConfig(env: Env): ConfigReading {
  const errors: string[] = [];
  const warnings: string[] = [];
  const number = (names: readonly string[], fallback: number, minimum: number, maximum: number): number => {
    const [name, source] = firstSet(env, names);
    if (name === undefined || source === undefined) return fallback;
    if (!/^[+-]?(?:\d+\.?\d*|\.\d+)$/.test(source)) {
      errors.push(`${name} is ${JSON.stringify(source)}, expected a number`);
      return fallback;
    }
    const value = Number(source);
    const clamped = Math.min(maximum, Math.max(minimum, value));
    if (clamped !== value) warnings.push(`${name} set to ${clamped}, its limit`);
    return clamped;
  };
  const numbers = NUMBERS.map(({ key, names, minimum, maximum }) => [
    key,
    number(names, DEFAULT_CONFIG[key], minimum, maximum),
  ]);
  const bands = {
    mediumMin: number(['BAND_MEDIUM_MIN'], DEFAULT_CONFIG.bands.mediumMin, 0, 1),
    highMin: number(['BAND_HIGH_MIN'], DEFAULT_CONFIG.bands.highMin, 0, 1),
    lowCeiling: number(['BAND_CEIL_LOW'], DEFAULT_CONFIG.bands.lowCeiling, 0, 1),
    mediumCeiling: number(['BAND_CEIL_MEDIUM'], DEFAULT_CONFIG.bands.mediumCeiling, 0, 1),
  };
  const isOrdered =
    bands.lowCeiling < bands.mediumMin &&
    bands.mediumMin < bands.highMin &&
    bands.mediumCeiling < bands.highMin;
  if (!isOrdered)
    errors.push(
      'BAND_*: expected BAND_CEIL_LOW < BAND_MEDIUM_MIN < BAND_HIGH_MIN and BAND_CEIL_MEDIUM < BAND_HIGH_MIN',
    );
  const profile = text(env, 'INVESTIGATE_GOVERNOR_PROFILE') ?? DEFAULT_CONFIG.profile;
  if (profile !== 'strict' && profile !== 'reference') {
    errors.push(`INVESTIGATE_GOVERNOR_PROFILE is ${JSON.stringify(profile)}, expected strict or reference`);
  }
  const minBand =
    text(env, 'INVESTIGATE_VERIFIER_MIN_BAND', 'VERIFIER_MIN_BAND') ?? DEFAULT_CONFIG.verifierMinBand;
  if (!isConfidenceLevel(minBand)) {
    errors.push(`VERIFIER_MIN_BAND is ${JSON.stringify(minBand)}, expected low, medium or high`);
  }
  const wanted = (text(env, 'INVESTIGATE_SANDBOX_DRIVER') ?? DEFAULT_CONFIG.sandboxDriver).toLowerCase();
  const sandboxDriver = SANDBOX_DRIVERS.find((name) => name === (wanted === 'off' ? 'none' : wanted));
  if (sandboxDriver === undefined) {
    errors.push(
      `INVESTIGATE_SANDBOX_DRIVER is ${JSON.stringify(wanted)}, expected ${SANDBOX_DRIVERS.join(', ')}`,
    );
  }
  const command = readCommand(text(env, 'INVESTIGATE_GITHUB_MCP_COMMAND') ?? '');
  if (!command.ok) errors.push(`INVESTIGATE_GITHUB_MCP_COMMAND: ${command.problem}`);
  const config: InvestigateConfig = {
    ...DEFAULT_CONFIG,
    ...Object.fromEntries(numbers),
    bands,
    profile: profile === 'reference' ? 'reference' : 'strict',
    verifierEnabled: /^(?:1|true|yes|on)$/i.test(
      text(env, 'INVESTIGATE_VERIFIER_ENABLED', 'VERIFIER_ENABLED') ?? '',
    ),
    verifierMinBand: isConfidenceLevel(minBand) ? minBand : DEFAULT_CONFIG.verifierMinBand,
    keepTranscript: !/^(?:0|false|no|off)$/i.test(text(env, 'INVESTIGATE_KEEP_TRANSCRIPT') ?? ''),
    sourceRoots: list(env, 'INVESTIGATE_SOURCE_ROOTS'),
    sandboxDriver: sandboxDriver ?? DEFAULT_CONFIG.sandboxDriver,
    githubMcpCommand: command.ok ? command.argv : [],
    urlAllowlist: list(env, 'INVESTIGATE_URL_ALLOWLIST'),
    lokiServiceLabel: text(env, 'INVESTIGATE_LOKI_SERVICE_LABEL') ?? DEFAULT_CONFIG.lokiServiceLabel,
    githubApiUrl: text(env, 'INVESTIGATE_GITHUB_API_URL') ?? DEFAULT_CONFIG.githubApiUrl,
    jaegerUrl: text(env, 'INVESTIGATE_JAEGER_URL', 'JAEGER_URL') ?? '',
    lokiUrl: text(env, 'INVESTIGATE_LOKI_URL', 'LOKI_URL') ?? '',
  };
  return { config, errors, warnings };
}

function firstSet(env: Env, names: readonly string[]): [string, string] | [undefined, undefined] {
  for (const name of names) {
    const value = env[name]?.trim();
    if (value !== undefined && value !== '') return [name, value];
  }
  return [undefined, undefined];
}

function text(env: Env, ...names: string[]): string | undefined {
  return firstSet(env, names)[1];
}

function list(env: Env, name: string): string[] {
  return (text(env, name) ?? '')
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');
}
