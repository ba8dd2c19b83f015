import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';

export interface AccessRules {
  /** Bearer token, null where none is asked for. */
  readonly token: string | null;
  /** Names, beside the bind, under which the server is reached; without ports. */
  readonly allowedHosts: readonly string[];
  /** The address that was asked for. */
  readonly host: string;
}

const LOOPBACK = ['localhost', '127.0.0.1', '::1'];

/** Why a request is refused; `null` when it is not. */
export type Refusal = 'host' | 'origin' | 'token' | null;

export function isLoopback(host: string): boolean {
  return LOOPBACK.includes(host) || /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(host);
}

/** Keeps out pages of other sites, also behind a name that was bound anew (spec 07 B14). */
export function checkOrigin(request: IncomingMessage, rules: AccessRules): Refusal {
  const { host = '', origin } = request.headers;
  if (!isOwnHost(hostName(host), request.socket.localAddress ?? '', rules)) return 'host';
  if (origin === undefined) return isFetchedByOthers(request) ? 'origin' : null;
  return URL.canParse(origin) && new URL(origin).host === normalHost(host) ? null : 'origin';
}

/** A link on another site may lead here; what such a site fetches itself is not answered. */
function isFetchedByOthers({ headers, method }: IncomingMessage): boolean {
  const isLink = method === 'GET' && headers['sec-fetch-mode'] === 'navigate';
  return headers['sec-fetch-site'] === 'cross-site' && !isLink;
}

/** Compares digests, so the time says nothing about the token. */
export function checkToken(request: IncomingMessage, { token }: AccessRules): Refusal {
  if (token === null) return null;
  return timingSafeEqual(digest(bearer(request)), digest(token)) ? null : 'token';
}

/** Tells callers apart without keeping what they sent. */
export function callerOf(request: IncomingMessage, { token }: AccessRules): string {
  return token === null ? 'anyone' : digest(bearer(request)).toString('hex');
}

function bearer({ headers }: IncomingMessage): string {
  return /^Bearer (.{1,512})$/i.exec(headers.authorization ?? '')?.[1]?.trim() ?? '';
}

function digest(value: string): Buffer {
  return createHash('sha256').update(value).digest();
}

function isOwnHost(name: string, localAddress: string, { host, allowedHosts }: AccessRules): boolean {
  if (name === '') return false;
  if (name === host || allowedHosts.includes(name)) return true;
  const own = localAddress.replace(/^::ffff:/, '');
  if (LOOPBACK.includes(name)) return isLoopback(own);
  // An address cannot be bound anew as a name can; a bind to all interfaces is reached by any of them.
  return isIP(name) !== 0 && name === own;
}

function hostName(host: string): string {
  return host
    .toLowerCase()
    .replace(/:\d{1,5}$/, '')
    .replace(/^\[(.*)\]$/, '$1');
}

/** Without the port that a browser leaves out of an origin. */
function normalHost(host: string): string {
  return host.toLowerCase().replace(/:(?:80|443)$/, '');
}
