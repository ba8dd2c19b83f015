import { ladderFields } from '../../decision/ladder/config.js';
import { rcaFields } from '../../decision/rca/config.js';
import type { ConfigField, ConfigFields, ConfigValue } from '../../foreign/config-field.js';
import { RULES } from '../../signals/registry.js';
import { sourcesFields } from '../../sources/config.js';
import { reactorFields } from './own-fields.js';

/** The agent's configuration: every field of {@link agentFields} with a value of its type. */
export type AgentConfig = Readonly<Record<string, ConfigValue>>;

/** Every configuration field, whoever declares it, by wire name. One that several declare is the same object in each. */
export function agentFields(): ConfigFields {
  const fields: Record<string, ConfigField> = {
    ...reactorFields,
    ...sourcesFields,
    ...ladderFields,
    ...rcaFields,
  };
  for (const rule of RULES) Object.assign(fields, rule.config);
  return fields;
}
