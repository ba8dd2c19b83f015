import { type IncomingMessage, request } from 'node:http';

export interface SocketAnswer {
  readonly status: number;
  readonly text: string;
}

/** One HTTP request over a Unix socket. */
export function socketRequest(
  socketPath: string,
  body: string | Buffer,
  { method = 'POST', path = '/tick' }: { readonly method?: string; readonly path?: string } = {},
): Promise<SocketAnswer> {
  return new Promise((resolve, reject) => {
    const call = request({ socketPath, method, path, agent: false }, (response: IncomingMessage) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () => {
        resolve({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString('utf8') });
      });
    });
    call.on('error', reject);
    call.end(body);
  });
}
