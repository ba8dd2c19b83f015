import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { selfeditFields } from '../../../src/selfedit/config/fields.js';
import { DEFAULT_SELFEDIT_CONFIG, parseSelfeditConfig } from '../../../src/selfedit/config/parse-config.js';

const page = readFileSync('docs/selfedit.md', 'utf8');

describe('settings of selfedit', () => {
  it.each(Object.entries(selfeditFields))(
    'have %s on the page, with default and meaning',
    (name, { default: value, doc }) => {
      expect(page).toContain(`| \`${name}\` | \`${JSON.stringify(value)}\` | ${doc} |`);
    },
  );

  it('have no row that is gone', () => {
    const rows = [...page.matchAll(/^\| `([a-z_]+)` \| `/gm)].map(([, name = '']) => name);
    const nested = ['replicates', 'prices'];
    expect(rows.filter((name) => !Object.hasOwn(selfeditFields, name) && !nested.includes(name))).toEqual([]);
  });

  it('accept their own defaults', () => {
    expect(parseSelfeditConfig(JSON.parse(JSON.stringify(DEFAULT_SELFEDIT_CONFIG)))).toEqual({
      ok: true,
      config: DEFAULT_SELFEDIT_CONFIG,
    });
  });
});
