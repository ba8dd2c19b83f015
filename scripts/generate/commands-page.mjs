import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { withBundle } from './load-source.mjs';
import { withGenerated } from './parts.mjs';

const execFileAsync = promisify(execFile);

/** The page of all commands: what `--help` says, for every command and its sub-commands; the introduction is written by hand. */
export async function commandsPage(page) {
  // As CommonJS, because that is how the product is built.
  const options = {
    entryPoints: ['src/cli.ts'],
    format: 'cjs',
    define: { 'import.meta.url': '__bundle_url' },
    banner: { js: "const __bundle_url = require('node:url').pathToFileURL(__filename).href;" },
  };
  const sections = await withBundle(options, '.cjs', async (cli) => {
    const help = async (path) => (await execFileAsync(process.execPath, [cli, ...path, '--help'])).stdout;
    return sectionsOf([], await help([]), help);
  });
  return withGenerated(page, sections.join('\n'), 'docs/commands.md');
}

/** The section of one command, then those of its sub-commands. */
async function sectionsOf(path, text, help) {
  const heading =
    path.length === 0 ? '## robustness-agent' : `${'#'.repeat(path.length + 1)} ${path.join(' ')}`;
  const own = [
    '',
    heading,
    '',
    '```text',
    ...text
      .trim()
      .split('\n')
      .map((line) => line.trimEnd()),
    '```',
  ];
  const names = subcommandsOf(text);
  const below = await Promise.all(
    names.map(async (name) => sectionsOf([...path, name], await help([...path, name]), help)),
  );
  return [...own, ...below.flat()];
}

/** Names listed in a help text: under `Commands:`, or in the indented table of a text that begins with `usage:`. */
function subcommandsOf(text) {
  const isTable = /^usage: robustness-agent .*\bCOMMAND\b/.test(text);
  const block = isTable ? text : (/^Commands:\n((?: {2}.*\n)+)/m.exec(text)?.[1] ?? '');
  return [...block.matchAll(/^ {2}([a-z-]+) /gm)].map(([, name]) => name).filter((name) => name !== 'help');
}
