import { type Credentials, discoverCredentials } from '../../llm/credentials.js';
import { checkEndpoint } from '../../llm/endpoint.js';
import type { EnvRecord } from '../../llm/env-view.js';
import type { RcaConfig } from './config.js';

/** Whether a model is asked for root causes, which one, and what to tell the operator about it (spec 05 B.1). */
export type EngineChoice =
  | {
      readonly kind: 'on';
      readonly credentials: Credentials;
      /** One line that names provider, model and address, and how to turn it off. */
      readonly line: string;
      readonly warnings: readonly string[];
    }
  | {
      readonly kind: 'off';
      readonly reason: 'kill_switch' | 'configured' | 'no_credentials';
      readonly line: string;
      readonly warnings: readonly string[];
    };

const YES = new Set(['1', 'true', 'yes', 'on']);
const TURN_OFF = 'turn it off with ROBUSTNESS_LLM_RCA_DISABLED=1 or llm_rca_enabled false';

type ChoiceConfig = Pick<
  RcaConfig,
  'llm_rca_enabled' | 'llm_model' | 'llm_base_url' | 'llm_api_key' | 'llm_provider'
>;

/** Kill switch, then configuration, then credentials, judged by the values that would be used. Pure. */
export function chooseEngine(config: ChoiceConfig, env: EnvRecord): EngineChoice {
  if (isKilled(env)) return off('kill_switch', 'RCA is off: ROBUSTNESS_LLM_RCA_DISABLED is set');
  if (config.llm_rca_enabled === false) return off('configured', 'RCA is off: llm_rca_enabled is false');

  const credentials = rcaCredentials(config, env);
  const check = checkEndpoint(credentials);
  if (!check.ok) {
    const line = `RCA is off: ${check.problem}`;
    return { ...off('no_credentials', line), warnings: config.llm_rca_enabled === true ? [line] : [] };
  }
  const line = `RCA is on: ${credentials.provider}, model ${credentials.model} at ${check.endpoint.shown}; ${TURN_OFF}`;
  return { kind: 'on', credentials, line, warnings: credentials.problems };
}

/** True when the environment forbids every call to a model. */
export function isKilled(env: EnvRecord): boolean {
  return YES.has((env['ROBUSTNESS_LLM_RCA_DISABLED'] ?? '').trim().toLowerCase());
}

/** What the environment offers, with what the configuration sets in its place. */
function rcaCredentials(config: ChoiceConfig, env: EnvRecord): Credentials {
  const baseUrl = config.llm_base_url.trim();
  const key = config.llm_api_key.trim();
  const provider = config.llm_provider.trim().toLowerCase() === 'anthropic' ? 'anthropic' : 'openai';
  const isGiven = baseUrl !== '' && key !== '';
  const found = discoverCredentials(env, isGiven ? { endpoint: { provider, baseUrl, key } } : {});
  return { ...found, model: config.llm_model.trim() || found.model };
}

function off(
  reason: 'kill_switch' | 'configured' | 'no_credentials',
  line: string,
): EngineChoice & { kind: 'off' } {
  return { kind: 'off', reason, line, warnings: [] };
}
