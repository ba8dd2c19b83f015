import { ladderFields } from '../../decision/ladder/config.js';
import { rcaFields } from '../../decision/rca/config.js';
import type { ConfigField, ConfigFields, ConfigValue } from '../../foreign/config-field.js';
import { investigateFields } from '../../foreign/investigate-fields.js';
import { RULES } from '../../signals/registry.js';
import { sourcesFields } from '../../sources/config.js';
import { reactorFields } from './own-fields.js';
import { spoolFields } from './spool-fields.js';

/** The agent's configuration: every field of {@link agentFields} with a value of its type. */
export type AgentConfig = Readonly<Record<string, ConfigValue>>;

/** Every configuration field, whoever declares it, by wire name. One that several declare is the same object in each. */
export function agentFields(): ConfigFields {
  const fields: Record<string, ConfigField> = {};
  const parts = [reactorFields, sourcesFields, ladderFields, rcaFields, spoolFields, investigateFields];
  for (const part of parts) add(fields, part);
  for (const rule of RULES) add(fields, rule.config);
  return fields;
}

/** One by one: spread into each other, a hundred names would make as many shapes at every tick. */
function add(fields: Record<string, ConfigField>, part: ConfigFields): void {
  for (const name in part) {
    const field = part[name];
    if (field !== undefined) fields[name] = field;
  }
}

/**
 * Variables of a field, the first that is set winning: `ROBUSTNESS_<FIELD>`, for settings of investigations their name in
 * capitals, then those that the field names (spec 01 §9.1, 07 B17).
 *
 * @param withAliases false leaves out names without a prefix of ours, which may belong to other programs
 */
export function variablesOf(name: string, field: ConfigField, withAliases: boolean): string[] {
  const upper = name.toUpperCase();
  const own = name.startsWith('investigate_') ? [upper] : [];
  const further = field.variables ?? [];
  return [`ROBUSTNESS_${upper}`, ...own, ...further].filter(
    (variable) => withAliases || /^(?:ROBUSTNESS|INVESTIGATE)_/.test(variable),
  );
}
