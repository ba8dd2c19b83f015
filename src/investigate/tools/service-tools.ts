import type { InvestigateConfig } from '../config.js';
import type { FileTree } from '../evidence/file-tree.js';
import { createHttpClient, type HttpClient, type HttpLimits, type Origin } from '../safety/http-client.js';
import type { Secret } from '../safety/redactor.js';
import { githubTools } from './github/github-tools.js';
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
  const client = (origin: Origin): HttpClient => {
    const made = createHttpClient(origin, {
      maxBytes: config.maxHttpBytes,
      timeoutMs: config.httpTimeoutS * 1000,
      ...options.limits,
    });
    const wrapped = options.wrap?.(made, origin.alias) ?? made;
    clients.push(wrapped);
    return wrapped;
  };
  const tools: Tool[] = [];
  const warnings: string[] = [];
  if (config.jaegerUrl !== '') {
    tools.push(...jaegerTools(client(origin('jaeger', config.jaegerUrl, secrets.jaegerAuth))));
  }
  if (config.lokiUrl !== '') {
    tools.push(
      ...lokiTools(client(origin('loki', config.lokiUrl, secrets.lokiAuth)), config.lokiServiceLabel),
    );
  }
  let repository: Repository | null = null;
  if (repo !== null && secrets.githubToken !== undefined) {
    const headers = {
      authorization: `Bearer ${secrets.githubToken.reveal()}`,
      'user-agent': 'robustness-agent',
      'x-github-api-version': '2022-11-28',
    };
    const candidate = openRepository(
      repo,
      client({ alias: 'github', baseUrl: config.githubApiUrl, headers, mayBePrivate: true }),
    );
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

function origin(alias: string, baseUrl: string, auth: Secret | undefined): Origin {
  const headers = auth === undefined ? {} : { authorization: auth.reveal() };
  return { alias, baseUrl, headers, mayBePrivate: true };
}
