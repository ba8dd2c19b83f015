import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer as createHttpServer, type RequestListener } from 'node:http';
import {
  type AddressInfo,
  connect,
  createServer as createTcpServer,
  type Server,
  type Socket,
} from 'node:net';
import { onTestFinished } from 'vitest';

/** A server on loopback for one test; its port, and what it has received. */
export interface TestServer {
  readonly port: number;
  readonly url: string;
  /** Request lines, as `METHOD path`. */
  readonly requests: string[];
}

/** A real HTTP server. */
export async function httpServer(handler: RequestListener): Promise<TestServer> {
  const requests: string[] = [];
  const server = createHttpServer((request, response) => {
    requests.push(`${request.method} ${request.url}`);
    handler(request, response);
  });
  const port = await listen(server);
  onTestFinished(() => server.closeAllConnections());
  return { port, url: `http://127.0.0.1:${port}/health`, requests };
}

/** An HTTP server that answers every request with one status. */
export function statusServer(status: number, headers: Record<string, string> = {}): Promise<TestServer> {
  return httpServer((_request, response) => response.writeHead(status, headers).end('x'));
}

/** A server below HTTP: what happens on a connection is the test's business. */
export async function tcpServer(onConnection: (socket: Socket) => void): Promise<TestServer> {
  const sockets = new Set<Socket>();
  const requests: string[] = [];
  const server = createTcpServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    requests.push('connection');
    onConnection(socket);
  });
  const port = await listen(server);
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
  });
  return { port, url: `http://127.0.0.1:${port}/health`, requests };
}

/** A port on which nothing listens. */
export async function closedPort(): Promise<number> {
  const server = createTcpServer();
  const port = await listen(server, false);
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** A port whose queue of connections is full: the owner is stopped, so that the kernel drops whoever knocks. */
export async function crowdedPort(): Promise<number> {
  const script =
    "require('net').createServer().listen({port: 0, host: '127.0.0.1', backlog: 1}, function () { console.log(this.address().port) })";
  const child = spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  const [line] = await once(child.stdout, 'data');
  const port = Number(String(line));
  child.kill('SIGSTOP');
  for (let i = 0; i < 4; i += 1) {
    const socket = connect({ port, host: '127.0.0.1' });
    socket.on('error', () => undefined);
    onTestFinished(() => void socket.destroy());
  }
  return port;
}

async function listen(server: Server, untilEnd = true): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  if (untilEnd) onTestFinished(() => void server.close());
  return portOf(server.address());
}

function portOf(address: AddressInfo | string | null): number {
  if (address === null || typeof address === 'string') throw new Error('the server has no port');
  return address.port;
}
