import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** One request as the provider saw it. */
export interface SeenRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
  /** The decoded body; `{}` when it is no JSON object. */
  readonly body: Readonly<Record<string, unknown>>;
}

/** What the provider does with one request. */
export type Play =
  | { readonly status?: number; readonly headers?: Readonly<Record<string, string>>; readonly body: unknown }
  /** Takes the request and never answers. */
  | 'hang'
  /** Sends headers and half a body, then nothing. */
  | 'stall'
  /** Closes the connection without an answer. */
  | 'reset';

export interface ProviderServer {
  /** Without a trailing slash and without a path. */
  readonly origin: string;
  readonly requests: readonly SeenRequest[];
  /** Resolves once so many requests have come. */
  arrived(count: number): Promise<void>;
  close(): Promise<void>;
}

/** A provider on loopback that plays its script, one play per request; the last one repeats. */
export async function startProvider(
  script: readonly Play[] | ((request: SeenRequest, index: number) => Play),
): Promise<ProviderServer> {
  const requests: SeenRequest[] = [];
  const waiting: { count: number; resolve: () => void }[] = [];
  const playOf = (seen: SeenRequest, index: number): Play => {
    if (typeof script === 'function') return script(seen, index);
    return script[Math.min(index, script.length - 1)] ?? 'reset';
  };
  const server = createServer((request, response) => {
    void read(request).then((seen) => {
      const index = requests.push(seen) - 1;
      for (const waiter of waiting) if (requests.length >= waiter.count) waiter.resolve();
      perform(playOf(seen, index), request, response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    origin: `http://127.0.0.1:${port}`,
    requests,
    arrived: (count) =>
      new Promise((resolve) => {
        if (requests.length >= count) resolve();
        else waiting.push({ count, resolve });
      }),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function read(request: IncomingMessage): Promise<SeenRequest> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(Buffer.from(chunk));
  const text = Buffer.concat(chunks).toString();
  const headers = Object.fromEntries(
    Object.entries(request.headers).map(([name, value]) => [name, String(value)]),
  );
  return { method: request.method ?? '', path: request.url ?? '', headers, text, body: objectOf(text) };
}

function objectOf(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? { ...value } : {};
  } catch {
    return {};
  }
}

function perform(play: Play, request: IncomingMessage, response: ServerResponse): void {
  if (play === 'hang') return;
  if (play === 'reset') {
    request.socket.destroy();
    return;
  }
  if (play === 'stall') {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' });
    response.write('{"choices":[');
    return;
  }
  const isText = typeof play.body === 'string';
  response.writeHead(play.status ?? 200, {
    'content-type': isText ? 'text/html; charset=utf-8' : 'application/json',
    ...play.headers,
  });
  response.end(isText ? play.body : JSON.stringify(play.body));
}

/** A chat completion with this message; `finish_reason` and `usage` can be replaced. */
export function completion(
  message: Readonly<Record<string, unknown>>,
  more: Readonly<Record<string, unknown>> = {},
): Play {
  const { finish_reason = 'stop', ...rest } = more;
  return {
    body: {
      id: 'chatcmpl-1',
      object: 'chat.completion',
      created: 1_772_442_000,
      model: 'test-model',
      choices: [{ index: 0, finish_reason, message: { role: 'assistant', ...message } }],
      usage: { prompt_tokens: 7, completion_tokens: 3, total_tokens: 10 },
      ...rest,
    },
  };
}

/** An Anthropic message with these content blocks. */
export function anthropicMessage(
  content: readonly unknown[],
  more: Readonly<Record<string, unknown>> = {},
): Play {
  return {
    body: {
      id: 'msg_1',
      type: 'message',
      role: 'assistant',
      model: 'test-model',
      content,
      stop_reason: 'end_turn',
      usage: { input_tokens: 7, output_tokens: 3 },
      ...more,
    },
  };
}
