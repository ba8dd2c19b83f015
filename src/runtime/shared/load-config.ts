import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { isObject, type Json, type JsonObject, parseJson } from '../../foreign/json.js';
import { type FieldReading, readJsonField, readTextField } from '../../reactor/config/field-value.js';
import { agentFieldSet, type FieldSet, variablesOf } from '../../reactor/config/fields.js';
import {
  type ConfigLayer,
  describeProblem,
  type LayeredConfig,
  layerConfig,
} from '../../reactor/config/layers.js';
import { optionsLayer } from '../../reactor/config/options-layer.js';
import { COLD_START_VARIABLE, coldStartMinutesFrom } from '../../signals/rules/cold_start.js';
import { readTextBounded } from '../../sources/tools/read-file.js';
import { UserError } from './user-error.js';

export const CONFIG_FILE_NAME = 'robustness.config.json';
const MAX_CONFIG_BYTES = 1024 * 1024;
/** Sections of the file that other commands read; no fields of the agent (spec 01 §9.4). */
const SECTIONS = new Set(['selfedit', 'rx', 'llm', '$schema']);
const OUR_PREFIXES = ['ROBUSTNESS_', 'INVESTIGATE_'];
/** Variables of older spelling than `ROBUSTNESS_<FIELD>`; they mean something else or are read elsewhere. */
const OTHER_VARIABLES = new Set([
  'ROBUSTNESS_AGENT_BIN',
  'ROBUSTNESS_AGENT_ROOT',
  'ROBUSTNESS_AGENT_SESSION_DIR',
  'ROBUSTNESS_CONFIG',
  'ROBUSTNESS_LOG_LEVEL',
  'ROBUSTNESS_SESSION_DIR',
  'ROBUSTNESS_LLM_RCA_DISABLED',
  'ROBUSTNESS_LLM_MODEL',
]);

export interface ConfigSources {
  /** `--config`; a file named here must be readable. */
  readonly configFlag?: string | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly sessionDir: string | null;
  /** Options of a tick's request. */
  readonly options?: JsonObject;
  /** Fields given as flags. */
  readonly flags?: Readonly<Record<string, string>>;
  /** True takes finite numbers outside their range, as `replay` does. */
  readonly anyRange?: boolean;
  /** True reads variables without a prefix of ours as well, such as `JAEGER_URL`; only investigations do. */
  readonly withAliases?: boolean;
}

export interface LoadedConfig extends LayeredConfig {
  /** The file that was read, for `doctor`. */
  readonly file: string | null;
  /** Its section `selfedit` as it stands there; whoever uses it reads it. */
  readonly selfedit?: Json;
}

/**
 * The configuration in force: defaults < file < environment < request options < flags (spec 01 §9.1).
 *
 * @throws UserError `RA_CONFIG_UNREADABLE` when a file named by `--config` or `ROBUSTNESS_CONFIG` cannot be read
 */
export function loadConfig(sources: ConfigSources): LoadedConfig {
  const fields = agentFieldSet();
  const file = findConfigFile(sources);
  const layers: ConfigLayer[] = [coordinatorLayer(fields, sources.env)];
  const fromFile = file === null ? null : fileLayer(fields, file, sources.anyRange === true);
  if (fromFile !== null) layers.push(fromFile.layer);
  layers.push(environmentLayer(fields, sources.env, sources.withAliases === true));
  if (sources.options) layers.push(optionsLayer(fields, sources.options));
  if (sources.flags) layers.push(textLayer(fields, 'flags', sources.flags));
  return {
    ...layerConfig(fields, layers),
    file: file?.path ?? null,
    ...(fromFile?.selfedit !== undefined && { selfedit: fromFile.selfedit }),
  };
}

interface ConfigFile {
  readonly path: string;
  /** Named by the user, so it must be there. */
  readonly named: boolean;
}

function findConfigFile({ configFlag, env, cwd, sessionDir }: ConfigSources): ConfigFile | null {
  const named = configFlag ?? env['ROBUSTNESS_CONFIG'];
  if (named !== undefined && named !== '') return { path: resolve(cwd, named), named: true };
  const candidates = [...(sessionDir === null ? [] : [sessionDir]), cwd].map((dir) =>
    join(dir, CONFIG_FILE_NAME),
  );
  const found = candidates.find((path) => existsSync(path));
  return found === undefined ? null : { path: found, named: false };
}

interface FileLayer {
  readonly layer: ConfigLayer;
  readonly selfedit?: Json | undefined;
}

function fileLayer(fields: FieldSet, { path, named }: ConfigFile, anyRange: boolean): FileLayer {
  const read = (name: string, value: unknown): FieldReading | 'unknown' => {
    const field = fields.find(name);
    return field === undefined ? 'unknown' : readJsonField(field, value, anyRange);
  };
  const refuse = (happened: string): FileLayer => {
    if (named) {
      throw new UserError({
        code: 'RA_CONFIG_UNREADABLE',
        happened: `the configuration file ${path} ${happened}`,
        expected: 'a JSON object of settings',
        todo: 'correct the file, or the path after --config',
      });
    }
    return { layer: { origin: path, values: { [`(the file ${happened})`]: null }, read: () => 'unknown' } };
  };
  const content = readTextBounded(path, {
    maxBytes: MAX_CONFIG_BYTES,
    root: named ? '/' : dirname(path),
  });
  if (!content.ok) return refuse(`cannot be read: ${content.detail}`);
  const parsed = parseJson(content.text);
  if (!parsed.ok) return refuse(`is not JSON: ${parsed.message}`);
  if (!isObject(parsed.value)) return refuse('holds no object');
  const values = Object.fromEntries(Object.entries(parsed.value).filter(([name]) => !SECTIONS.has(name)));
  return { layer: { origin: path, values, read }, selfedit: parsed.value['selfedit'] };
}

/** What the Coordinator's own variables say; below everything that is meant for us. */
function coordinatorLayer(fields: FieldSet, env: ConfigSources['env']): ConfigLayer {
  if ((env[COLD_START_VARIABLE] ?? '').trim() === '') return textLayer(fields, 'environment', {});
  const minutes = String(coldStartMinutesFrom(env));
  return textLayer(fields, 'environment', { preflight_cold_start_minutes: minutes });
}

function environmentLayer(fields: FieldSet, env: ConfigSources['env'], withAliases: boolean): ConfigLayer {
  const values: Record<string, string> = {};
  const names: Record<string, string> = {};
  for (const name of withAliases ? Object.keys(fields.all()) : fieldsWithVariable(env)) {
    const field = fields.find(name);
    if (field === undefined) continue;
    const variable = variablesOf(name, field, withAliases).find(
      (one) => !OTHER_VARIABLES.has(one) && (env[one] ?? '').trim() !== '',
    );
    if (variable === undefined) continue;
    values[name] = env[variable] ?? '';
    names[name] = variable;
  }
  return { ...textLayer(fields, 'environment', values), names };
}

/**
 * Fields whose own variables are there, which mostly are none: a look for each into the environment would be hundreds of
 * calls out of the engine.
 */
function fieldsWithVariable(env: ConfigSources['env']): Set<string> {
  const names = new Set<string>();
  for (const variable of Object.keys(env)) {
    if (OTHER_VARIABLES.has(variable)) continue;
    const prefix = OUR_PREFIXES.find((each) => variable.startsWith(each));
    if (prefix === undefined) continue;
    if (prefix === 'INVESTIGATE_') names.add(variable.toLowerCase());
    names.add(variable.slice(prefix.length).toLowerCase());
  }
  return names;
}

function textLayer(fields: FieldSet, origin: string, values: Readonly<Record<string, string>>): ConfigLayer {
  return {
    origin,
    values,
    read: (name, value) => {
      const field = fields.find(name);
      return field === undefined ? 'unknown' : readTextField(field, String(value));
    },
  };
}

/**
 * As {@link loadConfig}, for commands other than `tick`: a setting that is not usable ends the command.
 *
 * @throws UserError `RA_CONFIG_INVALID` naming each
 */
export function loadStrictConfig(sources: ConfigSources): LoadedConfig {
  const loaded = loadConfig(sources);
  const unusable = loaded.problems.filter(({ problem }) => problem !== 'clamped');
  if (unusable.length === 0) return loaded;
  throw new UserError({
    code: 'RA_CONFIG_INVALID',
    happened: unusable.map(describeProblem).join('. '),
    todo: 'correct it; docs/configuration.md lists every setting',
  });
}
