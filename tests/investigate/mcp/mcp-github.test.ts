import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { DEFAULT_CONFIG } from '../../../src/investigate/config.js';
import { Secret } from '../../../src/investigate/safety/redactor.js';
import type { ArgumentValues } from '../../../src/investigate/tools/arguments.js';
import { openServices, type Services } from '../../../src/investigate/tools/service-tools.js';
import type { ToolOutcome } from '../../../src/investigate/tools/tool.js';
import { serve } from '../fakes/servers.js';
import { settingsOf } from '../settings-of.js';

const SERVER = join(import.meta.dirname, 'github-server.mjs');
const TOKEN = 'ghp_canary0123456789canary0123456789';
const NOW = Date.parse('2026-05-01T11:00:00Z') / 1000;

type Dialect = 'older' | 'newer' | 'writing';

let directory: string;
let calls: string;
let opened: Services[];

function begin(): void {
  directory = mkdtempSync(join(tmpdir(), 'mcp-test-'));
  calls = join(directory, 'calls.jsonl');
  opened = [];
}

async function end(): Promise<void> {
  vi.unstubAllEnvs();
  await Promise.all(opened.map((one) => one.close()));
  rmSync(directory, { recursive: true, force: true });
}

async function open(
  dialect: Dialect,
  parts: { repo?: string; token?: string; timeoutS?: number } = {},
): Promise<Services> {
  const services = await openServices({
    config: {
      ...DEFAULT_CONFIG,
      githubMcpCommand: [process.execPath, SERVER, dialect, calls],
      httpTimeoutS: parts.timeoutS ?? 10,
      maxHttpBytes: 1024 * 1024,
    },
    secrets: parts.token === undefined ? {} : { githubToken: new Secret(parts.token) },
    repo: parts.repo ?? 'example-org/shop',
    signal: new AbortController().signal,
  });
  opened.push(services);
  return services;
}

function ask({ tools }: Services, name: string, args: ArgumentValues): Promise<ToolOutcome> {
  const tool = tools.find((one) => one.name === name);
  if (tool === undefined) throw new Error(`no tool ${name}`);
  return tool.run(args, { clean: (line) => line, signal: new AbortController().signal, now: () => NOW });
}

function recorded(): { name?: string; args?: Record<string, unknown>; env?: string[]; token?: string }[] {
  return readFileSync(calls, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
}

describe.each(['older', 'newer'] as const)('GitHub behind an MCP server, %s dialect', (dialect) => {
  let services: Services;

  // Starting a server takes longer than asking it.
  beforeAll(async () => {
    begin();
    services = await open(dialect);
  });
  afterAll(end);

  it('offers the same tools as the REST client, and no other', async () => {
    const github = await serve(() => ({ body: {} }));
    const rest = await openServices({
      config: { ...DEFAULT_CONFIG, githubApiUrl: github.url },
      secrets: { githubToken: new Secret(TOKEN) },
      repo: 'example-org/shop',
      signal: new AbortController().signal,
    });
    opened.push(rest);
    const shape = ({ tools }: Services) =>
      tools.map(({ name, parameters, family }) => ({ name, parameters, family }));
    expect(shape(services)).toEqual(shape(rest));
    expect(services.tools.length).toBeGreaterThan(0);
    await github.close();
  });

  it('reads lines of a file', async () => {
    const outcome = await ask(services, 'get_file_slice', {
      path: 'src/shop/prices.py',
      around_line: 2,
      context: 1,
    });
    expect(outcome).toMatchObject({
      status: 'ok',
      cls: 'source',
      data: { total_lines: 2, slice: '1: def total(items):\n2:     return items[0]["price"]' },
    });
  });

  it('reads files that are JSON themselves, and text beyond ASCII', async () => {
    expect((await ask(services, 'get_file_contents', { path: 'data.json' })).data['content']).toBe(
      '{"a": 1}',
    );
    expect((await ask(services, 'get_file_contents', { path: 'naïve.txt' })).data['content']).toBe('größer');
  });

  it('lists a directory, which is no evidence', async () => {
    const outcome = await ask(services, 'get_file_contents', { path: 'src' });
    expect(outcome).toMatchObject({
      status: 'ok',
      cls: 'none',
      data: { entries: [{ type: 'dir', path: 'src/shop' }] },
    });
  });

  it('says that a file is not there', async () => {
    const note = 'there is no such file';
    expect(await ask(services, 'get_file_contents', { path: 'missing.py' })).toMatchObject({
      status: 'error',
      note,
    });
    const gone = { path: 'data.json', ref: 'gone' };
    expect(await ask(services, 'get_file_contents', gone)).toMatchObject({ status: 'error', note });
  });

  it('searches within the repository alone', async () => {
    const outcome = await ask(services, 'search_code', { q: 'total repo:other/one' });
    expect(outcome).toMatchObject({ status: 'ok', data: { paths: ['src/shop/prices.py'] } });
    const { args } = recorded().at(-1) ?? {};
    expect(args?.['q'] ?? args?.['query']).toBe('repo:example-org/shop total');
  });

  it('lists the commits of the time asked for', async () => {
    const outcome = await ask(services, 'list_commits', { since_minutes: 120 });
    expect(outcome.data['commits']).toEqual([
      { sha: 'a1', date: '2026-05-01T10:00:00Z', message: 'Change prices' },
    ]);
  });

  it('calls nothing that writes', async () => {
    const values = { path: 'data.json', name: 'x', q: 'x', around_line: 1, context: 1, ref: 'HEAD' };
    for (const { name } of services.tools) await ask(services, name, values);
    const allowed = ['search_code', 'get_file_contents', 'list_commits', 'get_repository_tree'];
    const names = recorded().flatMap(({ name }) => name ?? []);
    expect(names.length).toBeGreaterThan(2);
    expect(names.filter((name) => !allowed.includes(name))).toEqual([]);
  });
});

describe('GitHub behind an MCP server', () => {
  beforeEach(begin);
  afterEach(end);

  it('searches no more once the host limits it', async () => {
    const services = await open('newer');
    writeFileSync(`${calls}.limited`, '');
    expect((await ask(services, 'search_code', { q: 'a' })).note).toContain('limited by its host');
    const before = recorded().length;
    expect((await ask(services, 'search_code', { q: 'b' })).status).toBe('error');
    expect(recorded()).toHaveLength(before);
  });

  it('knows the files where the server lists its tree', async () => {
    const services = await open('newer');
    expect((await services.trees())[0]?.has('src/shop/prices.py')).toBe(true);
    const found = await ask(services, 'find_files', { name: 'prices.py', ref: 'HEAD' });
    expect(found.data['paths']).toEqual(['src/shop/prices.py']);
  });

  it('knows none where it does not, and says so', async () => {
    const services = await open('older');
    expect(await services.trees()).toEqual([]);
    const found = await ask(services, 'find_files', { name: 'prices.py', ref: 'HEAD' });
    expect(found).toMatchObject({ status: 'error', note: 'the MCP server has no tool get_repository_tree' });
  });

  it('does not pass off all commits as those of one path', async () => {
    const outcome = await ask(await open('older'), 'list_commits', { path: 'data.json' });
    expect(outcome).toMatchObject({ status: 'error', note: 'list_commits of the MCP server takes no path' });
  });

  it('gives the token to the server, and nothing else of ours', async () => {
    vi.stubEnv('OPENAI_API_KEY', 'sk-canary0123456789');
    vi.stubEnv('JAEGER_AUTH', 'Bearer canary');
    await open('newer', { token: TOKEN });
    const { env, token } = recorded()[0] ?? {};
    expect(token).toBe(TOKEN);
    const passed = ['GITHUB_PERSONAL_ACCESS_TOKEN', 'HOME', 'LOGNAME', 'PATH', 'SHELL', 'TERM', 'USER'];
    expect(env?.filter((name) => !passed.includes(name))).toEqual([]);
  });

  it('refuses a reading tool that says that it writes', async () => {
    const { tools, warnings } = await open('writing');
    expect(tools).toEqual([]);
    expect(warnings).toEqual([
      'the MCP server for the repository cannot be used: it has no tool get_file_contents that only reads',
    ]);
  });

  it('leaves the repository out when it is not there', async () => {
    const { tools, warnings } = await open('newer', { repo: 'example-org/other' });
    expect(tools).toEqual([]);
    expect(warnings[0]).toContain('example-org/other does not answer');
  });

  it.each([
    ['no such program', ['/nowhere/mcp-server']],
    ['a program that ends at once', [process.execPath, '-e', '']],
    [
      'a program that speaks otherwise',
      [process.execPath, '-e', 'console.log("hello"); setTimeout(() => {}, 500)'],
    ],
  ])('goes on without the repository with %s', async (_what, githubMcpCommand) => {
    const services = await openServices({
      config: { ...DEFAULT_CONFIG, githubMcpCommand },
      secrets: {},
      repo: 'example-org/shop',
      signal: new AbortController().signal,
    });
    opened.push(services);
    expect(services.tools).toEqual([]);
    expect(services.warnings[0]).toContain('the MCP server for the repository cannot be used');
  });

  it('waits no longer than for an HTTP answer', async () => {
    // Long enough for the start of a server on a busy machine.
    const services = await open('newer', { timeoutS: 5 });
    expect(await ask(services, 'get_file_contents', { path: 'slow' })).toMatchObject({ status: 'error' });
    expect(await ask(services, 'get_file_contents', { path: 'data.json' })).toMatchObject({ status: 'ok' });
  });

  it('takes no answer beyond the limit', async () => {
    expect(await ask(await open('newer'), 'get_file_contents', { path: 'huge' })).toMatchObject({
      status: 'error',
    });
  });

  it('asks a server that is gone three times, then no more', async () => {
    const services = await open('newer');
    const notes: (string | undefined)[] = [];
    for (let count = 0; count < 4; count += 1) {
      notes.push((await ask(services, 'get_file_contents', { path: 'crash' })).note);
    }
    expect(notes.slice(0, 3).every((note) => note?.startsWith('the MCP server: '))).toBe(true);
    expect(notes[3]).toContain('is not asked again');
  });

  it('leaves no process behind', async () => {
    const services = await open('newer');
    expect(processes()).toHaveLength(1);
    await services.close();
    expect(processes()).toEqual([]);
  });

  it('starts no server without a repository', async () => {
    const services = await openServices({
      config: { ...DEFAULT_CONFIG, githubMcpCommand: ['/nowhere/mcp-server'] },
      secrets: {},
      repo: null,
      signal: new AbortController().signal,
    });
    expect(services).toMatchObject({ tools: [], warnings: [] });
  });
});

describe('INVESTIGATE_GITHUB_MCP_COMMAND', () => {
  const read = (value: string) => settingsOf({ INVESTIGATE_GITHUB_MCP_COMMAND: value });

  it.each([
    ['', []],
    ['  github-mcp-server   stdio --read-only ', ['github-mcp-server', 'stdio', '--read-only']],
    ['["/opt/my server", "stdio"]', ['/opt/my server', 'stdio']],
  ])('reads %j', (value, argv) => {
    expect(read(value)).toMatchObject({ settings: { config: { githubMcpCommand: argv } } });
  });

  it.each(['[', '[]', '[1]', '["a", ""]'])('refuses %j', (value) => {
    expect(read(value)).toMatchObject({ ok: false, problems: [expect.stringContaining('mcp_command')] });
  });
});

/** Server processes of this test. */
function processes(): string[] {
  return readdirSync('/proc').filter((entry) => {
    if (!/^\d+$/.test(entry)) return false;
    try {
      return readFileSync(`/proc/${entry}/cmdline`, 'utf8').includes(calls);
    } catch {
      return false;
    }
  });
}
