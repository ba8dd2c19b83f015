import { ladderFields } from '../../decision/ladder/config.js';
import { rcaFields } from '../../decision/rca/config.js';
import type { ConfigField, ConfigFields, ConfigValue } from '../../foreign/config-field.js';
import { investigateFields } from '../../foreign/investigate-fields.js';
import { RULES } from '../../signals/registry.js';
import { sourcesFields } from '../../sources/config.js';
import { reactorFields } from './own-fields.js';
import { spoolFields } from './spool-fields.js';

/** The agent's configuration: every field of {@link agentFieldSet} that a tick needs, and others that were given, with a value. */
export type AgentConfig = Readonly<Record<string, ConfigValue>>;

/** Fields in groups, by whoever declares them; one that several declare is the same object in each. */
export class FieldSet {
  /** Those whose values every tick needs. */
  readonly groups: readonly ConfigFields[];
  readonly #further: () => readonly ConfigFields[];

  /** @param further those whose defaults whoever uses them looks up, made when a name is not found elsewhere */
  constructor(groups: readonly ConfigFields[], further: () => readonly ConfigFields[] = () => []) {
    this.groups = groups;
    this.#further = further;
  }

  /** The field of that wire name. */
  find(name: string): ConfigField | undefined {
    return fieldIn(this.groups, name) ?? fieldIn(this.#further(), name);
  }

  /** Every field by wire name. */
  all(): ConfigFields {
    return Object.assign({}, ...this.groups, ...this.#further());
  }
}

function fieldIn(groups: readonly ConfigFields[], name: string): ConfigField | undefined {
  return groups.find((group) => Object.hasOwn(group, name))?.[name];
}

/** The agent's configuration fields. In groups, because putting hundreds of names together costs a tick more than its rules. */
export function agentFieldSet(): FieldSet {
  const rules = RULES.map(({ config }) => config);
  const groups = [reactorFields, sourcesFields, ladderFields, rcaFields, spoolFields, ...rules];
  return new FieldSet(groups, () => [investigateFields()]);
}

/** Every configuration field by wire name. */
export function agentFields(): ConfigFields {
  return agentFieldSet().all();
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
