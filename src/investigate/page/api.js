const TOKEN = 'robustness-token';
const SESSION = 'robustness-session';

export const session = {
  get id() {
    return sessionStorage.getItem(SESSION);
  },
  set id(value) {
    if (value !== null) sessionStorage.setItem(SESSION, value);
  },
};

export function setToken(token) {
  sessionStorage.setItem(TOKEN, token);
}

export function hasToken() {
  return sessionStorage.getItem(TOKEN) !== null;
}

/** What the server refused, with its own words. */
export class Refused extends Error {
  constructor(status, code, message) {
    super(message);
    this.name = 'Refused';
    this.status = status;
    this.code = code;
  }
}

/** A request to our own server; throws {@link Refused} for an answer that is none, `TypeError` without a connection. */
export async function request(path, { method = 'GET', body, headers = {}, signal } = {}) {
  const token = sessionStorage.getItem(TOKEN);
  const response = await fetch(path, {
    method,
    signal,
    cache: 'no-store',
    credentials: 'omit',
    redirect: 'error',
    headers: {
      ...headers,
      ...(token === null ? {} : { authorization: `Bearer ${token}` }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  if (response.ok) return response;
  const error = await response.json().catch(() => ({}));
  throw new Refused(response.status, error.code ?? 'internal', error.message ?? `The server answered ${response.status}.`);
}

export async function getJson(path) {
  return (await request(path)).json();
}
