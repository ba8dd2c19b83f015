import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createFileTree } from '../../../src/investigate/evidence/file-tree.js';
import { Secret } from '../../../src/investigate/safety/redactor.js';
import { cloneUrl, repositorySource } from '../../../src/investigate/sandbox/clone.js';
import { COPY_LIMITS, copyTree } from '../../../src/investigate/sandbox/copy-tree.js';
import { BACKEND, type GitServer, makeRepository, serveGit } from './git-server.js';

const TOKEN = 'ghp_canary0123456789canary0123456789';
const BASIC = `Basic ${Buffer.from(`x-access-token:${TOKEN}`).toString('base64')}`;
const signal = new AbortController().signal;

let root: string;
let target: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'clone-test-'));
  target = join(root, 'target');
  mkdirSync(target);
  vi.stubEnv('TMPDIR', root);
});

afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(root, { recursive: true, force: true });
});

describe.skipIf(!existsSync(BACKEND))(`a repository for the sandbox (needs ${BACKEND})`, () => {
  let servers: GitServer[];

  beforeEach(() => {
    servers = [];
  });

  afterEach(async () => {
    await Promise.all(servers.map((server) => server.close()));
  });

  async function serve(files: Readonly<Record<string, string>>, authorization?: string): Promise<GitServer> {
    const server = await serveGit(makeRepository(root, files), authorization);
    servers.push(server);
    return server;
  }

  const source = (apiUrl: string, parts: { token?: string; maxBytes?: number } = {}) =>
    repositorySource({
      name: 'example-org/shop',
      apiUrl,
      ...(parts.token === undefined ? {} : { token: new Secret(parts.token) }),
      tree: async () => createFileTree(['src/prices.py']),
      limits: { ...COPY_LIMITS, maxBytes: parts.maxBytes ?? COPY_LIMITS.maxBytes },
    });

  it('is fetched with its token, and laid out without history, secrets and token', async () => {
    const { url, requests } = await serve(
      { 'src/prices.py': 'x = 1\n', '.env': 'A=1', 'server.pem': 'x' },
      BASIC,
    );
    expect(await source(url, { token: TOKEN }).prepare(target, signal)).toEqual({
      ok: true,
      files: ['src/prices.py'],
    });
    expect(readdirSync(target, { recursive: true }).sort()).toEqual(['src', 'src/prices.py']);
    expect(readFileSync(join(target, 'src/prices.py'), 'utf8')).toBe('x = 1\n');
    expect(requests.every(({ url: asked }) => !asked.includes('canary'))).toBe(true);
    expect(readdirSync(root).filter((name) => name.startsWith('robustness-clone-'))).toEqual([]);
  });

  it('is refused without its token, without asking a person', async () => {
    const { url } = await serve({ a: '1' }, BASIC);
    expect(await source(url).prepare(target, signal)).toMatchObject({ ok: false });
    expect(readdirSync(target)).toEqual([]);
  });

  it('follows no redirect with its credential', async () => {
    const real = await serve({ a: '1' });
    const gate = await serveGit(root, undefined, real.url);
    servers.push(gate);
    expect(await source(gate.url, { token: TOKEN }).prepare(target, signal)).toMatchObject({ ok: false });
    expect(real.requests).toEqual([]);
  });

  it('is refused when it is too large, before its files are written', async () => {
    const { url } = await serve({ zeros: '0'.repeat(3_000_000) });
    const outcome = await source(url, { maxBytes: 1_000_000 }).prepare(target, signal);
    expect(outcome).toMatchObject({ ok: false, problem: expect.stringContaining('1000000 bytes') });
    expect(readdirSync(target)).toEqual([]);
  });

  it('runs no hook or filter of the repository, nor of the host', async () => {
    const config = join(root, 'gitconfig');
    const { url } = await serve({ '.gitattributes': '* filter=evil', 'a.py': '1\n' });
    writeFileSync(config, `[filter "evil"]\n\tsmudge = "touch ${root}/ran; cat"\n`);
    vi.stubEnv('GIT_CONFIG_GLOBAL', config);
    vi.stubEnv('HOME', root);
    expect(await source(url).prepare(target, signal)).toMatchObject({ ok: true });
    expect(existsSync(join(root, 'ran'))).toBe(false);
  });

  it('knows a file by the path that evidence names', async () => {
    expect(await source('http://127.0.0.1:1').resolve('/app/src/prices.py')).toBe('src/prices.py');
    expect(await source('http://127.0.0.1:1').resolve('other.py')).toBeNull();
  });
});

describe('the address of a repository', () => {
  it.each([
    ['https://api.github.com', 'https://github.com/o/n.git'],
    ['https://ghe.example.org/api/v3', 'https://ghe.example.org/o/n.git'],
    ['https://ghe.example.org/api/v3/', 'https://ghe.example.org/o/n.git'],
    ['http://127.0.0.1:8080', 'http://127.0.0.1:8080/o/n.git'],
  ])('follows from %s', (api, url) => expect(cloneUrl(api, 'o/n')).toBe(url));

  it.each(['file:///etc', 'ssh://git@host/x', 'https://user:word@host/', 'nothing'])(
    'is none for %s',
    (api) => {
      expect(cloneUrl(api, 'o/n')).toBeNull();
    },
  );
});

describe('a copied tree', () => {
  it('keeps links that stay inside and leaves out the others', async () => {
    const from = join(root, 'from');
    mkdirSync(join(from, 'a'), { recursive: true });
    symlinkSync('/etc/passwd', join(from, 'absolute'));
    symlinkSync('../../outside', join(from, 'a/up'));
    symlinkSync('nowhere', join(from, 'dangling'));
    symlinkSync('a', join(from, 'inside'));
    expect(await copyTree(from, target, signal)).toMatchObject({ ok: true });
    expect(readdirSync(target).sort()).toEqual(['a', 'inside']);
    expect(lstatSync(join(target, 'inside')).isSymbolicLink()).toBe(true);
    expect(readdirSync(join(target, 'a'))).toEqual([]);
  });

  it('ends at each of its limits', async () => {
    for (const limits of [{ maxEntries: 1 }, { maxBytes: 10 }, { maxMs: -1 }]) {
      const to = mkdtempSync(join(root, 'to-'));
      const outcome = await copyTree(join(process.cwd(), 'docs'), to, signal, { ...COPY_LIMITS, ...limits });
      expect(outcome).toMatchObject({ ok: false });
    }
    expect(await copyTree(join(root, 'missing'), target, signal)).toMatchObject({ ok: false });
    expect(await copyTree(join(process.cwd(), 'docs'), target, AbortSignal.abort())).toMatchObject({
      ok: false,
    });
  });
});
