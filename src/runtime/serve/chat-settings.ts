import type { ChatSettings } from '../../investigate/server/investigator.js';
import { type InvestigateSettings, maskedValues } from '../investigate/settings.js';

/**
 * The operator's settings with what a chat has set on top. An address out of a chat never gets the operator's credential
 * for another one, and may not lie on a private network (spec 07 B8.1); what was replaced is masked all the same.
 */
export function withChatSettings(settings: InvestigateSettings, chat: ChatSettings): InvestigateSettings {
  const { config, services } = settings;
  const { secrets, jaeger_url: jaegerUrl, loki_url: lokiUrl } = chat;
  const jaegerAuth = secrets.jaeger_auth ?? (jaegerUrl === null ? services.jaegerAuth : undefined);
  const lokiAuth = secrets.loki_auth ?? (lokiUrl === null ? services.lokiAuth : undefined);
  const githubToken = secrets.github_token ?? services.githubToken;
  return {
    ...settings,
    config: {
      ...config,
      jaegerUrl: jaegerUrl ?? config.jaegerUrl,
      lokiUrl: lokiUrl ?? config.lokiUrl,
      chatOrigins: [
        ...(jaegerUrl === null ? [] : (['jaeger'] as const)),
        ...(lokiUrl === null ? [] : (['loki'] as const)),
      ],
    },
    services: {
      ...(jaegerAuth && { jaegerAuth }),
      ...(lokiAuth && { lokiAuth }),
      ...(githubToken && { githubToken }),
    },
    e2bApiKey: secrets.e2b_api_key ?? settings.e2bApiKey,
    masked: [...settings.masked, ...maskedValues(Object.values(secrets).map((secret) => secret.reveal()))],
  };
}
