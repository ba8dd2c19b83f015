import type { ConfigValue } from '../../foreign/config-field.js';
import { expectation, type FieldReading } from './field-value.js';
import type { AgentConfig, FieldSet } from './fields.js';

/** Values from one place, with the reader that fits the place. */
export interface ConfigLayer {
  /** Where they come from, for messages: a file's path, `environment`, `options`, `flags`. */
  readonly origin: string;
  readonly values: Readonly<Record<string, unknown>>;
  /** What a field is called there, where that is not its own name. */
  readonly names?: Readonly<Record<string, string>>;
  read(name: string, value: unknown): FieldReading | 'unknown';
}

/** One setting that was not usable. */
export interface ConfigProblem {
  readonly origin: string;
  readonly field: string;
  /** `clamped`: out of range, and brought to the nearest limit. */
  readonly problem: 'unknown' | 'unusable' | 'clamped';
  readonly expected?: string;
  /** What the field is called at its origin, where that is not its own name. */
  readonly name?: string;
}

/** One line about a problem. */
export function describeProblem({ origin, field, problem, expected, name = field }: ConfigProblem): string {
  if (problem === 'unknown') return `${origin}: there is no setting ${name}; ignored`;
  const wanted = `expected ${expected ?? 'another value'}`;
  if (problem === 'clamped') return `${origin}: ${name} is out of range, ${wanted}; its limit is used`;
  return `${origin}: ${name} is not usable, ${wanted}; the next lower value is used`;
}

/** Values of the credentials among the fields, by field; they are in no {@link AgentConfig}. */
export type ConfigSecrets = Readonly<Record<string, string>>;

export interface LayeredConfig {
  readonly config: AgentConfig;
  readonly secrets: ConfigSecrets;
  readonly problems: readonly ConfigProblem[];
}

/**
 * Lays later layers over earlier ones; what is unusable is named and the next lower value stays (spec 01 §9.1). Credentials
 * lie apart, so that whoever shows or records a configuration has none of them.
 */
export function layerConfig(fields: FieldSet, layers: readonly ConfigLayer[]): LayeredConfig {
  const values = defaults(fields);
  const secrets: Record<string, string> = {};
  const problems: ConfigProblem[] = [];
  for (const { origin, values: given, names = {}, read } of layers) {
    for (const [field, value] of Object.entries(given)) {
      const reading = read(field, value);
      const name = names[field];
      const at = { origin, field, ...(name !== undefined && { name }) };
      const known = fields.find(field);
      if (reading === 'unknown' || known === undefined) problems.push({ ...at, problem: 'unknown' });
      else if (!reading.ok) problems.push({ ...at, problem: 'unusable', expected: reading.expected });
      else {
        if (known.secret === true) keepSecret(secrets, field, reading.value);
        else values[field] = reading.value;
        if (reading.clamped) problems.push({ ...at, problem: 'clamped', expected: expectation(known) });
      }
    }
  }
  return { config: values, secrets, problems };
}

function defaults({ groups }: FieldSet): Record<string, ConfigValue> {
  const values: Record<string, ConfigValue> = {};
  for (const group of groups) {
    // No list of pairs: a tick does this for every setting there is.
    for (const name in group) {
      const field = group[name];
      if (field !== undefined && field.secret !== true) values[name] = field.default;
    }
  }
  return values;
}

function keepSecret(secrets: Record<string, string>, name: string, value: ConfigValue): void {
  if (typeof value === 'string' && value.trim() !== '') secrets[name] = value.trim();
  else delete secrets[name];
}
