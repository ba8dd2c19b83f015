import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { fixture } from '../support.js';
import { type Case, standIns, type Trace } from './corpus.js';

export interface Fake {
  readonly url: string;
  /** Path and query of each request, in order. */
  readonly requests: string[];
  readonly headers: IncomingMessage['headers'][];
  close(): Promise<void>;
}

type Answer = { status?: number; body: unknown; raw?: boolean; headers?: Record<string, string> };

/** A server on the loopback address that answers with JSON. */
export async function serve(
  answer: (url: URL, request: IncomingMessage, response: ServerResponse) => Answer | undefined,
): Promise<Fake> {
  const requests: string[] = [];
  const headers: IncomingMessage['headers'][] = [];
  const server: Server = createServer((request, response) => {
    requests.push(request.url ?? '');
    headers.push(request.headers);
    const given = answer(new URL(request.url ?? '/', 'http://fake'), request, response);
    if (given === undefined) return;
    response.writeHead(given.status ?? 200, { 'content-type': 'application/json', ...given.headers });
    response.end(given.raw === true ? String(given.body) : JSON.stringify(given.body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return {
    url: `http://127.0.0.1:${address.port}`,
    requests,
    headers,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

/** Jaeger as the data pack describes it. */
export function fakeJaeger({ corpus }: Case): Promise<Fake> {
  const { services, traces } = corpus.jaeger;
  return serve((url) => {
    if (url.pathname === '/api/services') return { body: { data: services } };
    const id = /^\/api\/traces\/([^/]+)$/.exec(url.pathname)?.[1];
    if (id !== undefined) {
      const found = traces.filter(({ traceID }) => traceID === id);
      return found.length === 0 ? { status: 404, body: { data: null } } : { body: { data: found } };
    }
    const query = url.searchParams;
    const tags: Record<string, string> = JSON.parse(query.get('tags') ?? '{}');
    const [start, end] = [Number(query.get('start')), Number(query.get('end'))];
    const fits = (trace: Trace): boolean =>
      trace.spans.some(
        (span) =>
          trace.processes[span.processID]?.serviceName === query.get('service') &&
          span.startTime >= start &&
          span.startTime <= end &&
          Object.entries(tags).every(([key, value]) =>
            span.tags.some((tag) => tag.key === key && String(tag.value) === value),
          ),
      );
    const newest = (trace: Trace): number => Math.max(...trace.spans.map(({ startTime }) => startTime));
    const found = traces.filter(fits).sort((a, b) => newest(b) - newest(a));
    return { body: { data: found.slice(0, Number(query.get('limit'))) } };
  });
}

/** Loki as the data pack describes it. */
export function fakeLoki({ corpus }: Case): Promise<Fake> {
  const { label, streams } = corpus.loki;
  return serve((url) => {
    const asked = /^\/loki\/api\/v1\/label\/([^/]+)\/values$/.exec(url.pathname)?.[1];
    if (asked !== undefined) {
      const values = streams.flatMap(({ stream }) => stream[label] ?? []);
      return { body: { data: asked === label ? [...new Set(values)] : [] } };
    }
    const query = url.searchParams;
    const parsed = /^\{(\w+)="((?:[^"\\]|\\.)*)"\}(?: (\|=|\|~) "((?:[^"\\]|\\.)*)")?$/.exec(
      query.get('query') ?? '',
    );
    if (parsed === null) return { status: 400, body: { error: 'parse error' } };
    const [, name = '', value, operator, filter = ''] = parsed;
    const wanted = JSON.parse(`"${filter}"`) as string;
    const pattern = operator === '|~' ? new RegExp(wanted.replace('(?i)', ''), 'i') : null;
    const matches = (line: string): boolean =>
      pattern === null ? line.includes(wanted) : pattern.test(line);
    const [start, end] = [BigInt(query.get('start') ?? 0), BigInt(query.get('end') ?? 0)];
    const isBackward = query.get('direction') === 'backward';
    const entries = streams
      .filter(({ stream }) => stream[name] === value)
      .flatMap(({ stream, values }) => values.map(([ns, line]) => ({ stream, ns, line })))
      .filter(({ ns, line }) => BigInt(ns) >= start && BigInt(ns) < end && matches(line))
      .sort((a, b) => (BigInt(a.ns) < BigInt(b.ns) === isBackward ? 1 : -1))
      .slice(0, Number(query.get('limit')));
    const result = [...new Set(entries.map(({ stream }) => stream))].map((stream) => ({
      stream,
      values: entries.filter((entry) => entry.stream === stream).map(({ ns, line }) => [ns, line]),
    }));
    return { body: { status: 'success', data: { resultType: 'streams', result } } };
  });
}

/** The code host as the data pack describes it, with stand-in files. */
export function fakeGithub(repo = 'example-org/opentelemetry-demo'): Promise<Fake> {
  const { entries = [], tree = entries } = fixture<{ entries?: TreeEntry[]; tree?: TreeEntry[] }>(
    'tree.json',
  );
  const files = standIns();
  return serve((url) => {
    const path = decodeURIComponent(url.pathname);
    if (path === `/repos/${repo}`) return { body: { full_name: repo } };
    if (path.startsWith(`/repos/${repo}/git/trees/`)) {
      return {
        body: {
          tree: tree.map(({ path: at, type }) => ({ path: at, type: type === 'dir' ? 'tree' : 'blob' })),
        },
      };
    }
    if (path === '/search/code') return { body: { total_count: 0, items: [] } };
    const asked = path.startsWith(`/repos/${repo}/contents/`)
      ? path.slice(`/repos/${repo}/contents/`.length)
      : '';
    const content = files.get(asked);
    if (content !== undefined)
      return { body: content, raw: true, headers: { 'content-type': 'application/vnd.github.raw+json' } };
    const children = tree.filter(
      ({ path: at }) => at.startsWith(`${asked}/`) && !at.slice(asked.length + 1).includes('/'),
    );
    return children.length > 0 && asked !== ''
      ? { body: children.map(({ type, path: at }) => ({ type, path: at })) }
      : { status: 404, body: { message: 'Not Found' } };
  });
}

interface TreeEntry {
  readonly type: string;
  readonly path: string;
}
