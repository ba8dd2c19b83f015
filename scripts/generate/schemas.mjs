import { readdirSync, readFileSync } from 'node:fs';

/** Made from the fields in the code, and checked there; no types or validators come from it. */
export const CONFIG_SCHEMA = 'config.schema.json';

/** The hand-written schemas by file name, which is also their `$id`. */
export function readSchemas() {
  const names = readdirSync('schemas')
    .filter((name) => name.endsWith('.schema.json') && name !== CONFIG_SCHEMA)
    .sort();
  return new Map(names.map((name) => [name, JSON.parse(readFileSync(`schemas/${name}`, 'utf8'))]));
}
