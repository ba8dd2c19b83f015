import { randomUUID } from 'node:crypto';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { isInitializeRequest } from '@modelcontextprotocol/sdk/types.js';
import { githubServer } from './github-tools.mjs';

export interface McpHttpServer {
  readonly url: string;
  readonly requests: { readonly method: string; readonly headers: IncomingHttpHeaders }[];
  /** Sessions that nobody ended yet. */
  readonly sessions: ReadonlyMap<string, unknown>;
  close(): Promise<void>;
}

export interface McpHttpOptions {
  readonly dialect?: 'older' | 'newer' | 'writing';
  readonly callsFile: string;
  /** Answers as JSON in place of an event stream. */
  readonly json?: boolean;
  /** The bearer token without which nobody is answered. */
  readonly token?: string;
  /** Answers in the server's place; true when it did. */
  readonly instead?: (request: IncomingMessage, response: ServerResponse) => boolean;
}

/** A real MCP server over streamable HTTP on loopback, with sessions. */
export async function serveMcp(options: McpHttpOptions): Promise<McpHttpServer> {
  const { dialect = 'newer', callsFile, json = false, token, instead } = options;
  const sessions = new Map<string, StreamableHTTPServerTransport>();
  const requests: McpHttpServer['requests'] = [];
  const server = createServer((request, response) => {
    requests.push({ method: request.method ?? '', headers: request.headers });
    if (instead?.(request, response) === true) return;
    if (token !== undefined && request.headers.authorization !== `Bearer ${token}`) {
      response.writeHead(401).end(`no: ${request.headers.authorization ?? ''}`);
      return;
    }
    void answer(request, response);
  });
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(Buffer.from(chunk));
    const body = chunks.length === 0 ? undefined : JSON.parse(Buffer.concat(chunks).toString('utf8'));
    const known = sessions.get(String(request.headers['mcp-session-id'] ?? ''));
    if (known !== undefined) return known.handleRequest(request, response, body);
    if (!isInitializeRequest(body)) {
      response.writeHead(404).end();
      return;
    }
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      enableJsonResponse: json,
      onsessioninitialized: (id) => {
        sessions.set(id, transport);
      },
      onsessionclosed: (id) => {
        sessions.delete(id);
      },
    });
    await githubServer(dialect, callsFile).connect(transport);
    await transport.handleRequest(request, response, body);
  };
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return {
    url: `http://127.0.0.1:${address.port}/mcp`,
    requests,
    sessions,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}
