import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findExecutable } from '../../sources/tools/find-executable.js';
import { runTool } from '../../sources/tools/run-tool.js';
import type { FileTree } from '../evidence/file-tree.js';
import type { Secret } from '../safety/redactor.js';
import { COPY_LIMITS, type Copied, type CopyLimits, copyTree } from './copy-tree.js';
import type { SandboxSource } from './source.js';

export interface RepositorySourceOptions {
  /** `OWNER/NAME`. */
  readonly name: string;
  /** Base URL of the REST API; the web address follows from it. */
  readonly apiUrl: string;
  readonly token?: Secret;
  /** The repository's files, or null when they are not known. */
  readonly tree: () => Promise<FileTree | null>;
  readonly limits?: CopyLimits;
}

const SYSTEM_PATH = '/usr/bin:/bin:/usr/local/bin';

/** The newest state of a repository, fetched by the host; no credential comes near the sandbox (spec 07 B13). */
export function repositorySource(options: RepositorySourceOptions): SandboxSource {
  return {
    name: options.name,
    resolve: async (path) => {
      const tree = await options.tree();
      if (tree === null) return null;
      return tree.has(path) ? path : tree.resolve({ path, isLibrary: false });
    },
    prepare: (directory, signal) => cloneInto(directory, options, signal),
  };
}

/** Where a repository is cloned from, or null when the API's address is none. */
export function cloneUrl(apiUrl: string, name: string): string | null {
  try {
    const { protocol, host, pathname, origin, username, password } = new URL(apiUrl);
    if (!/^https?:$/.test(protocol) || username !== '' || password !== '') return null;
    const base =
      host === 'api.github.com' ? 'https://github.com' : origin + pathname.replace(/\/(?:api\/v3)?\/*$/, '');
    return `${base}/${name}.git`;
  } catch {
    return null;
  }
}

async function cloneInto(to: string, options: RepositorySourceOptions, signal: AbortSignal): Promise<Copied> {
  const { name, apiUrl, token, limits = COPY_LIMITS } = options;
  const url = cloneUrl(apiUrl, name);
  const git = findExecutable('git', SYSTEM_PATH);
  const prlimit = findExecutable('prlimit', SYSTEM_PATH);
  if (url === null || git === null || prlimit === null) {
    return refused(url === null ? 'its address cannot be derived' : 'git or prlimit is not installed');
  }
  const work = mkdtempSync(join(tmpdir(), 'robustness-clone-'));
  const end = performance.now() + limits.maxMs;
  const run = async (...args: string[]): Promise<{ ok: boolean; stdout: string }> => {
    const outcome = await runTool({
      executable: prlimit,
      args: [`--fsize=${limits.maxBytes}`, '--core=0', '--', git, ...args],
      env: {},
      extraEnv: { PATH: SYSTEM_PATH, HOME: work, ...gitEnvironment(url, token) },
      timeoutMs: end - performance.now(),
      signal,
      stdoutLimit: 16 * 1024 * 1024,
    });
    const ok = outcome.kind === 'exited' && outcome.code === 0;
    return { ok, stdout: ok ? outcome.stdout : '' };
  };
  try {
    const checkout = join(work, 'tree');
    const fetched = await run(
      ...['clone', '--quiet', '--depth=1', '--single-branch', '--no-tags', '--no-checkout'],
      ...['--no-recurse-submodules', '--template=', '--', url, checkout],
    );
    if (!fetched.ok) return refused('it cannot be fetched within its limits');
    const listed = await run('-C', checkout, 'ls-tree', '-r', '-l', '-z', 'HEAD');
    // Sizes are known before a single file is written.
    const sizes = listed.stdout
      .split('\0')
      .flatMap((entry) => /^\d+ blob [0-9a-f]+ +(\d+)\t/.exec(entry)?.[1] ?? []);
    const bytes = sizes.reduce((sum, size) => sum + Number(size), 0);
    if (!listed.ok || bytes > limits.maxBytes || sizes.length > limits.maxEntries) {
      return refused(`its files are more than ${limits.maxEntries}, or larger than ${limits.maxBytes} bytes`);
    }
    if (!(await run('-C', checkout, 'checkout', '--quiet', 'HEAD')).ok)
      return refused('its files cannot be written');
    return await copyTree(checkout, to, signal, { ...limits, maxMs: end - performance.now() });
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/** Settings of git for one clone: nothing of the host's, no helper, no hook, no other protocol. */
function gitEnvironment(url: string, token: Secret | undefined): Record<string, string> {
  const settings: [string, string][] = [
    ['core.hooksPath', '/dev/null'],
    ['credential.helper', ''],
    // A redirect would carry the credential elsewhere.
    ['http.followRedirects', 'false'],
    ['submodule.recurse', 'false'],
    ['core.fsmonitor', 'false'],
    ['gc.auto', '0'],
    ['advice.detachedHead', 'false'],
  ];
  if (token !== undefined) {
    const basic = Buffer.from(`x-access-token:${token.reveal()}`).toString('base64');
    settings.push([`http.${new URL(url).origin}/.extraHeader`, `Authorization: Basic ${basic}`]);
  }
  return {
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_TERMINAL_PROMPT: '0',
    GIT_LFS_SKIP_SMUDGE: '1',
    GIT_ALLOW_PROTOCOL: new URL(url).protocol.replace(':', ''),
    GIT_CONFIG_COUNT: String(settings.length),
    ...Object.fromEntries(
      settings.flatMap(([key, value], index) => [
        [`GIT_CONFIG_KEY_${index}`, key],
        [`GIT_CONFIG_VALUE_${index}`, value],
      ]),
    ),
  };
}

function refused(problem: string): Copied {
  return { ok: false, problem: `the repository cannot be laid out: ${problem}` };
}
