import type { InvestigateConfig } from '../config.js';
import type { FileTree } from '../evidence/file-tree.js';
import { createHttpClient, type HttpClient, type HttpLimits, type Origin } from '../safety/http-client.js';
import type { Secret } from '../safety/redactor.js';
import { githubTools } from './github/github-tools.js';
import { type McpServer, openMcpGithub } from './github/mcp-client.js';
import { isReachable, openRepository, type Repository } from './github/repository.js';
import { jaegerTools } from './jaeger/jaeger-tools.js';
import { lokiTools } from './loki/loki-tools.js';
import type { Tool } from './tool.js';

/** Credentials of the services; sent to the origin that they belong to and nowhere else. */
export interface ServiceSecrets {
  readonly jaegerAuth?: Secret;
  readonly lokiAuth?: Secret;
  readonly githubToken?: Secret;
}

export interface ServiceOptions {
  readonly config: InvestigateConfig;
  readonly secrets: ServiceSecrets;
  /** `OWNER/NAME`, or null. */
  readonly repo: string | null;
  readonly signal: AbortSignal;
  readonly limits?: Partial<HttpLimits>;
  /** Puts something between the tools and an origin, such as a cassette. */
  readonly wrap?: (client: HttpClient, alias: string) => HttpClient;
}

export interface Services {
  readonly tools: readonly Tool[];
  /** The repository's files; empty without one. */
  readonly trees: () => Promise<readonly FileTree[]>;
  readonly warnings: readonly string[];
  close(): Promise<void>;
}

const CHECK_MS = 5000;

/** The tools of the services that are configured and, for the repository, answer (spec 07 A1.3, B4). */
export async function openServices(options: ServiceOptions): Promise<Services> {
  const { config, secrets, repo, signal } = options;
  const clients: HttpClient[] = [];
  const use = (made: HttpClient, alias: string): HttpClient => {
    const wrapped = options.wrap?.(made, alias) ?? made;
    clients.push(wrapped);
    return wrapped;
  };
  const client = (origin: Origin): HttpClient => {
    const made = createHttpClient(origin, {
      maxBytes: config.maxHttpBytes,
      timeoutMs: config.httpTimeoutS * 1000,
      ...options.limits,
    });
    return use(made, origin.alias);
  };
  const tools: Tool[] = [];
  const warnings: string[] = [];
  if (config.jaegerUrl !== '') {
    tools.push(...jaegerTools(client(origin(config, 'jaeger', config.jaegerUrl, secrets.jaegerAuth))));
  }
  if (config.lokiUrl !== '') {
    tools.push(
      ...lokiTools(client(origin(config, 'loki', config.lokiUrl, secrets.lokiAuth)), config.lokiServiceLabel),
    );
  }
  let repository: Repository | null = null;
  const host = repo === null ? null : await codeHost(options, client, use);
  if (typeof host === 'string') warnings.push(host);
  else if (repo !== null && host !== null) {
    const candidate = openRepository(repo, host);
    if (await isReachable(candidate, AbortSignal.any([signal, AbortSignal.timeout(CHECK_MS)])))
      repository = candidate;
    else warnings.push(`the repository ${repo} does not answer, so no source is read from it`);
  }
  if (repository !== null) tools.push(...githubTools(repository));
  return {
    tools,
    warnings,
    trees: async () => {
      if (repository === null) return [];
      const tree = await repository.tree('HEAD', signal);
      return typeof tree === 'string' ? [] : [tree];
    },
    close: async () => {
      await Promise.all(clients.map((one) => one.close()));
    },
  };
}

/** The MCP server that is configured, else the REST API where there is a token; null for neither, a text for a failure. */
async function codeHost(
  { config, secrets, signal }: ServiceOptions,
  rest: (origin: Origin) => HttpClient,
  use: (client: HttpClient, alias: string) => HttpClient,
): Promise<HttpClient | string | null> {
  const { httpTimeoutS, maxHttpBytes, githubApiUrl } = config;
  const { githubToken } = secrets;
  const server = mcpServerOf(config);
  if (server !== null) {
    const limits = { timeoutMs: httpTimeoutS * 1000, maxBytes: maxHttpBytes };
    const opened = await openMcpGithub(
      { server, ...limits, ...(githubToken && { token: githubToken }) },
      signal,
    );
    if (opened.ok) return use(opened.client, 'github');
    return `the MCP server for the repository cannot be used: ${opened.reason}`;
  }
  if (githubToken === undefined) return null;
  const headers = {
    authorization: `Bearer ${githubToken.reveal()}`,
    'user-agent': 'robustness-agent',
    'x-github-api-version': '2022-11-28',
  };
  return rest({ alias: 'github', baseUrl: githubApiUrl, headers, mayBePrivate: true });
}

function mcpServerOf({ githubMcpCommand: command, githubMcpUrl: url }: InvestigateConfig): McpServer | null {
  if (url !== '') return { url };
  return command.length > 0 ? { command } : null;
}

/** Only the operator may point to a private address (spec 07 B8.1). */
function origin(
  { chatOrigins }: InvestigateConfig,
  alias: 'jaeger' | 'loki',
  baseUrl: string,
  auth: Secret | undefined,
): Origin {
  const headers = auth === undefined ? {} : { authorization: auth.reveal() };
  return { alias, baseUrl, headers, mayBePrivate: !chatOrigins.includes(alias) };
}
