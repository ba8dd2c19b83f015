import type { ConfigFields, ConfigValue } from '../../foreign/config-field.js';
import { defaultsOf } from '../../foreign/config-field.js';
import type { FieldReading } from './field-value.js';
import type { AgentConfig } from './fields.js';

/** Values from one place, with the reader that fits the place. */
export interface ConfigLayer {
  /** Where they come from, for messages: a file's path, `environment`, `options`, `flags`. */
  readonly origin: string;
  readonly values: Readonly<Record<string, unknown>>;
  read(name: string, value: unknown): FieldReading | 'unknown';
}

/** One setting that was not usable. */
export interface ConfigProblem {
  readonly origin: string;
  readonly field: string;
  readonly problem: 'unknown' | 'unusable';
  readonly expected?: string;
}

/** One line about a problem. */
export function describeProblem({ origin, field, problem, expected }: ConfigProblem): string {
  if (problem === 'unknown') return `${origin}: there is no setting ${field}; ignored`;
  return `${origin}: ${field} is not usable, expected ${expected ?? 'another value'}; the next lower value is used`;
}

/** Lays later layers over earlier ones; what is unusable is named and the next lower value stays (spec 01 §9.1). */
export function layerConfig(
  fields: ConfigFields,
  layers: readonly ConfigLayer[],
): { readonly config: AgentConfig; readonly problems: readonly ConfigProblem[] } {
  const config: Record<string, ConfigValue> = { ...defaultsOf(fields) };
  const problems: ConfigProblem[] = [];
  for (const { origin, values, read } of layers) {
    for (const [field, value] of Object.entries(values)) {
      const reading = read(field, value);
      if (reading === 'unknown') problems.push({ origin, field, problem: 'unknown' });
      else if (reading.ok) config[field] = reading.value;
      else problems.push({ origin, field, problem: 'unusable', expected: reading.expected });
    }
  }
  return { config, problems };
}
