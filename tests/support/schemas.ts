import { readdirSync, readFileSync } from 'node:fs';
import { Ajv2020, type ErrorObject } from 'ajv/dist/2020.js';

/** Annotations of our schemas that are no keywords of JSON Schema. */
const ANNOTATIONS = ['tsType', 'x-unit', 'x-env', 'x-declared-by', 'x-for-readers'];

const ajv = new Ajv2020({
  strict: true,
  strictRequired: false,
  allowUnionTypes: true,
  discriminator: true,
  allErrors: true,
});
ajv.addVocabulary(ANNOTATIONS);
for (const name of readdirSync('schemas')) ajv.addSchema(JSON.parse(readFileSync(`schemas/${name}`, 'utf8')));

/** What keeps a value from satisfying `schemas/<name>.schema.json`; empty when it does. */
export function violations(name: string, value: unknown): readonly string[] {
  const validate = ajv.getSchema(`${name}.schema.json`);
  if (validate === undefined) throw new Error(`there is no schema ${name}`);
  if (validate(value) === true) return [];
  return (validate.errors ?? []).map(
    ({ instancePath, message }: ErrorObject) => `${instancePath}: ${message}`,
  );
}
