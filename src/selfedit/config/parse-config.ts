import { type ConfigField, defaultsOf } from '../../foreign/config-field.js';
import { finiteNumber, isObject, type Json, type JsonObject } from '../../foreign/json.js';
import { type ModelPrice, type RoleConfig, type SelfeditConfig, selfeditFields } from './fields.js';

/** The section as typed data, or everything that is wrong with it. */
export type ConfigReading =
  | { readonly ok: true; readonly config: SelfeditConfig }
  | { readonly ok: false; readonly problems: readonly string[] };

const CHOICES: Readonly<Record<string, readonly string[]>> = {
  drift_method: ['ngram', 'embedding'],
  trigger: ['manual', 'time', 'batch'],
};
const MAX_PRICES = 200;

/** Every setting at its default. */
export const DEFAULT_SELFEDIT_CONFIG: SelfeditConfig = {
  ...defaultsOf(selfeditFields),
  replicates: { deterministic: 1, sampled: 3 },
  prices: {},
  roles: { executor: {}, analyzer: {}, judge: {}, embedding: {} },
};

/** Reads the section `selfedit`; unknown keys and wrong values are named, all of them (spec 08 §22). */
export function parseSelfeditConfig(raw: unknown): ConfigReading {
  if (raw === undefined) return { ok: true, config: DEFAULT_SELFEDIT_CONFIG };
  if (!isObject(raw)) return { ok: false, problems: ['selfedit must be an object'] };
  const problems: string[] = [];
  const plain: Record<string, Json> = {};
  for (const [name, value] of Object.entries(raw)) {
    if (value === undefined || NESTED.has(name)) continue;
    const field = fieldOf(name);
    const problem = field === undefined ? 'is not known' : problemOf(name, field, value);
    if (problem === null) plain[name] = value;
    else problems.push(`selfedit.${name} ${problem}`);
  }
  const nested = readNested(raw, problems);
  const config: SelfeditConfig = { ...DEFAULT_SELFEDIT_CONFIG, ...plain, ...nested };
  if (config.confirm_target < config.confirm_min) {
    problems.push('selfedit.confirm_target must not be below confirm_min');
  }
  if (config.drift_method === 'embedding' && config.roles.embedding.model === undefined) {
    problems.push('selfedit.drift_method embedding needs selfedit.roles.embedding.model');
  }
  return problems.length === 0 ? { ok: true, config } : { ok: false, problems };
}

const NESTED = new Set(['replicates', 'prices', 'roles']);

function fieldOf(name: string): ConfigField | undefined {
  return Object.entries(selfeditFields).find(([known]) => known === name)?.[1];
}

function problemOf(name: string, field: ConfigField, value: Json): string | null {
  if (field.type === 'boolean') return typeof value === 'boolean' ? null : 'must be true or false';
  if (field.type === 'string_list') {
    return Array.isArray(value) && value.every((item) => typeof item === 'string')
      ? null
      : 'must be a list of strings';
  }
  if (field.type === 'string') {
    const choices = CHOICES[name] ?? [];
    return typeof value === 'string' && choices.includes(value)
      ? null
      : `must be one of ${choices.join(', ')}`;
  }
  return numberProblem(value, field);
}

function numberProblem(value: Json, field: Extract<ConfigField, { unit: string }>): string | null {
  const number = finiteNumber(value);
  if (number === undefined) return 'must be a number';
  if (field.type === 'integer' && !Number.isInteger(number)) return 'must be a whole number';
  const { exclusiveMinimum, minimum = exclusiveMinimum ?? 0, maximum } = field;
  if (exclusiveMinimum !== undefined && number <= exclusiveMinimum)
    return `must be above ${exclusiveMinimum}`;
  if (number < minimum) return `must be at least ${minimum}`;
  return maximum !== undefined && number > maximum ? `must be at most ${maximum}` : null;
}

type Nested = Pick<SelfeditConfig, 'replicates' | 'prices' | 'roles'>;

function readNested(raw: JsonObject, problems: string[]): Nested {
  return {
    replicates: readReplicates(raw['replicates'], problems),
    prices: readPrices(raw['prices'], problems),
    roles: readRoles(raw['roles'], problems),
  };
}

function readReplicates(raw: Json | undefined, problems: string[]): SelfeditConfig['replicates'] {
  const defaults = DEFAULT_SELFEDIT_CONFIG.replicates;
  if (raw === undefined) return defaults;
  const object = objectAt('replicates', raw, ['deterministic', 'sampled'], problems);
  const read = (name: 'deterministic' | 'sampled'): number => {
    const value = object[name];
    if (value === undefined) return defaults[name];
    const number = finiteNumber(value) ?? Number.NaN;
    if (Number.isInteger(number) && number >= 1 && number <= 20) return number;
    problems.push(`selfedit.replicates.${name} must be a whole number from 1 to 20`);
    return defaults[name];
  };
  return { deterministic: read('deterministic'), sampled: read('sampled') };
}

function readPrices(raw: Json | undefined, problems: string[]): SelfeditConfig['prices'] {
  if (raw === undefined) return {};
  const object = objectAt('prices', raw, null, problems);
  const entries = Object.entries(object).slice(0, MAX_PRICES);
  return Object.fromEntries(
    entries.flatMap(([model, value]): [string, ModelPrice][] => {
      const price = isObject(value) ? value : {};
      const input = finiteNumber(price['in']);
      const output = finiteNumber(price['out']);
      if (input !== undefined && output !== undefined && input >= 0 && output >= 0) {
        return [[model, { in: input, out: output }]];
      }
      problems.push(`selfedit.prices.${model} must be {"in": USD, "out": USD} per million tokens`);
      return [];
    }),
  );
}

function readRoles(raw: Json | undefined, problems: string[]): SelfeditConfig['roles'] {
  if (raw === undefined) return DEFAULT_SELFEDIT_CONFIG.roles;
  const object = objectAt('roles', raw, ['executor', 'analyzer', 'judge', 'embedding'], problems);
  return {
    executor: readRole('executor', object['executor'], problems),
    analyzer: readRole('analyzer', object['analyzer'], problems),
    judge: readRole('judge', object['judge'], problems),
    embedding: readRole('embedding', object['embedding'], problems, ['model']),
  };
}

const ROLE_KEYS = ['model', 'temperature', 'max_output_tokens', 'deterministic'];

function readRole(
  name: string,
  raw: Json | undefined,
  problems: string[],
  keys: readonly string[] = ROLE_KEYS,
): RoleConfig {
  if (raw === undefined) return {};
  const at = `roles.${name}`;
  const object = objectAt(at, raw, keys, problems);
  const { model, temperature, max_output_tokens: tokens, deterministic } = object;
  const good = {
    model: typeof model === 'string' && model.trim() !== '',
    temperature: typeof temperature === 'number' && temperature >= 0 && temperature <= 2,
    max_output_tokens: typeof tokens === 'number' && Number.isInteger(tokens) && tokens >= 1,
    deterministic: typeof deterministic === 'boolean',
  };
  for (const [key, isGood] of Object.entries(good)) {
    if (object[key] !== undefined && !isGood) problems.push(`selfedit.${at}.${key} is not usable`);
  }
  return {
    ...(typeof model === 'string' && good.model && { model }),
    ...(typeof temperature === 'number' && good.temperature && { temperature }),
    ...(typeof tokens === 'number' && good.max_output_tokens && { max_output_tokens: tokens }),
    ...(typeof deterministic === 'boolean' && { deterministic }),
  };
}

function objectAt(path: string, raw: Json, known: readonly string[] | null, problems: string[]): JsonObject {
  if (!isObject(raw)) {
    problems.push(`selfedit.${path} must be an object`);
    return {};
  }
  for (const name of Object.keys(raw)) {
    if (known !== null && !known.includes(name)) problems.push(`selfedit.${path}.${name} is not known`);
  }
  return raw;
}
