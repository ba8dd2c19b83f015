import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { runCli } from '../support/cli.js';

/** The text below a heading, as it stands in its code block; undefined without the heading. */
function documented(page: string, path: readonly string[]): string | undefined {
  const heading =
    path.length === 0 ? '## robustness-agent' : `${'#'.repeat(path.length + 1)} ${path.join(' ')}`;
  const start = page.indexOf(`\n${heading}\n`);
  if (start < 0) return undefined;
  return /```text\n([\s\S]*?)\n```/.exec(page.slice(start))?.[1];
}

const page = readFileSync('docs/commands.md', 'utf8');
const plain = (text: string): string =>
  text
    .trim()
    .split('\n')
    .map((line) => line.trimEnd())
    .join('\n');

/** Every command and sub-command that the page has a heading for. */
const paths = [...page.matchAll(/^(#{2,4}) ([a-z][a-z -]*)$/gm)]
  .map(([, , words = '']) => words)
  .filter((words) => words !== 'robustness-agent')
  .map((words) => words.split(' '));

describe('docs/commands.md', () => {
  it('has what the program itself says', async () => {
    const { stdout } = await runCli(['--help']);
    expect(documented(page, [])).toBe(plain(stdout));
  });

  it('has a section for every command of the program', async () => {
    const { stdout } = await runCli(['--help']);
    const commands = [...stdout.matchAll(/^ {2}([a-z-]+) /gm)].map(([, name]) => name);
    expect(commands.length).toBeGreaterThan(8);
    const sections = paths.filter(({ length }) => length === 1).map(([name]) => name);
    expect(sections).toEqual(commands);
  });

  const named = paths.map((path) => [path.join(' '), path] as const);
  it.each(named)('has what `%s --help` says, in 80 columns, with exit code 0', async (_name, path) => {
    const { code, stdout, stderr } = await runCli([...path, '--help']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(documented(page, path)).toBe(plain(stdout));
    expect(stdout.split('\n').filter((line) => line.length > 80)).toEqual([]);
  });
});
