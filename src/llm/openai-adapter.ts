import type { Adapter } from './adapter.js';
import type { Credentials } from './credentials.js';
import type { Endpoint } from './endpoint.js';
import type { JsonRecord } from './json.js';
import { parseOpenAiAnswer } from './openai-answer.js';
import { openAiClients } from './openai-clients.js';
import { openAiBody } from './openai-request.js';

/** Chat completions over the `openai` library, which is loaded with the first adapter. */
export async function openAiAdapter(
  credentials: Credentials,
  endpoint: Endpoint,
  extraBody: JsonRecord,
): Promise<Adapter> {
  const connect = await openAiClients(credentials, endpoint);
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
