import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage } from 'node:http';
import { dirname, join } from 'node:path';

export interface GitServer {
  readonly url: string;
  readonly requests: { readonly url: string; readonly authorization: string | undefined }[];
  close(): Promise<void>;
}

export const BACKEND = '/usr/lib/git-core/git-http-backend';

/** Makes `example-org/shop.git` below a directory, with the given files in one commit. */
export function makeRepository(root: string, files: Readonly<Record<string, string>>): string {
  const work = join(root, 'work');
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(work, path)), { recursive: true });
    writeFileSync(join(work, path), content);
  }
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=Test', '-c', 'user.email=test@example.org', ...args], {
      cwd: work,
      stdio: 'pipe',
    });
  git('init', '-q', '-b', 'main');
  git('add', '-A');
  git('commit', '-q', '-m', 'Begin');
  const bare = join(root, 'served/example-org/shop.git');
  mkdirSync(dirname(bare), { recursive: true });
  git('clone', '-q', '--bare', work, bare);
  return join(root, 'served');
}

/** A git server for the repositories below a directory; demands this credential when one is given. */
export async function serveGit(root: string, authorization?: string, redirect?: string): Promise<GitServer> {
  const requests: { url: string; authorization: string | undefined }[] = [];
  const server = createServer((request, response) => {
    requests.push({ url: request.url ?? '', authorization: request.headers.authorization });
    if (redirect !== undefined) {
      response.writeHead(302, { location: redirect + request.url }).end();
      return;
    }
    if (authorization !== undefined && request.headers.authorization !== authorization) {
      response.writeHead(401, { 'www-authenticate': 'Basic' }).end();
      return;
    }
    const backend = spawn(BACKEND, { env: cgi(request, root), stdio: ['pipe', 'pipe', 'ignore'] });
    request.pipe(backend.stdin);
    const chunks: Buffer[] = [];
    backend.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
    backend.on('close', () => {
      const answer = Buffer.concat(chunks);
      const split = answer.indexOf('\r\n\r\n');
      const fields = answer
        .subarray(0, split)
        .toString('latin1')
        .split('\r\n')
        .map((line): [string, string] => {
          const colon = line.indexOf(':');
          return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
        });
      const { status = '200', ...headers } = Object.fromEntries(fields);
      response.writeHead(Number.parseInt(status, 10), headers).end(answer.subarray(split + 4));
    });
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return {
    url: `http://127.0.0.1:${address.port}`,
    requests,
    close: () =>
      new Promise((done) => {
        server.closeAllConnections();
        server.close(() => done());
      }),
  };
}

function cgi(request: IncomingMessage, root: string): NodeJS.ProcessEnv {
  const { pathname, search } = new URL(request.url ?? '/', 'http://git');
  return {
    PATH: process.env['PATH'],
    GIT_PROJECT_ROOT: root,
    GIT_HTTP_EXPORT_ALL: '1',
    REQUEST_METHOD: request.method,
    PATH_INFO: pathname,
    QUERY_STRING: search.slice(1),
    CONTENT_TYPE: request.headers['content-type'] ?? '',
    HTTP_CONTENT_ENCODING: request.headers['content-encoding'] ?? '',
    GIT_PROTOCOL: String(request.headers['git-protocol'] ?? ''),
    // A served repository belongs to whoever runs the test.
    GIT_CONFIG_COUNT: '1',
    GIT_CONFIG_KEY_0: 'safe.directory',
    GIT_CONFIG_VALUE_0: '*',
  };
}
