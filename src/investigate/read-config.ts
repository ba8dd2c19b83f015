import { type ConfigValue, pickFields } from '../foreign/config-field.js';
import { type InvestigateValues, investigateFields } from '../foreign/investigate-fields.js';
import type { Price } from '../llm/budget.js';
import type { InvestigateConfig } from './config.js';
import { type BandLimits, isConfidenceLevel } from './model/confidence.js';
import { SANDBOX_DRIVERS } from './sandbox/choice.js';
import { readCommand } from './tools/github/mcp-command.js';

export interface ConfigReading {
  readonly config: InvestigateConfig;
  /** Settings that cannot be used, each naming itself; the command ends with them. */
  readonly errors: readonly string[];
  /** Settings that do nothing. */
  readonly warnings: readonly string[];
}

/**
 * The settings of an investigation out of a whole configuration, each value of the type of its field; what only several
 * fields together can get wrong is checked here (spec 07 B17).
 */
export function readInvestigateConfig(
  values: Readonly<Record<string, ConfigValue | undefined>>,
): ConfigReading {
  const given = pickFields(investigateFields(), values);
  const command = readCommand(given.investigate_github_mcp_command.trim());
  const prices = readPrices(given.investigate_prices);
  const bands = bandsOf(given);
  const errors = [
    ...bandErrors(bands),
    ...addressErrors(given),
    ...prices.errors,
    ...(command.ok ? [] : [`investigate_github_mcp_command: ${command.problem}`]),
    ...(command.ok && command.argv.length > 0 && given.investigate_github_mcp_url.trim() !== ''
      ? ['investigate_github_mcp_command and investigate_github_mcp_url are both set, expected one of them']
      : []),
  ];
  const driver = given.investigate_sandbox_driver;
  const minBand = given.investigate_verifier_min_band;
  const config: InvestigateConfig = {
    keep: given.investigate_keep,
    profile: given.investigate_governor_profile === 'reference' ? 'reference' : 'strict',
    corroborationMaxGapS: given.investigate_corroboration_max_gap_s,
    stateMaxAgeS: given.investigate_state_max_age_s,
    maxModelRequests: given.investigate_max_model_requests,
    maxToolCalls: given.investigate_max_tool_calls,
    maxInputTokens: given.investigate_max_input_tokens,
    maxOutputTokens: given.investigate_max_output_tokens,
    maxWallS: given.investigate_max_wall_s,
    maxCostUsd: given.investigate_max_cost_usd,
    prices: prices.prices,
    maxToolResultChars: given.investigate_max_tool_result_chars,
    maxHttpBytes: given.investigate_max_http_bytes,
    httpTimeoutS: given.investigate_http_timeout_s,
    model: given.investigate_model.trim(),
    modelContextTokens: given.investigate_model_context_tokens,
    retryConfidence: given.retry_confidence,
    fastpathConfidence: given.fastpath_confidence,
    verifierEnabled: given.investigate_verifier_enabled,
    verifierModel: given.investigate_verifier_model.trim(),
    verifierMinBand: isConfidenceLevel(minBand) ? minBand : 'medium',
    keepTranscript: given.investigate_keep_transcript,
    sourceRoots: given.investigate_source_roots,
    sandboxDriver: SANDBOX_DRIVERS.find((known) => known === driver) ?? 'none',
    sandboxWallS: given.investigate_sandbox_wall_s,
    githubMcpCommand: command.ok ? command.argv : [],
    githubMcpUrl: given.investigate_github_mcp_url.trim(),
    maskIdentifiers: given.investigate_mask_identifiers,
    abstractUserFields: given.investigate_abstract_user_fields,
    lokiServiceLabel: given.investigate_loki_service_label.trim(),
    githubApiUrl: given.investigate_github_api_url.trim(),
    jaegerUrl: given.jaeger_url.trim(),
    lokiUrl: given.loki_url.trim(),
    chatOrigins: [],
    bands,
  };
  const warnings = given.investigate_telemetry
    ? ['investigate_telemetry does nothing: there is no telemetry, and nothing is sent anywhere']
    : [];
  return { config, errors, warnings };
}

function bandsOf(given: InvestigateValues): BandLimits {
  return {
    mediumMin: given.band_medium_min,
    highMin: given.band_high_min,
    lowCeiling: given.band_ceil_low,
    mediumCeiling: given.band_ceil_medium,
  };
}

function bandErrors({ lowCeiling, mediumMin, mediumCeiling, highMin }: BandLimits): string[] {
  const isOrdered = lowCeiling < mediumMin && mediumMin < highMin && mediumCeiling < highMin;
  return isOrdered
    ? []
    : [
        'the bands do not fit together: expected band_ceil_low < band_medium_min < band_high_min and band_ceil_medium < band_high_min',
      ];
}

/** Addresses that no request could be sent to are better named now than with each request (spec 07 B8.1). */
function addressErrors(given: InvestigateValues): string[] {
  return (
    ['jaeger_url', 'loki_url', 'investigate_github_api_url', 'investigate_github_mcp_url'] as const
  ).flatMap((name) => {
    const source = given[name].trim();
    if (source === '' && name !== 'investigate_github_api_url') return [];
    const url = URL.canParse(source) ? new URL(source) : null;
    const isUsable =
      url !== null &&
      /^https?:$/.test(url.protocol) &&
      url.username === '' &&
      url.password === '' &&
      url.hash === '';
    return isUsable
      ? []
      : [`${name} is not usable, expected an http or https URL without user name and fragment`];
  });
}

const PRICE = /^(?<model>\S{1,200})=(?<input>\d+(?:\.\d+)?)\/(?<output>\d+(?:\.\d+)?)$/;

function readPrices(entries: readonly string[]): {
  readonly prices: Record<string, Price>;
  readonly errors: readonly string[];
} {
  const prices: Record<string, Price> = {};
  const errors: string[] = [];
  for (const entry of entries) {
    const parts = PRICE.exec(entry.trim())?.groups;
    if (parts?.['model'] === undefined) {
      errors.push(
        `investigate_prices holds ${JSON.stringify(entry.slice(0, 80))}, expected MODEL=IN/OUT in USD per million tokens`,
      );
      continue;
    }
    prices[parts['model']] = { inputUsd: Number(parts['input']), outputUsd: Number(parts['output']) };
  }
  return { prices, errors };
}
