import { createFileArchive } from '../../investigate/server/file-archive.js';
import { createChatServer } from '../../investigate/server/http/app.js';
import { readServerSettings, type ServerSettings } from '../../investigate/server/read-settings.js';
import type { InvestigateSettings } from '../investigate/settings.js';
import type { Logger } from '../shared/logger.js';
import { UserError } from '../shared/user-error.js';
import { VERSION } from '../shared/version.js';
import { type ChatInvestigatorOptions, createChatInvestigator } from './chat-investigator.js';

export interface ChatPageOptions extends ChatInvestigatorOptions {
  readonly page: ServerSettings;
  /** `OWNER/NAME` that conversations begin with. */
  readonly repo: string | null;
  readonly logger: Logger;
}

export interface ChatPage {
  /** Where it is reached, as somebody would type it. */
  readonly url: string;
  close(): Promise<void>;
}

/**
 * The settings of the page.
 *
 * @throws UserError `RA_CONFIG_INVALID`
 */
export function chatPageSettings({ agent, pageToken }: InvestigateSettings): ServerSettings {
  const { settings, errors } = readServerSettings(agent, pageToken);
  if (errors.length === 0) return settings;
  throw new UserError({ code: 'RA_CONFIG_INVALID', happened: errors.join('. '), todo: 'correct it' });
}

/**
 * Serves the chat page.
 *
 * @throws UserError `RA_SERVE_ADDRESS` when the address cannot be listened on
 */
export async function serveChatPage(options: ChatPageOptions): Promise<ChatPage> {
  const { page, logger, root } = options;
  const { host, port, token, allowedHosts, maxConcurrent, detachMs, allowChatUrls, urlAllowlist } = page;
  const server = createChatServer({
    investigator: createChatInvestigator({
      ...options,
      onTraceLost: (reason) => logger.warn('a trace is lost', { reason }),
    }),
    archive: createFileArchive(root),
    access: { token, allowedHosts, host },
    policy: { allowChatUrls, urlAllowlist },
    version: VERSION,
    limits: { maxConcurrent, detachMs },
    repo: options.repo,
    onFailure: (error, investigation) => {
      const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
      logger.error('an investigation or a request failed', { investigation, error: text });
    },
  });
  try {
    await server.app.listen({ host, port });
  } catch (error) {
    await server.close();
    throw new UserError({
      code: 'RA_SERVE_ADDRESS',
      happened: `${host}:${port} cannot be listened on: ${error instanceof Error ? error.message : String(error)}`,
      todo: 'end what listens there, or choose another --port',
    });
  }
  const address = server.app.server.address();
  const actual = typeof address === 'object' && address !== null ? address.port : port;
  const name = host.includes(':') ? `[${host}]` : host;
  return { url: `http://${name}:${actual}/`, close: () => server.close() };
}
