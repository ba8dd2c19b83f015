import { BlockList, isIP } from 'node:net';
import { type HttpFailure, invalidTarget } from './failure.js';

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8, 'ipv4');
loopback.addAddress('0.0.0.0', 'ipv4');
loopback.addAddress('::1', 'ipv6');
loopback.addAddress('::', 'ipv6');

const local = new BlockList();
for (const [network, prefix] of [
  ['10.0.0.0', 8],
  ['172.16.0.0', 12],
  ['192.168.0.0', 16],
  ['169.254.0.0', 16],
  ['100.64.0.0', 10],
] as const) {
  local.addSubnet(network, prefix, 'ipv4');
}
local.addSubnet('fe80::', 10, 'ipv6');
local.addSubnet('fc00::', 7, 'ipv6');

/** The URL of a target, or why it cannot be asked (spec 02 §10.5): only http and https, every field well-formed. */
export function targetUrl(raw: string): URL | HttpFailure {
  const trimmed = raw.trim();
  if (!/^https?:/i.test(trimmed)) return invalidTarget('UnsupportedProtocol', 'neither http nor https');
  if (!URL.canParse(trimmed)) return invalidTarget('InvalidURL', 'no well-formed URL');
  return new URL(trimmed);
}

/** True for an address of this machine itself, and for its name `localhost`. */
export function isLoopback(url: URL): boolean {
  return isLoopbackHost(url.hostname);
}

/** As {@link isLoopback}, for a host without URL. */
export function isLoopbackHost(hostname: string): boolean {
  const host = bare(hostname);
  if (host === 'localhost' || host.endsWith('.localhost')) return true;
  return isListed(loopback, host);
}

/** True for loopback, link-local and private addresses: what lies behind no proxy. */
export function isLocalNetwork(url: URL): boolean {
  return isLoopback(url) || isListed(local, bare(url.hostname));
}

function isListed(list: BlockList, host: string): boolean {
  const family = isIP(host);
  if (family === 0) return false;
  return list.check(host, family === 4 ? 'ipv4' : 'ipv6');
}

function bare(hostname: string): string {
  return hostname.replace(/^\[(.*)\]$/, '$1').toLowerCase();
}
