import { finiteNumber, type JsonObject, objectsOf, text } from '../../../foreign/json.js';
import { isTruthy } from '../../../foreign/python-truth.js';
import type { Snapshot } from '../../../sources/snapshot.js';
import { mentionsSession } from './session-process.js';

/** What the process list says about servers and benchmark clients. */
export interface SeenProcesses {
  readonly serverSeen: boolean;
  readonly clientSeen: boolean;
  /** True when all that is seen may belong to someone else. */
  readonly ownershipDoubtful: boolean;
  /** Start of the youngest server that is seen, unix s. */
  readonly youngestServerStart: number | undefined;
}

/** Absent ownership is decided by the rule, null is unknown, false is someone else's process (spec 03 local_health-3). */
type Ownership = 'ours' | 'doubtful' | 'foreign';

export function seenProcesses(
  snapshot: Snapshot,
  sessionDir: string,
  clientPatterns: readonly string[],
): SeenProcesses {
  const processes = objectsOf(snapshot.local_processes);
  const servers = processes
    .filter((process) => isTruthy(process['is_server']))
    .map((process) => ({ process, ownership: ownershipOf(process, () => true) }))
    .filter(({ ownership }) => ownership !== 'foreign');
  const clients = processes
    .filter((process) => isClient(process, clientPatterns))
    .map((process) => ownershipOf(process, () => mentionsSession(process, sessionDir)))
    .filter((ownership) => ownership !== 'foreign');
  const seen = [...servers.map(({ ownership }) => ownership), ...clients];
  const starts = servers.flatMap(({ process }) => finiteNumber(process['start_unix']) ?? []);
  return {
    serverSeen: servers.length > 0,
    clientSeen: clients.length > 0,
    ownershipDoubtful: seen.length > 0 && !seen.includes('ours'),
    youngestServerStart: starts.length > 0 ? Math.max(...starts) : undefined,
  };
}

function ownershipOf(process: JsonObject, whenUnmeasured: () => boolean): Ownership {
  const owned = process['session_owned'];
  if (owned === undefined) return whenUnmeasured() ? 'ours' : 'foreign';
  if (typeof owned === 'boolean') return owned ? 'ours' : 'foreign';
  return 'doubtful';
}

function isClient(process: JsonObject, patterns: readonly string[]): boolean {
  const command = text(process['cmd']) ?? '';
  return patterns.some((pattern) => pattern !== '' && command.includes(pattern));
}
