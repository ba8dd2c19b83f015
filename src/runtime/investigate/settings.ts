import { investigateFields } from '../../foreign/investigate-fields.js';
import { isObject, type Json } from '../../foreign/json.js';
import type { InvestigateConfig } from '../../investigate/config.js';
import { readInvestigateConfig } from '../../investigate/read-config.js';
import { Secret } from '../../investigate/safety/redactor.js';
import type { ServiceSecrets } from '../../investigate/tools/service-tools.js';
import { type AgentConfig, agentFields, variablesOf } from '../../reactor/config/fields.js';
import { describeProblem } from '../../reactor/config/layers.js';
import { type ConfigSources, loadConfig } from '../shared/load-config.js';
import { stateDirOf } from '../shared/state-dir.js';
import { UserError } from '../shared/user-error.js';
import { selfeditPrices } from './selfedit-prices.js';

/** Everything that an investigation takes from file, environment and flags. */
export interface InvestigateSettings {
  readonly config: InvestigateConfig;
  /** The whole configuration, for the collectors and the page. */
  readonly agent: AgentConfig;
  readonly services: ServiceSecrets;
  /** Key of the remote sandbox. */
  readonly e2bApiKey: Secret | null;
  /** Bearer token of the page. */
  readonly pageToken: string | null;
  /** Exact values that may be shown nowhere. */
  readonly masked: readonly string[];
  /** Where promoted prompts and traces are; null while `selfedit.enabled` is not true. */
  readonly selfedit: { readonly section: Json; readonly stateDir: string } | null;
  /** Settings that were brought into range or do nothing. */
  readonly warnings: readonly string[];
}

export type SettingsReading =
  | { readonly ok: true; readonly settings: InvestigateSettings }
  | { readonly ok: false; readonly problems: readonly string[] };

type Env = ConfigSources['env'];

/**
 * The settings in force, strictly: a setting that cannot be used is named and nothing is investigated with it (spec 07 B17).
 *
 * @throws UserError `RA_CONFIG_UNREADABLE` for a named file that cannot be read
 */
export function readSettings(sources: ConfigSources): SettingsReading {
  const { config: agent, secrets, problems, selfedit } = loadConfig({ ...sources, withAliases: true });
  const { config, errors, warnings } = readInvestigateConfig(agent);
  const unusable = problems.filter(({ problem }) => problem !== 'clamped').map(describeProblem);
  const wrong = [...unusable, ...errors];
  if (wrong.length > 0) return { ok: false, problems: wrong };
  const clamped = problems.map(describeProblem);
  const settings: InvestigateSettings = {
    config: { ...config, prices: { ...selfeditPrices(selfedit), ...config.prices } },
    agent,
    services: serviceSecrets(secrets),
    e2bApiKey: secrets['e2b_api_key'] === undefined ? null : new Secret(secrets['e2b_api_key']),
    pageToken: secrets['investigate_token'] ?? null,
    masked: maskedValues([...Object.values(secrets), ...credentialsIn(sources.env)]),
    selfedit:
      isObject(selfedit) && selfedit['enabled'] === true
        ? { section: selfedit, stateDir: stateDirOf(agent, sources) }
        : null,
    warnings: [...clamped, ...warnings, ...unknownVariables(sources.env)],
  };
  return { ok: true, settings };
}

/**
 * As {@link readSettings}, for commands.
 *
 * @throws UserError `RA_CONFIG_INVALID` naming each setting that cannot be used
 */
export function investigateSettings(sources: ConfigSources): InvestigateSettings {
  const reading = readSettings(sources);
  if (reading.ok) return reading.settings;
  throw new UserError({
    code: 'RA_CONFIG_INVALID',
    happened: reading.problems.join('. '),
    todo: 'correct it; docs/configuration.md lists every setting',
  });
}

/** The values of credentials in the forms in which they turn up: whole, and without the scheme in front. */
export function maskedValues(values: readonly string[]): string[] {
  return [...new Set(values.flatMap((value) => [value, value.replace(/^\S+\s+/, '')]))];
}

function serviceSecrets(secrets: Readonly<Record<string, string>>): ServiceSecrets {
  const secret = (name: string): Secret | undefined => {
    const value = secrets[name];
    return value === undefined ? undefined : new Secret(value);
  };
  const [jaegerAuth, lokiAuth, githubToken] = ['jaeger_auth', 'loki_auth', 'github_token'].map(secret);
  return {
    ...(jaegerAuth && { jaegerAuth }),
    ...(lokiAuth && { lokiAuth }),
    ...(githubToken && { githubToken }),
  };
}

/** Credentials that another place outbids are secrets all the same. */
function credentialsIn(env: Env): string[] {
  return Object.entries(investigateFields()).flatMap(([name, field]) =>
    'secret' in field
      ? variablesOf(name, field, true).flatMap((variable) => env[variable]?.trim() || [])
      : [],
  );
}

/** A misspelt variable would otherwise do nothing, silently. */
function unknownVariables(env: Env): string[] {
  const known = new Set(
    Object.entries(agentFields()).flatMap(([name, field]) => variablesOf(name, field, false)),
  );
  return Object.keys(env)
    .filter((variable) => variable.startsWith('INVESTIGATE_') && !known.has(variable))
    .map((variable) => `environment: there is no setting ${variable}; ignored`);
}
