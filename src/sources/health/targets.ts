import type { ProcessFact } from '../facts.js';
import { isLoopbackHost } from '../network/target-url.js';
import type { ServerPidFile } from './pid-files.js';

/** One URL to ask, and why. */
export interface HealthTarget {
  readonly url: string;
  /** `client`: a server that is gone and that a process of ours goes on asking. */
  readonly source: 'configured' | 'process' | 'pidfile' | 'default' | 'client';
  readonly pid: number | null;
}

export interface TargetInput {
  readonly configured: readonly string[];
  /** False: only the configured ones. */
  readonly auto: boolean;
  readonly defaultUrl: string;
  /** Empty when processes are unknown. */
  readonly processes: readonly ProcessFact[];
  readonly pidFiles: readonly ServerPidFile[];
  /** URLs that answered lately. */
  readonly remembered: readonly string[];
  /** Ports on which something listens, null = unknown. Asked for only where it matters: the kernel takes its time. */
  readonly listening: () => ReadonlySet<number> | null;
  /** Addresses of this machine. */
  readonly addresses: () => ReadonlySet<string>;
}

const MAX_TARGETS = 16;
const MAX_ANCESTORS = 32;
const HARNESS_PORT = 8888;

/** Whom to ask (spec 02 §10.4): in order, without repetition. A phase without servers has nobody. */
export function healthTargets(input: TargetInput): readonly HealthTarget[] {
  const targets: HealthTarget[] = input.configured.map((url) => ({ url, source: 'configured', pid: null }));
  if (input.auto) targets.push(...automaticTargets(input));
  const seen = new Set<string>();
  const distinct = targets.filter(({ url }) => !seen.has(url) && seen.add(url));
  return distinct.slice(0, MAX_TARGETS);
}

function automaticTargets(input: TargetInput): HealthTarget[] {
  const servers = topmostServers(input.processes);
  const ports = servers.map((server) => ({
    server,
    port: server.port ?? defaultPort(server, input.listening),
  }));
  const named: HealthTarget[] = [
    ...ports.flatMap(({ server, port }): HealthTarget[] =>
      port === null
        ? []
        : [{ url: urlOf(server.host, port, input.addresses), source: 'process', pid: server.pid }],
    ),
    ...input.pidFiles.map(
      ({ port, pid }): HealthTarget => ({ url: urlOf(null, port, input.addresses), source: 'pidfile', pid }),
    ),
  ];
  named.push(...forsaken(input));
  if (named.length > 0 || input.defaultUrl === '') return named;
  const isAwaited = servers.length > 0 || (input.listening()?.has(portOf(input.defaultUrl)) ?? false);
  return isAwaited ? [{ url: input.defaultUrl, source: 'default', pid: null }] : [];
}

/** Servers that answered before and have no process any more, while a client of this session names their port. */
function forsaken({ remembered, processes }: TargetInput): HealthTarget[] {
  const clients = processes.filter((fact) => fact.matched && !fact.isServer && fact.sessionOwned === true);
  return remembered
    .filter((url) => clients.some(({ argv }) => namesPort(argv, portOf(url))))
    .map((url) => ({ url, source: 'client', pid: null }));
}

/** Whether a command line names this port as one: after an option that says so, or in an address. */
export function namesPort(argv: readonly string[], port: number): boolean {
  if (port === 0) return false;
  const named = new RegExp(`(?:^|\\s)--?(?:[a-z-]+-)?port[= ]${port}(?!\\d)|:${port}(?!\\d)`, 'i');
  return named.test(argv.join(' '));
}

/**
 * One process per server: owned, and with no owned server above it that names a port, or, when none in the tree names
 * one, with no owned server above it at all.
 */
function topmostServers(processes: readonly ProcessFact[]): readonly ProcessFact[] {
  const byPid = new Map(processes.map((fact) => [fact.pid, fact]));
  const servers = processes.filter((fact) => fact.isServer && fact.sessionOwned === true);
  const above = (fact: ProcessFact): ProcessFact[] => {
    const ancestors: ProcessFact[] = [];
    let next = byPid.get(fact.ppid);
    while (next && ancestors.length < MAX_ANCESTORS && !ancestors.includes(next)) {
      ancestors.push(next);
      next = byPid.get(next.ppid);
    }
    return ancestors.filter((ancestor) => ancestor.isServer && ancestor.sessionOwned === true);
  };
  const withPort = servers.filter(
    (fact) => fact.port !== null && !above(fact).some((other) => other.port !== null),
  );
  const covered = new Set(withPort.flatMap((fact) => [fact.pid, ...above(fact).map((other) => other.pid)]));
  const portless = servers.filter(
    (fact) => fact.port === null && above(fact).length === 0 && !covered.has(fact.pid),
  );
  return [...withPort, ...portless];
}

/** The framework's own default, if something listens there. */
function defaultPort(server: ProcessFact, listening: TargetInput['listening']): number | null {
  const command = server.argv.join(' ').toLowerCase();
  const port = command.includes('sglang') ? 30_000 : command.includes('vllm') ? 8000 : HARNESS_PORT;
  return listening()?.has(port) ? port : null;
}

/** The loopback address, unless the server was bound to one other address of this machine. */
function urlOf(host: string | null, port: number, addresses: TargetInput['addresses']): string {
  const isOther = host !== null && (host === '::1' || (!isLoopbackHost(host) && addresses().has(host)));
  const address = isOther ? host : '127.0.0.1';
  return `http://${address.includes(':') ? `[${address}]` : address}:${port}/health`;
}

/** 0 = none. */
export function portOf(url: string): number {
  if (!URL.canParse(url)) return 0;
  const { port, protocol } = new URL(url);
  return port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port);
}
