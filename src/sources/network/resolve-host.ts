import type { LookupFunction } from 'node:net';
import { findExecutable } from '../tools/find-executable.js';
import { runTool } from '../tools/run-tool.js';
import type { Stop } from '../tools/stop.js';

/** The addresses of a host, or why there are none. */
export type Resolution =
  | { readonly kind: 'addresses'; readonly addresses: readonly HostAddress[] }
  | { readonly kind: 'unknown_host' }
  | { readonly kind: 'timeout' };

export interface HostAddress {
  readonly address: string;
  readonly family: 4 | 6;
}

const SYSTEM_PATH = '/usr/bin:/bin';
const MAX_ADDRESSES = 16;
const LOOPBACK: readonly HostAddress[] = [
  { address: '127.0.0.1', family: 4 },
  { address: '::1', family: 6 },
];

/**
 * Resolves a host name as the system does, search domains and `/etc/hosts` included. In a child: a name server that does
 * not answer keeps a thread of ours for half a minute, and the process cannot end before its threads. Null when the system
 * has no `getent`: then the client has to resolve by itself.
 */
export async function resolveHost(
  hostname: string,
  timeoutMs: number,
  signal: Stop,
): Promise<Resolution | null> {
  const host = hostname.replace(/^\[(.*)\]$/, '$1');
  if (process.getBuiltinModule('node:net').isIP(host) !== 0)
    return { kind: 'addresses', addresses: known([host]) };
  if (host === 'localhost') return { kind: 'addresses', addresses: LOOPBACK };
  const executable = findExecutable('getent', SYSTEM_PATH);
  if (executable === null) return null;
  const outcome = await runTool({ executable, args: ['ahosts', '--', host], env: {}, timeoutMs, signal });
  if (outcome.kind === 'timeout') return { kind: 'timeout' };
  const words =
    outcome.kind === 'exited' ? outcome.stdout.split('\n').map((line) => line.split(/\s/, 1)[0] ?? '') : [];
  const addresses = known([...new Set(words)]);
  return addresses.length === 0 ? { kind: 'unknown_host' } : { kind: 'addresses', addresses };
}

/** A look-up for sockets that knows its answer already. */
export function fixedLookup(addresses: readonly HostAddress[]): LookupFunction {
  return (_hostname, options, callback) => {
    const [first] = addresses;
    if (options.all || first === undefined) callback(null, [...addresses]);
    else callback(null, first.address, first.family);
  };
}

function known(words: readonly string[]): HostAddress[] {
  return words.slice(0, MAX_ADDRESSES).flatMap((address): HostAddress[] => {
    const family = process.getBuiltinModule('node:net').isIP(address);
    return family === 4 || family === 6 ? [{ address, family }] : [];
  });
}
