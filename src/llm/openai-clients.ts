import type OpenAI from 'openai';
import type { Credentials } from './credentials.js';
import type { Endpoint } from './endpoint.js';
import { withoutVariables } from './without-variables.js';

/** Loads the `openai` library; the result makes a client that sends by the given `fetch`, without retries of its own. */
export async function openAiClients(
  credentials: Credentials,
  endpoint: Endpoint,
): Promise<(send: typeof fetch) => OpenAI> {
  const { default: Client } = await import('openai');
  return (send) =>
    // The library reads the variable itself, in one of the two forms and after our own headers.
    withoutVariables(['OPENAI_CUSTOM_HEADERS'], () => {
      return new Client({
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
}
