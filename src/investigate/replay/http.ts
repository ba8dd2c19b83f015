import { isObject, type Json, type JsonObject, text } from '../../foreign/json.js';
import type { CassetteReader, CassetteWriter } from '../../llm/cassette.js';
import { mapStrings } from '../../llm/json.js';
import type { HttpAnswer, HttpClient, HttpRequest } from '../safety/http-client.js';
import { withoutKeys } from '../safety/key-blocks.js';

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
        ? { ok: true, status: answer.status, ...bodyOf(answer, request) }
        : { ok: false, status: answer.status, problem: answer.problem };
      cassette.record('http', httpKey(alias, request), { path: [...request.path] }, response);
      return answer;
    },
    close: () => client.close(),
  };
}

/** JSON is kept as such, so that what is masked in it is masked by its name, and leaves JSON behind. */
function bodyOf(
  { body, text: source }: { body: Json; text: string },
  { as = 'json' }: HttpRequest,
): JsonObject {
  if (as === 'text') return { text: source };
  // Lines of a log come as texts of their own, so no mask of a whole block finds them.
  return { body: mapStrings(body, (line) => withoutKeys(line.split('\n')).join('\n')) };
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
  const { ok, status, body } = stored;
  if (ok !== true) {
    const problem = text(stored['problem']);
    return problem === undefined
      ? null
      : { ok: false, status: typeof status === 'number' ? status : null, problem };
  }
  if (typeof status !== 'number') return null;
  if (as === 'json')
    return body === undefined ? null : { ok: true, status, body, text: JSON.stringify(body) };
  const source = text(stored['text']);
  return source === undefined ? null : { ok: true, status, body: null, text: source };
}
