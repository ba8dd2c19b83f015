import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { agentFields, variablesOf } from '../../src/reactor/config/fields.js';

const page = readFileSync('docs/configuration.md', 'utf8');
const rows = new Map(
  page
    .split('\n')
    .filter((line) => line.startsWith('| `') && line.includes('<br>`'))
    .map((line) => [/^\| `(\w+)`/.exec(line)?.[1] ?? '', line]),
);

describe('docs/configuration.md', () => {
  it.each(Object.entries(agentFields()))('has %s with its variable, default and meaning', (name, field) => {
    const row = rows.get(name);
    expect(row).toContain(`\`${variablesOf(name, field, false).at(-1)}\``);
    expect(row).toContain(field.doc.replaceAll('|', '\\|'));
    if (!Array.isArray(field.default)) expect(row).toContain(`\`${JSON.stringify(field.default)}\``);
    if ('unit' in field) expect(row).toContain(field.unit);
  });

  it('has no setting that is gone', () => {
    expect([...rows.keys()].filter((name) => !Object.hasOwn(agentFields(), name))).toEqual([]);
  });
});
