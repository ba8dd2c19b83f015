import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { RULES } from '../../src/signals/registry.js';
import { filesBelow } from '../support/files-below.js';

const END = '<!-- generated:end -->';
const names = RULES.map(({ name }) => name);

describe.each(RULES.map((rule) => [rule.name, rule] as const))('rule %s', (name, rule) => {
  const page = existsSync(`docs/rules/${name}.md`) ? readFileSync(`docs/rules/${name}.md`, 'utf8') : '';
  const [head = '', body = ''] = page.split(END);

  it('has a file of its own and a test of the same name', () => {
    expect(existsSync(`src/signals/rules/${name}.ts`)).toBe(true);
    expect(existsSync(`tests/signals/rules/${name}.test.ts`)).toBe(true);
  });

  it('has a page whose head names every symptom and setting', () => {
    expect(page.startsWith(`# ${name}\n`)).toBe(true);
    for (const symptom of Object.keys(rule.symptoms)) expect(head).toContain(`## \`${symptom}\``);
    for (const setting of Object.keys(rule.config)) expect(head).toContain(`\`${setting}\``);
  });

  it('has a page whose body says what it looks at, when it must not fire and what to do', () => {
    const headings = [...body.matchAll(/^## (.*)\n+(\S.*)/gm)].map(([, heading]) => heading);
    expect(headings).toEqual(
      expect.arrayContaining(['What it looks at', 'When it must not fire', 'What an operator does']),
    );
  });
});

describe('the index of the rules', () => {
  const index = readFileSync('docs/rules/README.md', 'utf8');

  it('names every rule, in the order in which they run', () => {
    expect([...index.matchAll(/\[(\w+)\]\(\1\.md\)/g)].map(([, name]) => name)).toEqual(names);
  });

  it('is all there is beside the pages of the rules', () => {
    expect(readdirSync('docs/rules').sort()).toEqual(
      ['README.md', ...names.map((name) => `${name}.md`)].sort(),
    );
  });
});

describe('the collectors', () => {
  const collectors = filesBelow('src/sources').filter((path) => path.endsWith('-collector.ts'));
  const tests = filesBelow('tests/sources')
    .filter((path) => path.endsWith('.test.ts'))
    .map((path) => readFileSync(path, 'utf8'));

  it('are found', () => {
    expect(collectors.length).toBeGreaterThan(15);
  });

  it.each(collectors)('%s is what a test works with', (path) => {
    const module = path.replace(/\.ts$/, '.js');
    expect(tests.filter((text) => text.includes(`/${module}'`))).not.toEqual([]);
  });
});
