import type { BlockList } from 'node:net';
import { type HttpFailure, invalidTarget } from './failure.js';

type Family = 'ipv4' | 'ipv6';
type Subnet = readonly [network: string, prefix: number, family: Family];

const LOOPBACK: readonly Subnet[] = [
  ['127.0.0.0', 8, 'ipv4'],
  ['0.0.0.0', 32, 'ipv4'],
  ['::1', 128, 'ipv6'],
  ['::', 128, 'ipv6'],
];

const LOCAL: readonly Subnet[] = [
  ['10.0.0.0', 8, 'ipv4'],
  ['172.16.0.0', 12, 'ipv4'],
  ['192.168.0.0', 16, 'ipv4'],
  ['169.254.0.0', 16, 'ipv4'],
  ['100.64.0.0', 10, 'ipv4'],
  ['fe80::', 10, 'ipv6'],
  ['fc00::', 7, 'ipv6'],
];

/** The URL of a target, or why it cannot be asked (spec 02 §10.5): only http and https, every field well-formed. */
export function targetUrl(raw: string): URL | HttpFailure {
  const trimmed = raw.trim();
  const scheme = trimmed.slice(0, 6).toLowerCase();
  if (!scheme.startsWith('http:') && !scheme.startsWith('https:'))
    return invalidTarget('UnsupportedProtocol', 'neither http nor https');
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
  return isListed(LOOPBACK, host);
}

/** True for loopback, link-local and private addresses: what lies behind no proxy. */
export function isLocalNetwork(url: URL): boolean {
  return isLoopback(url) || isListed(LOCAL, bare(url.hostname));
}

function isListed(subnets: readonly Subnet[], host: string): boolean {
  const address = ipv4(host);
  // By hand: what Node has for it loads the whole of its network code.
  if (address !== undefined) return subnets.some((subnet) => liesIn(address, subnet));
  if (!host.includes(':')) return false;
  const family = process.getBuiltinModule('node:net').isIP(host);
  if (family === 0) return false;
  return blockList(subnets).check(host, family === 4 ? 'ipv4' : 'ipv6');
}

const QUAD = /^(?:(?:0|[1-9]\d{0,2})\.){3}(?:0|[1-9]\d{0,2})$/;

/** The address as a number, undefined for anything but four decimal octets. */
function ipv4(host: string): number | undefined {
  if (!QUAD.test(host)) return undefined;
  const octets = host.split('.').map(Number);
  if (octets.some((octet) => octet > 255)) return undefined;
  return octets.reduce((address, octet) => address * 256 + octet, 0);
}

function liesIn(address: number, [network, prefix, family]: Subnet): boolean {
  if (family !== 'ipv4') return false;
  const size = 2 ** (32 - prefix);
  return Math.floor(address / size) === Math.floor((ipv4(network) ?? 0) / size);
}

const lists = new Map<readonly Subnet[], BlockList>();

/** Made at first use: most ticks ask no address. */
function blockList(subnets: readonly Subnet[]): BlockList {
  const made = lists.get(subnets);
  if (made !== undefined) return made;
  const { BlockList } = process.getBuiltinModule('node:net');
  const list = new BlockList();
  for (const [network, prefix, family] of subnets) list.addSubnet(network, prefix, family);
  lists.set(subnets, list);
  return list;
}

function bare(hostname: string): string {
  return hostname.replace(/^\[(.*)\]$/, '$1').toLowerCase();
}
