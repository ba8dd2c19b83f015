import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';

/** Whether commands of a faked sandbox can be run here: as root of their own little system. */
export const canFakeBoxes = process.getuid?.() === 0 && process.platform === 'linux';

export interface E2bService {
  readonly connection: { readonly apiUrl: string; readonly sandboxUrl: string };
  /** Bodies of the requests that made a sandbox. */
  readonly created: Record<string, unknown>[];
  /** Sandboxes that nobody ended. */
  readonly living: ReadonlySet<string>;
  /** Everything that came in, headers and bodies, as text. */
  readonly seen: string[];
  /** Answers the next request to make a sandbox only after so many ms. */
  delayMs: number;
  /** Refuses to make or to end one. */
  refuse: 'create' | 'kill' | null;
  close(): Promise<void>;
}

/** The HTTP API of E2B as its own SDK speaks it; commands really run, each sandbox in a system of its own. */
export async function serveE2b(apiKey: string): Promise<E2bService> {
  const root = mkdtempSync(join(tmpdir(), 'e2b-service-'));
  const boxes = new Map<string, { directory: string; children: Set<ChildProcess> }>();
  const living = new Set<string>();
  const state = { created: [] as Record<string, unknown>[], seen: [] as string[], living, delayMs: 0 };
  const service: Omit<E2bService, 'connection' | 'close'> = { ...state, refuse: null };

  const create = (body: Buffer, response: ServerResponse): void => {
    if (service.refuse === 'create') {
      json(response, 500, { code: 500, message: 'no room' });
      return;
    }
    service.created.push(JSON.parse(body.toString('utf8')));
    const id = `box${randomUUID().slice(0, 8)}`;
    const directory = join(root, id);
    for (const name of ['tmp', 'box']) mkdirSync(join(directory, name), { recursive: true });
    boxes.set(id, { directory, children: new Set() });
    living.add(id);
    const made = {
      sandboxID: id,
      templateID: 'base',
      clientID: 'c',
      envdVersion: '0.5.7',
      envdAccessToken: 't',
    };
    setTimeout(() => json(response, 201, made), service.delayMs);
  };

  const kill = (id: string, response: ServerResponse): void => {
    if (service.refuse === 'kill') {
      json(response, 500, { code: 500, message: 'not now' });
      return;
    }
    const box = boxes.get(id);
    if (box === undefined) {
      json(response, 404, { code: 404, message: 'not found' });
      return;
    }
    for (const child of box.children) child.kill('SIGKILL');
    boxes.delete(id);
    living.delete(id);
    response.writeHead(204).end();
  };

  const upload = (
    id: string,
    url: URL,
    body: Buffer,
    request: IncomingMessage,
    response: ServerResponse,
  ): void => {
    const box = boxes.get(id);
    if (box === undefined) {
      json(response, 502, { message: 'no sandbox' });
      return;
    }
    const asked = url.searchParams.get('path');
    const type = request.headers['content-type'] ?? '';
    const parts = asked === null ? partsOf(body, type) : [{ path: asked, data: body }];
    const wrapped = asked !== null && type.startsWith('multipart/') ? partsOf(body, type) : parts;
    const written = wrapped.map(({ path, data }) => {
      const target = join(box.directory, asked ?? path);
      mkdirSync(dirname(target), { recursive: true });
      writeFileSync(target, data);
      return { name: basename(target), type: 'file', path: asked ?? path };
    });
    json(response, 200, written);
  };

  const start = (id: string, body: Buffer, response: ServerResponse): void => {
    const box = boxes.get(id);
    if (box === undefined) {
      json(response, 502, { message: 'no sandbox' });
      return;
    }
    const { process: asked } = JSON.parse(body.subarray(5).toString('utf8'));
    response.writeHead(200, { 'content-type': 'application/connect+json' });
    const child = spawn('bwrap', [...system(box.directory), asked.cmd, ...asked.args], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: {},
    });
    box.children.add(child);
    const send = (event: object): boolean => response.write(envelope(0, { event }));
    send({ start: { pid: child.pid ?? 1 } });
    child.stdout.on('data', (chunk: Buffer) => send({ data: { stdout: chunk.toString('base64') } }));
    child.stderr.on('data', (chunk: Buffer) => send({ data: { stderr: chunk.toString('base64') } }));
    child.on('close', (code) => {
      box.children.delete(child);
      const status = `exit status ${code}`;
      send({ end: { exitCode: code ?? -1, exited: true, status, ...(code === 0 ? {} : { error: status }) } });
      response.end(envelope(2, {}));
    });
    response.on('close', () => child.kill('SIGKILL'));
  };

  const server = createServer((request, response) => {
    void readBody(request).then((body) => {
      service.seen.push(
        `${request.method} ${request.url} ${JSON.stringify(request.headers)} ${body.toString('latin1')}`,
      );
      const url = new URL(request.url ?? '/', 'http://service');
      const id = String(request.headers['e2b-sandbox-id'] ?? '');
      if (url.pathname === '/files') return upload(id, url, body, request, response);
      if (url.pathname === '/process.Process/Start') return start(id, body, response);
      if (url.pathname === '/health') {
        json(response, 204, {});
        return;
      }
      if (request.headers['x-api-key'] !== apiKey) {
        json(response, 401, { code: 401, message: 'no' });
        return;
      }
      if (request.method === 'POST' && url.pathname === '/v2/sandboxes') return create(body, response);
      const ended = /^\/sandboxes\/([^/]+)$/.exec(url.pathname)?.[1];
      if (request.method === 'DELETE' && ended !== undefined) return kill(ended, response);
      return json(response, 404, { code: 404, message: 'not found' });
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  const origin = `http://127.0.0.1:${address.port}`;
  return Object.assign(service, {
    connection: { apiUrl: origin, sandboxUrl: origin },
    close: async () => {
      for (const { children } of boxes.values()) for (const child of children) child.kill('SIGKILL');
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
      rmSync(root, { recursive: true, force: true });
    },
  });
}

/** A small Linux with the tools of this machine, a network namespace without a way out, and a root that may change user. */
function system(directory: string): string[] {
  return [
    ...['--unshare-pid', '--unshare-net', '--unshare-ipc', '--unshare-uts', '--die-with-parent'],
    ...['--cap-add', 'ALL', '--ro-bind', '/usr', '/usr'],
    ...['bin', 'sbin', 'lib', 'lib64'].flatMap((name) => ['--symlink', `usr/${name}`, `/${name}`]),
    ...['--proc', '/proc', '--dev', '/dev'],
    ...['--bind', join(directory, 'tmp'), '/tmp', '--bind', join(directory, 'box'), '/box', '--'],
  ];
}

function envelope(flags: number, message: object): Buffer {
  const body = Buffer.from(JSON.stringify(message));
  const head = Buffer.alloc(5);
  head.writeUInt8(flags, 0);
  head.writeUInt32BE(body.length, 1);
  return Buffer.concat([head, body]);
}

/** The files of a multipart body. */
function partsOf(body: Buffer, type: string): { path: string; data: Buffer }[] {
  const boundary = /boundary=(?:"([^"]+)"|([^;]+))/.exec(type);
  const mark = `--${boundary?.[1] ?? boundary?.[2] ?? ''}`;
  const parts = body.toString('latin1').split(mark).slice(1, -1);
  return parts.map((part) => {
    const at = part.indexOf('\r\n\r\n');
    const path = /filename="([^"]+)"/.exec(part.slice(0, at))?.[1] ?? '';
    return { path, data: Buffer.from(part.slice(at + 4, -2), 'latin1') };
  });
}

async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks);
}

function json(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}
