import { isObject, type JsonObject, text } from '../../foreign/json.js';
import type { CassetteReader, CassetteWriter } from '../../llm/cassette.js';
import type { HttpAnswer, HttpClient, HttpRequest } from '../safety/http-client.js';

/** Begins the problem of an answer that a cassette does not hold. */
export const MISS = 'replay_miss';

/** What a request is called in a cassette: absolute times become the length of their window (spec 07 B15). */
export function httpKey(alias: string, { path, query = {}, accept = '' }: HttpRequest): string {
  const { start, end, time, ...rest } = query;
  const window = start === undefined || end === undefined ? null : String(BigInt(end) - BigInt(start));
  const plain = Object.entries(rest).filter(([, value]) => value !== undefined);
  const sorted = plain.sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, value]) => `${name}=${value}`);
  const times = [...(window === null ? [] : [`window=${window}`]), ...(time === undefined ? [] : ['time'])];
  return `GET ${alias} /${path.join('/')}?${[...sorted, ...times].join('&')} ${accept}`.trim();
}

/** Passes requests on and records their answers. */
export function recordHttp(client: HttpClient, alias: string, cassette: CassetteWriter): HttpClient {
  return {
    async get(request, signal) {
      const answer = await client.get(request, signal);
      const response = answer.ok
        ? { ok: true, status: answer.status, text: answer.text }
        : { ok: false, status: answer.status, problem: answer.problem };
      cassette.record('http', httpKey(alias, request), { path: [...request.path] }, response);
      return answer;
    },
    close: () => client.close(),
  };
}

/** Answers from a cassette alone; nothing ever goes out. */
export function replayHttp(alias: string, cassette: CassetteReader): HttpClient {
  return {
    async get(request) {
      const taken = cassette.take('http', httpKey(alias, request));
      const answer = taken.ok && isObject(taken.response) ? parseAnswer(taken.response, request) : null;
      return (
        answer ?? {
          ok: false,
          status: null,
          problem: `${MISS}: no answer to ${httpKey(alias, request).slice(0, 200)}`,
        }
      );
    },
    close: async () => undefined,
  };
}

function parseAnswer(stored: JsonObject, { as = 'json' }: HttpRequest): HttpAnswer | null {
  const { ok, status } = stored;
  if (ok !== true) {
    const problem = text(stored['problem']);
    return problem === undefined
      ? null
      : { ok: false, status: typeof status === 'number' ? status : null, problem };
  }
  const body = text(stored['text']);
  if (body === undefined || typeof status !== 'number') return null;
  if (as === 'text') return { ok: true, status, body: null, text: body };
  try {
    return { ok: true, status, body: JSON.parse(body), text: body };
  } catch {
    // A redacted body that is no JSON any more cannot be replayed.
    return null;
  }
}
