import type { Adapter } from './adapter.js';
import { parseAnthropicAnswer } from './anthropic-answer.js';
import { anthropicBody } from './anthropic-request.js';
import type { Credentials } from './credentials.js';
import type { Endpoint } from './endpoint.js';
import type { JsonRecord } from './json.js';
import { withoutVariables } from './without-variables.js';

/** The version whose answers we read, and which compatible gateways know; the library asks for a later one. */
const VERSION = '2023-06-01';

/** Messages over the `@anthropic-ai/sdk` library, which is loaded with the first adapter. */
export async function anthropicAdapter(
  credentials: Credentials,
  endpoint: Endpoint,
  extraBody: JsonRecord,
): Promise<Adapter> {
  const { default: Anthropic } = await import('@anthropic-ai/sdk');
  const connect = (send: typeof fetch): InstanceType<typeof Anthropic> =>
    // The library reads the variable itself, in one of the two forms and before our own headers.
    withoutVariables(['ANTHROPIC_CUSTOM_HEADERS'], () => {
      return new Anthropic({
        ...(credentials.auth === 'bearer' ? { authToken: credentials.key } : { apiKey: credentials.key }),
        webhookKey: null,
        baseURL: endpoint.baseUrl,
        defaultQuery: endpoint.query,
        defaultHeaders: headers(credentials),
        fetch: send,
        maxRetries: 0,
        // It would log bodies to stdout, or put them into spans, when the environment says so.
        logLevel: 'off',
        openTelemetry: false,
      });
    });
  return {
    prepare(request, quirks) {
      const body = anthropicBody(request, credentials.model, quirks, extraBody);
      return {
        keys: Object.keys(body),
        characters: JSON.stringify(body).length,
        async send({ fetch: send, signal, timeoutMs }) {
          await connect(send).messages.create(body, { signal, timeout: timeoutMs }).asResponse();
        },
      };
    },
    parse: parseAnthropicAnswer,
  };
}

/**
 * An API key goes into the header that compatible gateways read (spec 05 B.5), not into the bearer of the library's newer
 * releases. The operator's headers come last and replace ours in any spelling.
 */
function headers({ auth, key, headers: custom }: Credentials): Record<string, string | null> {
  const own = auth === 'key' ? { 'x-api-key': key, authorization: null } : {};
  const theirs = Object.entries(custom).map(([name, value]) => [name.toLowerCase(), value]);
  return { 'anthropic-version': VERSION, ...own, ...Object.fromEntries(theirs) };
}
