import type { Adapter } from './adapter.js';
import type { Credentials } from './credentials.js';
import type { Endpoint } from './endpoint.js';
import type { JsonRecord } from './json.js';
import { parseOpenAiAnswer } from './openai-answer.js';
import { openAiBody } from './openai-request.js';
import { withoutVariables } from './without-variables.js';

/** Chat completions over the `openai` library, which is loaded with the first adapter. */
export async function openAiAdapter(
  credentials: Credentials,
  endpoint: Endpoint,
  extraBody: JsonRecord,
): Promise<Adapter> {
  const { default: OpenAI } = await import('openai');
  const connect = (send: typeof fetch): InstanceType<typeof OpenAI> =>
    // The library reads the variable itself, in one of the two forms and after our own headers.
    withoutVariables(['OPENAI_CUSTOM_HEADERS'], () => {
      return new OpenAI({
        apiKey: credentials.key,
        adminAPIKey: null,
        organization: credentials.organization ?? null,
        project: credentials.project ?? null,
        webhookSecret: null,
        baseURL: endpoint.baseUrl,
        defaultQuery: endpoint.query,
        defaultHeaders: credentials.headers,
        fetch: send,
        maxRetries: 0,
        // It would log bodies to stdout when OPENAI_LOG says so.
        logLevel: 'off',
      });
    });
  return {
    prepare(request, quirks) {
      const body = openAiBody(request, credentials.model, quirks, extraBody);
      return {
        keys: Object.keys(body),
        characters: JSON.stringify(body).length,
        async send({ fetch: send, signal, timeoutMs }) {
          await connect(send).chat.completions.create(body, { signal, timeout: timeoutMs }).asResponse();
        },
      };
    },
    parse: parseOpenAiAnswer,
  };
}
