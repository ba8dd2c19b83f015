import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import type { Agent } from 'undici';
import { addressProblem } from './addresses.js';

export interface AddressRules {
  /** Loopback and private addresses are fine where the operator named them. */
  readonly mayBePrivate: boolean;
  /** Resolves a host name; tests bring their own. */
  readonly resolve?: (host: string) => Promise<readonly string[]>;
}

/** The addresses of a host, every one of them allowed; otherwise why it may not be asked (spec 07 B8.1). */
export async function checkedAddresses(url: URL, rules: AddressRules): Promise<readonly string[] | string> {
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const addresses = isIP(host) !== 0 ? [host] : await resolveHost(host, rules);
  if (typeof addresses === 'string') return addresses;
  const problem = addresses
    .map((address) => addressProblem(address, rules.mayBePrivate))
    .find((one) => one !== null);
  return problem === undefined || problem === null ? addresses : `refused: the host resolves to ${problem}`;
}

/** An agent that connects to these addresses whatever the name means by then; there is no second look-up. */
export async function agentFor(addresses: readonly string[]): Promise<Agent> {
  const { Agent: HttpAgent } = await import('undici');
  const known = addresses.map((address) => ({ address, family: isIP(address) }));
  return new HttpAgent({
    connect: { lookup: (_host, _options, callback) => callback(null, known) },
    maxResponseSize: -1,
  });
}

/** The code of a failure of the system; its message may hold addresses. */
export function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown';
  if ('code' in error && typeof error.code === 'string') return error.code;
  return error.cause === undefined ? error.name : codeOf(error.cause);
}

async function resolveHost(host: string, { resolve }: AddressRules): Promise<readonly string[] | string> {
  try {
    const found =
      resolve === undefined
        ? (await lookup(host, { all: true })).map(({ address }) => address)
        : await resolve(host);
    return found.length === 0 ? 'the host has no address' : found;
  } catch (error) {
    return `the host cannot be resolved: ${codeOf(error)}`;
  }
}
