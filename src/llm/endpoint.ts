import type { Credentials } from './credentials.js';

/** A base URL that requests can be made to. */
export interface Endpoint {
  /** Without query, fragment and trailing slashes; for Anthropic also without `/v1`, which the client adds itself. */
  readonly baseUrl: string;
  /** The query of the given URL, to be sent with every request. */
  readonly query: Readonly<Record<string, string>>;
  /** For people and logs: no user info, no query. */
  readonly shown: string;
}

export type EndpointCheck =
  | { readonly ok: true; readonly endpoint: Endpoint }
  | { readonly ok: false; readonly problem: string };

/** Judges by the values that will be used whether requests can be made at all (spec 05 B.12.8, B.12.11). */
export function checkEndpoint(credentials: Credentials): EndpointCheck {
  if (credentials.baseUrl === '' || credentials.key === '') {
    return refuse(
      credentials.onlySubscriptionToken
        ? 'CLAUDE_CODE_OAUTH_TOKEN is a subscription token, which only the vendor’s own tool may use; set ANTHROPIC_API_KEY'
        : 'no usable credentials: set OPENAI_API_KEY, OPENAI_BASE_URL with LLM_API_KEY, or ANTHROPIC_API_KEY',
    );
  }
  if (!/^[\x21-\x7e]+$/.test(credentials.key)) {
    return refuse('the key holds blanks or characters that no HTTP header can carry');
  }
  if (!URL.canParse(credentials.baseUrl))
    return refuse('the base URL is not a URL; expected http:// or https://');
  const url = new URL(credentials.baseUrl);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    return refuse(`the base URL has the scheme ${url.protocol.slice(0, 32)}; expected http:// or https://`);
  }
  if (url.username !== '' || url.password !== '') {
    return refuse('the base URL holds user info; put the credential into a key variable or a custom header');
  }
  const path = url.pathname.replace(/\/+$/, '');
  const shown = `${url.origin}${path}`;
  const baseUrl = credentials.provider === 'anthropic' ? shown.replace(/\/v1$/i, '') : shown;
  return { ok: true, endpoint: { baseUrl, query: Object.fromEntries(url.searchParams), shown } };
}

function refuse(problem: string): EndpointCheck {
  return { ok: false, problem };
}
