import type { ChatSettings } from '../../investigate/server/investigator.js';

type Env = NodeJS.ProcessEnv;

/**
 * The operator's environment with what a chat has set on top. An address out of a chat never gets the operator's
 * credential for another one (spec 07 B8.1); what is replaced stays under a name that only masking reads.
 */
export function chatEnvironment(env: Env, { secrets, jaeger_url, loki_url }: ChatSettings): Env {
  const overlay: Env = {
    ...serviceOverlay('JAEGER', jaeger_url, secrets.jaeger_auth?.reveal()),
    ...serviceOverlay('LOKI', loki_url, secrets.loki_auth?.reveal()),
    ...secretOverlay('GITHUB_TOKEN', secrets.github_token?.reveal()),
    ...secretOverlay('E2B_API_KEY', secrets.e2b_api_key?.reveal()),
  };
  const replaced = Object.keys(overlay).flatMap((name): [string, string][] => {
    const before = env[name]?.trim() ?? '';
    return before === '' || name.endsWith('_URL') ? [] : [[`REPLACED_${name}_SECRET`, withoutScheme(before)]];
  });
  return { ...env, ...overlay, ...Object.fromEntries(replaced) };
}

/** The credential of an authorization value, which turns up without its scheme as well. */
function withoutScheme(value: string): string {
  return value.replace(/^\S+\s+/, '');
}

function serviceOverlay(name: string, url: string | null, auth: string | undefined): Env {
  if (url === null) return secretOverlay(`${name}_AUTH`, auth);
  return {
    [`INVESTIGATE_${name}_URL`]: url,
    [`INVESTIGATE_${name}_AUTH`]: auth ?? '',
    [`${name}_AUTH`]: '',
  };
}

function secretOverlay(name: string, value: string | undefined): Env {
  return value === undefined ? {} : { [`INVESTIGATE_${name}`]: value };
}
