import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { defaultsOf } from '../../../src/foreign/config-field.js';
import { investigateFields } from '../../../src/foreign/investigate-fields.js';
import { DEFAULT_CONFIG } from '../../../src/investigate/config.js';
import { readInvestigateConfig } from '../../../src/investigate/read-config.js';
import { Secret } from '../../../src/investigate/safety/redactor.js';
import type { ArgumentValues } from '../../../src/investigate/tools/arguments.js';
import { httpTransport } from '../../../src/investigate/tools/github/mcp-http.js';
import { openServices, type Services } from '../../../src/investigate/tools/service-tools.js';
import type { ToolOutcome } from '../../../src/investigate/tools/tool.js';
import { serve } from '../fakes/servers.js';
import { type McpHttpOptions, type McpHttpServer, serveMcp } from './http-server.js';

const TOKEN = 'ghp_canary0123456789canary0123456789';
const NOW = Date.parse('2026-05-01T11:00:00Z') / 1000;
const SERVER = join(import.meta.dirname, 'github-server.mjs');

let directory: string;
let calls: string;
let opened: { close(): Promise<void> }[];

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'mcp-http-'));
  calls = join(directory, 'calls.jsonl');
  opened = [];
});
afterEach(async () => {
  for (const one of opened.reverse()) await one.close();
  rmSync(directory, { recursive: true, force: true });
});

async function start(parts: Partial<McpHttpOptions> = {}): Promise<McpHttpServer> {
  const server = await serveMcp({ callsFile: calls, ...parts });
  opened.push(server);
  return server;
}

interface Parts {
  readonly token?: string;
  readonly timeoutS?: number;
  readonly command?: readonly string[];
}

async function open(url: string, { token, timeoutS = 10, command = [] }: Parts = {}): Promise<Services> {
  const services = await openServices({
    config: {
      ...DEFAULT_CONFIG,
      githubMcpUrl: url,
      githubMcpCommand: command,
      httpTimeoutS: timeoutS,
      maxHttpBytes: 1024 * 1024,
    },
    secrets: token === undefined ? {} : { githubToken: new Secret(token) },
    repo: 'example-org/shop',
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

const LOOKS: readonly (readonly [string, ArgumentValues])[] = [
  ['get_file_slice', { path: 'src/shop/prices.py', around_line: 2, context: 1 }],
  ['get_file_contents', { path: 'naïve.txt' }],
  ['get_file_contents', { path: 'src' }],
  ['get_file_contents', { path: 'missing.py' }],
  ['find_files', { name: 'prices.py', ref: 'HEAD' }],
  ['search_code', { q: 'total repo:other/one' }],
  ['list_commits', { since_minutes: 120 }],
];

describe('GitHub behind an MCP server over HTTP', () => {
  it.each([true, false])('gives what the same server gives over stdio (as JSON: %s)', async (json) => {
    const server = await start({ json });
    const overHttp = await open(server.url);
    const overStdio = await open('', { command: [process.execPath, SERVER, 'newer', calls] });
    expect(overHttp.warnings).toEqual([]);
    expect(overHttp.tools.map(({ name }) => name)).toEqual(overStdio.tools.map(({ name }) => name));
    for (const [name, args] of LOOKS) {
      const outcome = await ask(overHttp, name, args);
      expect(outcome).toEqual(await ask(overStdio, name, args));
    }
    expect((await ask(overHttp, ...(LOOKS[0] ?? ['', {}]))).status).toBe('ok');
  });

  it('is asked for nothing that writes', async () => {
    const server = await start();
    const services = await open(server.url);
    const values = { path: 'data.json', name: 'x', q: 'x', around_line: 1, context: 1, ref: 'HEAD' };
    for (const { name } of services.tools) await ask(services, name, values);
    const allowed = ['search_code', 'get_file_contents', 'list_commits', 'get_repository_tree'];
    const lines = readFileSync(calls, 'utf8').trim().split('\n');
    const names = lines.map((line) => String(JSON.parse(line).name));
    expect(names.length).toBeGreaterThan(2);
    expect(names.filter((name) => !allowed.includes(name))).toEqual([]);
  });

  it('refuses a reading tool that says that it writes', async () => {
    const server = await start({ dialect: 'writing' });
    const { tools, warnings } = await open(server.url);
    expect(tools).toEqual([]);
    expect(warnings[0]).toContain('it has no tool get_file_contents that only reads');
  });

  it('is shown the token with every request, and opens no stream of its own', async () => {
    const server = await start({ token: TOKEN });
    const services = await open(server.url, { token: TOKEN });
    expect((await ask(services, 'get_file_contents', { path: 'data.json' })).status).toBe('ok');
    expect(new Set(server.requests.map(({ method }) => method))).toEqual(new Set(['POST']));
    expect(server.requests.every(({ headers }) => headers.authorization === `Bearer ${TOKEN}`)).toBe(true);
  });

  it('is left out where it refuses the token, which is not repeated', async () => {
    const server = await start({ token: 'another' });
    const { tools, warnings } = await open(server.url, { token: TOKEN });
    expect(tools).toEqual([]);
    expect(warnings).toEqual([
      'the MCP server for the repository cannot be used: the MCP server: status 401',
    ]);
  });

  it('is told when its session ends', async () => {
    const server = await start();
    const services = await open(server.url);
    expect(server.sessions.size).toBe(1);
    await services.close();
    expect(server.sessions.size).toBe(0);
    expect(server.requests.at(-1)?.method).toBe('DELETE');
  });

  it('cannot send the token elsewhere', async () => {
    const other = await serve(() => ({ body: {} }));
    opened.push(other);
    const server = await start({
      instead: (_request, response) => {
        response.writeHead(307, { location: `${other.url}/mcp` }).end();
        return true;
      },
    });
    const { tools, warnings } = await open(server.url, { token: TOKEN });
    expect(tools).toEqual([]);
    expect(warnings[0]).toContain('a redirect, which is not followed');
    expect(other.requests).toEqual([]);
  });

  it('is not followed within its origin either', async () => {
    const server = await start({
      instead: ({ url }, response) => {
        if (url === '/elsewhere') return false;
        response.writeHead(308, { location: '/elsewhere' }).end();
        return true;
      },
    });
    expect((await open(server.url)).tools).toEqual([]);
    expect(server.requests).toHaveLength(1);
  });

  it.each([
    ['nobody listens', 'http://127.0.0.1:9/mcp', 'no answer'],
    ['a metadata address', 'http://169.254.169.254/mcp', 'refused: the host resolves to'],
    ['one in disguise', 'http://[::ffff:169.254.169.254]/mcp', 'refused: the host resolves to'],
  ])('goes on without the repository: %s', async (_what, url, reason) => {
    const { tools, warnings } = await open(url, { timeoutS: 3 });
    expect(tools).toEqual([]);
    expect(warnings[0]).toContain(reason);
  });

  it('asks the address that was checked, although the name would now mean another', async () => {
    const server = await start();
    const { port } = new URL(server.url);
    const looked: string[] = [];
    const { transport, end } = await httpTransport({
      url: `http://changes.example:${port}/mcp`,
      timeoutMs: 2000,
      maxBytes: 10_000,
      resolve: async (host) => {
        looked.push(host);
        return looked.length === 1 ? ['127.0.0.1'] : ['169.254.169.254'];
      },
    });
    await transport.start();
    const message = { jsonrpc: '2.0', id: 1, method: 'ping' } as const;
    await expect(transport.send(message)).rejects.toMatchObject({ code: 404 });
    await expect(transport.send(message)).rejects.toThrow('refused: the host resolves to');
    await end();
    expect(server.requests).toHaveLength(1);
    expect(new Set(looked)).toEqual(new Set(['changes.example']));
  });

  it.each([true, false])('takes no answer beyond the limit (as JSON: %s)', async (json) => {
    const server = await start({ json });
    const services = await open(server.url, { timeoutS: 2 });
    expect(await ask(services, 'get_file_contents', { path: 'huge' })).toMatchObject({ status: 'error' });
    expect(await ask(services, 'get_file_contents', { path: 'data.json' })).toMatchObject({ status: 'ok' });
  });

  it('waits no longer than for an HTTP answer', async () => {
    const server = await start();
    const services = await open(server.url, { timeoutS: 3 });
    expect(await ask(services, 'get_file_contents', { path: 'slow' })).toMatchObject({ status: 'error' });
    expect(await ask(services, 'get_file_contents', { path: 'data.json' })).toMatchObject({ status: 'ok' });
  });

  it('that is gone is asked three times, then no more', async () => {
    const server = await start();
    const services = await open(server.url);
    await server.close();
    const notes: (string | undefined)[] = [];
    for (let count = 0; count < 4; count += 1)
      notes.push((await ask(services, 'get_file_contents', { path: 'data.json' })).note);
    expect(notes[0]).toMatch(/the MCP server: no answer: (?:ECONNREFUSED|UND_ERR_SOCKET)/);
    expect(notes[3]).toContain('is not asked again');
  });

  it('that speaks otherwise is left out', async () => {
    const page = await serve(() => ({ body: '<html>', raw: true, headers: { 'content-type': 'text/html' } }));
    opened.push(page);
    const { tools, warnings } = await open(`${page.url}/mcp`);
    expect(tools).toEqual([]);
    expect(warnings[0]).toContain('Unexpected content type');
  });
});

describe('investigate_github_mcp_url', () => {
  const read = (parts: Record<string, string>) =>
    readInvestigateConfig({ ...defaultsOf(investigateFields()), ...parts });

  it('is an address', () => {
    const url = 'https://mcp.example/mcp';
    expect(read({ investigate_github_mcp_url: ` ${url} ` })).toMatchObject({
      config: { githubMcpUrl: url },
      errors: [],
    });
    expect(read({})).toMatchObject({ config: { githubMcpUrl: '' }, errors: [] });
  });

  it.each(['file:///x', 'http://user:pw@x/', 'http://x/#y', 'nonsense'])('%s is none', (value) => {
    expect(read({ investigate_github_mcp_url: value }).errors).toHaveLength(1);
  });

  it('does not stand beside a command', () => {
    const both = { investigate_github_mcp_url: 'http://x/', investigate_github_mcp_command: 'server stdio' };
    expect(read(both).errors.join()).toContain('are both set');
  });
});
