import { lowerBound, partsOf, variableOf } from './parts.mjs';
import { CONFIG_SCHEMA } from './schemas.mjs';

/** Sections of the file that belong to other commands. */
const SECTIONS = {
  rx: 'Settings of `rx`.',
  selfedit: 'Settings of `selfedit`.',
  llm: 'Settings of the language models.',
};

/** JSON Schema of the configuration file: every setting with its default, bounds, unit and meaning. */
export function configSchema(source) {
  const parts = partsOf(source);
  const fields = Object.entries(source.agentFields());
  const properties = Object.fromEntries(
    fields.map(([name, field]) => [
      name,
      { ...property(source, name, field), 'x-declared-by': declaredBy(parts, name) },
    ]),
  );
  const sections = Object.fromEntries(
    Object.entries(SECTIONS).map(([name, description]) => [name, { type: 'object', description }]),
  );
  const schema = {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    $id: CONFIG_SCHEMA,
    title: 'Configuration',
    description: 'robustness.config.json: settings of the agent (spec 01 §9). All are optional.',
    type: 'object',
    additionalProperties: false,
    properties: { $schema: { type: 'string' }, ...properties, ...sections },
  };
  return `${JSON.stringify(schema, null, 2)}\n`;
}

function declaredBy(parts, name) {
  return parts.filter(({ fields }) => Object.hasOwn(fields, name)).map(({ title }) => title);
}

function property(source, name, field) {
  const unit = 'unit' in field ? field.unit : undefined;
  return {
    description: unit === undefined ? field.doc : `${field.doc} Unit: ${unit}.`,
    ...typeOf(field),
    ...numberBounds(field),
    default: field.default,
    ...(unit === undefined ? {} : { 'x-unit': unit }),
    'x-env': variableOf(source, name, field),
    ...(field.secret === undefined ? {} : { writeOnly: true }),
  };
}

function typeOf(field) {
  if (field.type === 'string_list') return { type: 'array', items: { type: 'string' } };
  const type = field.nullable ? [field.type, 'null'] : field.type;
  return field.choices === undefined ? { type } : { type, enum: field.choices };
}

function numberBounds(field) {
  if (field.type !== 'number' && field.type !== 'integer') return {};
  const least = lowerBound(field);
  return {
    ...(field.exclusiveMinimum === undefined ? {} : { exclusiveMinimum: field.exclusiveMinimum }),
    ...(least === undefined ? {} : { minimum: least }),
    ...(field.maximum === undefined ? {} : { maximum: field.maximum }),
  };
}
