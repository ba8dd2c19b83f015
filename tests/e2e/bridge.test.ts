import { execFileSync } from 'node:child_process';
import { chmodSync, cpSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { BRIDGE, callAsHost, keptCause, PYTHON } from '../support/host.js';
import { tempDir } from '../support/temp-dir.js';
import { requestFiles } from '../support/tick-request.js';

const jsonAt = (path: string) => JSON.parse(readFileSync(path, 'utf8'));

function executable(path: string, text: string): string {
  mkdirSync(join(path, '..'), { recursive: true });
  writeFileSync(path, text);
  chmodSync(path, 0o755);
  return path;
}

/** A Node that believes to be of another version. */
function nodeOfVersion(directory: string, version: string): string {
  const disguise = join(directory, 'disguise.cjs');
  writeFileSync(
    disguise,
    `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '${version}' } });`,
  );
  return executable(
    join(directory, version, 'node'),
    `#!/bin/sh\nexec '${process.execPath}' --require '${disguise}' "$@"\n`,
  );
}

/** Only Python may be found on the path. */
const WITHOUT_NODE = { PATH: '/nonexistent' };

describe('the Coordinator, through the bridge', () => {
  it('finds the file it looks for in an agent root', () => {
    expect(existsSync(join(BRIDGE, 'runtime/cli.py'))).toBe(true);
  });

  it('gets the help of its first check', async () => {
    const result = await callAsHost(['--help']);
    expect(result).toMatchObject({ code: 0, stderr: '' });
    expect(result.stdout).toMatch(/\btick\b/);
  });

  it('gets an answer to its turn', async () => {
    const sessionDir = tempDir();
    const { request, out } = requestFiles(sessionDir, { sessionDir });
    const result = await callAsHost(['tick', '--request', request, '--out', out]);
    expect(result).toMatchObject({ code: 0, stderr: '' });
    expect(result.stdout).toBe(readFileSync(out, 'utf8'));
    expect(jsonAt(out)).toMatchObject({
      intent_envelope: { intents: [{ intent_type: 'alert' }] },
      parse_warnings: [],
    });
  });

  it('gets code 2 for a request that is none, and the cause in what it keeps', async () => {
    const sessionDir = tempDir();
    const { request, out } = requestFiles(sessionDir, { sessionDir });
    writeFileSync(request, JSON.stringify({ ...jsonAt(request), session_id: 5 }));
    const result = await callAsHost(['tick', '--request', request, '--out', out]);
    expect(result).toMatchObject({ code: 2, stdout: '' });
    expect(keptCause(result)).toMatch(/^RA_REQUEST_FIELD: session_id is number 5; expected/);
    expect(existsSync(out)).toBe(false);
  });

  it('ends a tick with SIGTERM: the process is Node itself, and the next tick works', async () => {
    const sessionDir = tempDir();
    const bin = join(sessionDir, 'bin');
    const running = join(sessionDir, 'running');
    execFileSync('mkfifo', [running]);
    // A GPU tool that says whose child it is and then keeps the tick waiting.
    executable(join(bin, 'rocm-smi'), `#!/bin/sh\necho $PPID $$ > '${running}'\nexec sleep 25\n`);
    const options = { disable_local_probe: false };
    const files = requestFiles(sessionDir, { sessionDir, options });
    let parent: number | undefined;
    const result = await callAsHost(['tick', '--request', files.request, '--out', files.out], {
      env: { PATH: `${bin}:${process.env['PATH']}` },
      onSpawn: (child) => {
        void readFile(running, 'utf8').then((line) => {
          const [agent = 0, tool = 0] = line.split(' ').map(Number);
          onTestFinished(() => void process.kill(-tool, 'SIGKILL'));
          parent = agent;
          child.kill('SIGTERM');
        });
      },
    });
    expect(result).toMatchObject({ code: null, signal: 'SIGTERM' });
    expect(parent).toBe(result.pid);
    expect(existsSync(files.out)).toBe(false);
    const next = requestFiles(sessionDir, { sessionDir, tick: 2 });
    const after = await callAsHost(['tick', '--request', next.request, '--out', next.out]);
    expect(after).toMatchObject({ code: 0, stderr: '' });
    expect(jsonAt(next.out)).toMatchObject({ intent_envelope: { intents: [{ intent_type: 'alert' }] } });
  });
});

describe('the bridge finds its program', () => {
  it('beside itself, also through a link to it', async () => {
    const root = join(tempDir(), 'link');
    symlinkSync(BRIDGE, root);
    expect(await callAsHost(['--version'], { root })).toMatchObject({ code: 0, stderr: '' });
  });

  it('or says that it is missing', async () => {
    const root = join(tempDir(), 'bridge');
    cpSync(BRIDGE, root, { recursive: true });
    const result = await callAsHost(['tick'], { root });
    expect(result).toMatchObject({ code: 2, stdout: '' });
    expect(keptCause(result)).toMatch(/^RA_BRIDGE_CLI: \S+\/dist\/cli\.js is missing; expected .*; install /);
  });

  it.each([
    ['a script for Node', () => resolve('dist/cli.js')],
    ['a link to one', (directory: string) => link(directory, resolve('dist/cli.js'))],
  ])('through ROBUSTNESS_AGENT_BIN: %s', async (_what, program) => {
    const env = { ROBUSTNESS_AGENT_BIN: program(tempDir()) };
    const root = join(tempDir(), 'bridge');
    cpSync(BRIDGE, root, { recursive: true });
    const result = await callAsHost(['--help'], { root, env });
    expect(result).toMatchObject({ code: 0, stderr: '' });
    expect(result.stdout).toMatch(/^usage: robustness-agent/);
  });

  it('through ROBUSTNESS_AGENT_BIN: an executable, with the arguments as they are and no signal ignored', async () => {
    const text = '#!/bin/sh\nprintf "[%s]" "$@"\ngrep SigIgn /proc/$$/status\nexit 7\n';
    const program = executable(join(tempDir(), 'agent'), text);
    const env = { ROBUSTNESS_AGENT_BIN: program, ...WITHOUT_NODE, PATH: '/usr/bin:/bin' };
    const result = await callAsHost(['tick', '--request', 'a b', '', "c'd"], { env });
    expect(result.code).toBe(7);
    expect(result.stdout).toMatch(/^\[tick\]\[--request\]\[a b\]\[\]\[c'd\]SigIgn:\s+0+\n$/);
  });

  it('or says that ROBUSTNESS_AGENT_BIN names none', async () => {
    const result = await callAsHost(['tick'], { env: { ROBUSTNESS_AGENT_BIN: '/nonexistent/agent' } });
    expect(result).toMatchObject({ code: 2, stdout: '' });
    expect(keptCause(result)).toMatch(
      /^RA_BRIDGE_CLI: ROBUSTNESS_AGENT_BIN is \/nonexistent\/agent; expected/,
    );
  });

  it('or says why the program does not start', async () => {
    const program = executable(join(tempDir(), 'agent'), '\u007fELF of another machine');
    const result = await callAsHost(['tick'], { env: { ROBUSTNESS_AGENT_BIN: program } });
    expect(result.code).toBe(2);
    expect(keptCause(result)).toMatch(/^RA_BRIDGE_START: \S+\/agent cannot be started: Exec format error/);
  });
});

function link(directory: string, target: string): string {
  const path = join(directory, 'robustness-agent');
  symlinkSync(target, path);
  // The name of the link has no suffix; what it leads to decides.
  return path;
}

describe('the bridge finds Node', () => {
  it('through ROBUSTNESS_AGENT_NODE when PATH has none', async () => {
    const env = { ...WITHOUT_NODE, ROBUSTNESS_AGENT_NODE: process.execPath };
    expect(await callAsHost(['--version'], { env })).toMatchObject({ code: 0, stderr: '' });
  });

  it('or says that there is none', async () => {
    const result = await callAsHost(['tick'], { env: WITHOUT_NODE });
    expect(result).toMatchObject({ code: 2, stdout: '' });
    expect(keptCause(result)).toMatch(
      /^RA_BRIDGE_NODE: there is no node on PATH; expected Node 20\.19 or newer/,
    );
  });

  it('but not in the working directory', async () => {
    const root = join(tempDir(), 'bridge');
    cpSync(BRIDGE, root, { recursive: true });
    executable(join(root, 'node'), '#!/bin/sh\necho somebody else\n');
    const env = { PATH: ':.', ROBUSTNESS_AGENT_BIN: resolve('dist/cli.js') };
    expect(keptCause(await callAsHost(['tick'], { root, env }))).toMatch(/^RA_BRIDGE_NODE: there is no node/);
  });

  it('or says that ROBUSTNESS_AGENT_NODE names none', async () => {
    const result = await callAsHost(['tick'], { env: { ROBUSTNESS_AGENT_NODE: '/nonexistent/node' } });
    expect(result.code).toBe(2);
    expect(keptCause(result)).toMatch(
      /^RA_BRIDGE_NODE: ROBUSTNESS_AGENT_NODE is \/nonexistent\/node; expected/,
    );
  });

  it.each(['10.24.1', '18.20.8', '20.18.3'])('or says that %s is too old', async (version) => {
    const node = nodeOfVersion(tempDir(), version);
    const env = { PATH: `${join(node, '..')}:${process.env['PATH']}` };
    const result = await callAsHost(['tick'], { env });
    expect(result).toMatchObject({ code: 2, stdout: '' });
    expect(keptCause(result)).toContain(`is Node ${version}; expected Node 20.19 or newer`);
    expect(keptCause(result)).toMatch(/^RA_BRIDGE_NODE: /);
  });

  it.each(['20.19.0', '21.0.0', '24.1.0'])('and takes %s', async (version) => {
    const env = { ROBUSTNESS_AGENT_NODE: nodeOfVersion(tempDir(), version) };
    expect(await callAsHost(['--version'], { env })).toMatchObject({ code: 0, stderr: '' });
  });

  it('with the limit that package.json states', () => {
    expect(jsonAt('package.json').engines.node).toBe('>=20.19');
  });
});

/** An installed `hyperloom` with a robustness agent and more of its own. */
function installedHost(): string {
  const site = tempDir();
  const files = {
    'hyperloom/__init__.py': 'edition = "installed"\n',
    'hyperloom/kernels.py': 'from . import edition\n',
    'hyperloom/agents/__init__.py': '',
    'hyperloom/agents/critic.py': 'print("critic of", __package__)\n',
    'hyperloom/agents/robustness/__init__.py': '',
    'hyperloom/agents/robustness/runtime/__init__.py': '',
    'hyperloom/agents/robustness/runtime/cli.py': 'print("the installed agent")\n',
  };
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(join(site, path, '..'), { recursive: true });
    writeFileSync(join(site, path), text);
  }
  return site;
}

function python(args: readonly string[], path: readonly string[], cwd: string): string {
  return execFileSync(PYTHON, args, {
    cwd,
    env: { PATH: '/usr/bin:/bin', PYTHONPATH: path.join(':'), PYTHONDONTWRITEBYTECODE: '1' },
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
}

describe('an installed hyperloom', () => {
  it('is shadowed in that one call', async () => {
    const result = await callAsHost(['--help'], { env: { PYTHONPATH: installedHost() } });
    expect(result.stdout).toMatch(/^usage: robustness-agent/);
  });

  it.each([
    ['a package of it', ['-c', 'import hyperloom.kernels as k; print(k.edition)'], 'installed\n'],
    ['a module run from it', ['-m', 'hyperloom.agents.critic'], 'critic of hyperloom.agents\n'],
    [
      'even its robustness agent, when imported',
      ['-c', 'import hyperloom.agents.robustness.runtime.cli'],
      'the installed agent\n',
    ],
    [
      'the package again',
      ['-c', 'import hyperloom, importlib; print(importlib.reload(hyperloom).edition)'],
      'installed\n',
    ],
  ])('stays itself in every other process: %s', (_what, args, expected) => {
    expect(python(args, [BRIDGE, installedHost()], tempDir())).toBe(expected);
    expect(python(args, [installedHost()], BRIDGE)).toBe(expected);
  });

  it('stays itself without an __init__.py', () => {
    const site = tempDir();
    mkdirSync(join(site, 'hyperloom'));
    writeFileSync(join(site, 'hyperloom/kernels.py'), 'print("a namespace")\n');
    expect(python(['-c', 'import hyperloom.kernels'], [BRIDGE, site], tempDir())).toBe('a namespace\n');
  });

  it('stays missing where it is missing', () => {
    const test =
      'import importlib.util as u\ntry: import hyperloom\nexcept ModuleNotFoundError as e: print(e.name)';
    expect(python(['-c', test], [BRIDGE], tempDir())).toBe('hyperloom\n');
  });
});

describe('under PYTHONSAFEPATH', () => {
  const env = { PYTHONSAFEPATH: '1' };

  it('Python ignores the working directory, and the installed agent answers', async () => {
    const result = await callAsHost(['--help'], { env: { ...env, PYTHONPATH: installedHost() } });
    expect(result.stdout).toBe('the installed agent\n');
  });

  it('the bridge works once it is on PYTHONPATH', async () => {
    const path = `${BRIDGE}:${installedHost()}`;
    const result = await callAsHost(['--help'], { env: { ...env, PYTHONPATH: path } });
    expect(result.stdout).toMatch(/^usage: robustness-agent/);
  });
});
