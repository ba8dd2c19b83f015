import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { type Json, type JsonObject, objectOr, parseJson } from '../../../foreign/json.js';
import { codeOf } from '../../safety/checked-agent.js';
import type { HttpAnswer, HttpClient, HttpRequest } from '../../safety/http-client.js';
import type { Secret } from '../../safety/redactor.js';
import { commitsSince, fileText, type McpContent, readContent, statusOf } from './mcp-answers.js';
import { httpTransport, type OpenedTransport } from './mcp-http.js';

/** Where the server is, from the operator alone: a program and its arguments, or an address. */
export type McpServer = { readonly command: readonly string[] } | { readonly url: string };

export interface McpServerOptions {
  readonly server: McpServer;
  readonly token?: Secret;
  readonly timeoutMs: number;
  readonly maxBytes: number;
}

export type McpReading =
  | { readonly ok: true; readonly client: HttpClient }
  | { readonly ok: false; readonly reason: string };

/** The only tools that are ever called; all of them read (spec 07 A3.3). */
const READ_TOOLS = ['search_code', 'get_file_contents', 'list_commits', 'get_repository_tree'] as const;

type ReadTool = (typeof READ_TOOLS)[number];

/** Arguments without which a call would mean something else, by the names that servers give them. */
const NEEDED = [
  ['owner'],
  ['repo'],
  ['path'],
  ['ref', 'branch'],
  ['q', 'query'],
  ['tree_sha'],
  ['recursive'],
] as const;

const BREAKER_FAILURES = 3;
const MAX_PAGES = 20;
const MAX_PROBLEM = 200;
const COMMITS = 20;
const FOUND = 50;

/**
 * GitHub behind a Model Context Protocol server: answers the reading requests of the REST client, so that the tools, a
 * recording and the breaker are the same for both. Never throws.
 */
export async function openMcpGithub(options: McpServerOptions, signal: AbortSignal): Promise<McpReading> {
  const { timeoutMs } = options;
  const { Client: McpClient } = await import('@modelcontextprotocol/sdk/client/index.js');
  const client = new McpClient({ name: 'robustness-agent', version: '1' });
  let end = (): Promise<void> => client.close();
  try {
    const opened = await transportTo(options);
    end = async () => {
      await opened.end();
      await client.close();
    };
    await client.connect(opened.transport, { signal, timeout: timeoutMs });
    const tools = await readTools(client, { signal, timeout: timeoutMs });
    if (tools.has('get_file_contents'))
      return { ok: true, client: new McpGithub(client, tools, options, end) };
    await end();
    return { ok: false, reason: 'it has no tool get_file_contents that only reads' };
  } catch (error) {
    await end().catch(() => undefined);
    return { ok: false, reason: problemOf(error) };
  }
}

async function transportTo({
  server,
  token,
  timeoutMs,
  maxBytes,
}: McpServerOptions): Promise<OpenedTransport> {
  if ('url' in server) {
    return httpTransport({ url: server.url, timeoutMs, maxBytes, ...(token && { token }) });
  }
  const [program = '', ...args] = server.command;
  const { StdioClientTransport } = await import('@modelcontextprotocol/sdk/client/stdio.js');
  const transport = new StdioClientTransport({
    command: program,
    args,
    // On top of the few variables that the SDK lets through.
    ...(token === undefined ? {} : { env: { GITHUB_PERSONAL_ACCESS_TOKEN: token.reveal() } }),
    stderr: 'ignore',
    maxBufferSize: maxBytes,
  });
  return { transport, end: () => transport.close() };
}

/** The allowed tools that are there and do not say that they change something, with their argument names. */
async function readTools(
  client: Client,
  options: { readonly signal: AbortSignal; readonly timeout: number },
): Promise<Map<ReadTool, ReadonlySet<string>>> {
  const found = new Map<ReadTool, ReadonlySet<string>>();
  let cursor: string | undefined;
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const { tools, nextCursor } = await client.listTools(cursor === undefined ? {} : { cursor }, options);
    for (const { name, inputSchema, annotations } of tools) {
      const known = READ_TOOLS.find((allowed) => allowed === name);
      if (known === undefined || annotations?.readOnlyHint === false || annotations?.destructiveHint === true)
        continue;
      found.set(known, new Set(Object.keys(inputSchema.properties ?? {})));
    }
    if (nextCursor === undefined) break;
    cursor = nextCursor;
  }
  return found;
}

class McpGithub implements HttpClient {
  #failures = 0;

  constructor(
    private readonly client: Client,
    private readonly tools: ReadonlyMap<ReadTool, ReadonlySet<string>>,
    private readonly options: McpServerOptions,
    private readonly end: () => Promise<void>,
  ) {}

  async get(request: HttpRequest, signal: AbortSignal): Promise<HttpAnswer> {
    if (this.#failures >= BREAKER_FAILURES) {
      return refused(`the MCP server failed ${this.#failures} times in a row and is not asked again`);
    }
    const [first = '', owner = '', repo = '', kind, ...rest] = request.path;
    const place = { owner, repo };
    const query = request.query ?? {};
    if (first === 'search') {
      const q = String(query['q'] ?? '');
      return this.#json('search_code', { q, query: q, per_page: FOUND, perPage: FOUND }, signal);
    }
    switch (kind) {
      case undefined:
        return this.#reach(place, signal);
      case 'contents':
        return this.#file({ ...place, ...refOf(query['ref']), path: rest.join('/') }, signal);
      case 'git': {
        const [, ref = 'HEAD'] = rest;
        const sha = ref === 'HEAD' ? {} : { tree_sha: ref };
        return this.#json('get_repository_tree', { ...place, ...sha, recursive: true }, signal);
      }
      case 'commits': {
        const path = query['path'] === undefined ? {} : { path: query['path'] };
        const args = { ...place, ...path, per_page: COMMITS, perPage: COMMITS };
        const since = typeof query['since'] === 'string' ? query['since'] : undefined;
        return this.#json('list_commits', args, signal, (body) => commitsSince(body, since));
      }
      default:
        return refused('the MCP server is not asked for this');
    }
  }

  async close(): Promise<void> {
    await this.end().catch(() => undefined);
  }

  /** The root listed is the repository reached. */
  async #reach(place: JsonObject, signal: AbortSignal): Promise<HttpAnswer> {
    const takesRef = this.tools.get('get_file_contents')?.has('ref') === true;
    const content = await this.#call('get_file_contents', { ...place, path: takesRef ? '/' : '' }, signal);
    return typeof content === 'string' ? refused(content) : answered({}, '{}');
  }

  async #file(args: JsonObject, signal: AbortSignal): Promise<HttpAnswer> {
    const content = await this.#call('get_file_contents', args, signal);
    return typeof content === 'string' ? refused(content) : answered(null, fileText(content));
  }

  async #json(
    tool: ReadTool,
    args: JsonObject,
    signal: AbortSignal,
    change: (body: Json) => Json = (body) => body,
  ): Promise<HttpAnswer> {
    const content = await this.#call(tool, args, signal);
    if (typeof content === 'string') return refused(content);
    const parsed = parseJson(content.text);
    if (!parsed.ok) return refused('the answer of the MCP server is not JSON');
    return answered(change(parsed.value), content.text);
  }

  /** The answer of an allowed tool, or what went wrong. */
  async #call(name: ReadTool, args: JsonObject, signal: AbortSignal): Promise<McpContent | string> {
    const known = this.tools.get(name);
    if (known === undefined) return `the MCP server has no tool ${name}`;
    const lost = NEEDED.find(
      (names) => names.some((one) => one in args) && !names.some((one) => known.has(one)),
    );
    if (lost !== undefined) return `${name} of the MCP server takes no ${lost[0]}`;
    // Servers name the same argument differently; each gets the names that it has.
    const own = Object.fromEntries(Object.entries(args).filter(([key]) => known.has(key)));
    try {
      const { timeoutMs } = this.options;
      const options = { signal, timeout: timeoutMs, maxTotalTimeout: timeoutMs };
      const content = readContent(
        objectOr(await this.client.callTool({ name, arguments: own }, undefined, options)),
      );
      this.#failures = 0;
      if (!content.isError) return content;
      return content.text.slice(0, MAX_PROBLEM) || 'the MCP server reports an error';
    } catch (error) {
      this.#failures += 1;
      return signal.aborted ? 'no answer in time' : problemOf(error);
    }
  }
}

function refOf(ref: string | number | undefined): JsonObject {
  return ref === undefined ? {} : { ref, branch: ref };
}

function answered(body: Json, text: string): HttpAnswer {
  return { ok: true, status: 200, body, text };
}

function refused(problem: string): HttpAnswer {
  return { ok: false, status: statusOf(problem), problem };
}

/** What went wrong; a server's own page is not repeated, because it may repeat what it was sent. */
function problemOf(error: unknown): string {
  if (!(error instanceof Error)) return `the MCP server: ${String(error).slice(0, MAX_PROBLEM)}`;
  const status = 'code' in error ? error.code : undefined;
  const said = typeof status === 'number' && status > 0 ? `status ${status}` : causeOf(error);
  return `the MCP server: ${said}`.slice(0, MAX_PROBLEM);
}

function causeOf(error: Error): string {
  return error.message === 'fetch failed' ? `no answer: ${codeOf(error)}` : error.message;
}
