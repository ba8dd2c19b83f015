import { isLocalNetwork } from '../network/target-url.js';

type Env = Readonly<Record<string, string | undefined>>;

/**
 * The proxy that the environment names for a URL; undefined when there is none, or when the target lies behind none: local
 * addresses, and the hosts of `NO_PROXY` (names match with their subdomains, `*` matches all).
 */
export function proxyFor(url: URL, env: Env): string | undefined {
  if (isLocalNetwork(url) || isExempt(url, variable(env, 'NO_PROXY'))) return undefined;
  const named =
    variable(env, url.protocol === 'https:' ? 'HTTPS_PROXY' : 'HTTP_PROXY') ?? variable(env, 'ALL_PROXY');
  return named !== undefined && /^https?:\/\//i.test(named) && URL.canParse(named) ? named : undefined;
}

function isExempt({ hostname, port }: URL, noProxy: string | undefined): boolean {
  const rules = (noProxy ?? '').split(/[\s,]+/).filter((rule) => rule !== '');
  return rules.some((rule) => {
    const [name = '', rulePort] = rule
      .toLowerCase()
      .replace(/^\*?\./, '')
      .split(':', 2);
    if (name === '*') return true;
    const isHost = hostname === name || hostname.endsWith(`.${name}`);
    return isHost && (rulePort === undefined || rulePort === port);
  });
}

function variable(env: Env, name: string): string | undefined {
  const value = (env[name.toLowerCase()] ?? env[name])?.trim();
  return value === '' ? undefined : value;
}
