import { readlinkSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { CollectorAnswer, CollectorEnv } from '../collector.js';
import { breathe } from '../tools/breathe.js';
import { listDirectory } from '../tools/list-directory.js';
import { readPseudoFile } from '../tools/read-pseudo-file.js';
import type { Stop } from '../tools/stop.js';

interface Segment {
  readonly name: string;
  readonly bytes: number;
}

/** What communication libraries leave behind when they are killed (spec 04 §11, `host_health`). */
const SEGMENT = /^(?:nccl-|psm_|torch_|sem\.)/;
/** Younger segments may be about to be mapped, s. */
const MIN_AGE_S = 600;
/** Less than this is not worth a look into every process, bytes. */
const WORTH_A_LOOK = 64 * 2 ** 20;
const MAX_NAMES = 10;
const MAPS_BYTES = 16 * 2 ** 20;
const INITIAL_IPC_NAMESPACE = 'ipc:[4026531839]';

/** The look of the collector `shm`. */
export async function collectShm(env: CollectorEnv, signal: Stop): Promise<CollectorAnswer> {
  const mountpoint = join(env.devRoot, 'shm');
  const segments = oldSegments(mountpoint, env.nowUnix);
  if (segments === null)
    return { verdicts: { shm: { status: 'empty', reason: 'missing' } }, slots: { local_shm: [] } };
  const total = segments.reduce((sum, segment) => sum + segment.bytes, 0);
  if (total < WORTH_A_LOOK) return { verdicts: { shm: { status: 'empty' } }, slots: { local_shm: [] } };
  const mapped = await mappedNames(env, mountpoint, signal);
  if (mapped === null) {
    const detail = 'not every process can be looked into';
    return {
      verdicts: { shm: { status: 'unknown', reason: 'permission', detail } },
      slots: { local_shm: null },
    };
  }
  const stale = segments.filter(({ name }) => !mapped.has(name)).sort((a, b) => b.bytes - a.bytes);
  const slot = {
    mountpoint,
    stale_count: stale.length,
    stale_bytes: stale.reduce((sum, segment) => sum + segment.bytes, 0),
    names: stale.slice(0, MAX_NAMES).map(({ name }) => name),
  };
  return { verdicts: { shm: { status: 'ok' } }, slots: { local_shm: stale.length === 0 ? [] : [slot] } };
}

function oldSegments(directory: string, nowUnix: number): Segment[] | null {
  const listing = listDirectory(directory);
  if (!listing.ok) return null;
  return listing.entries.flatMap((entry) => {
    if (!SEGMENT.test(entry.name) || !entry.isFile()) return [];
    const stat = statSync(join(directory, entry.name), { throwIfNoEntry: false });
    if (stat === undefined || nowUnix - Math.max(stat.mtimeMs, stat.ctimeMs) / 1000 < MIN_AGE_S) return [];
    return [{ name: entry.name, bytes: stat.blocks * 512 }];
  });
}

/** Names of the segments that some process maps, or null when one that might cannot be looked into. */
async function mappedNames(
  env: CollectorEnv,
  mountpoint: string,
  signal: Stop,
): Promise<ReadonlySet<string> | null> {
  const table = env.facts.processes;
  if (table === undefined || !seesEveryUser(env, table.scope)) return null;
  const names = new Set<string>();
  const mapping = new RegExp(`${mountpoint.replace(/[.*+?^${'$'}{}()|[\]\\]/g, '\\$&')}/([^\\s/]+)`, 'g');
  for (const process of table.processes) {
    await breathe(signal);
    if (process.state === 'Z') continue;
    // Its memory map may be locked by what it waits for.
    if (process.state === 'D') return null;
    const maps = readPseudoFile(`${env.procRoot}/${process.pid}/maps`, MAPS_BYTES);
    if (maps === undefined && isThere(env.procRoot, process.pid)) return null;
    for (const [, name] of maps?.matchAll(mapping) ?? []) if (name !== undefined) names.add(name);
  }
  return names;
}

/** With a private IPC namespace the directory is private too, and so are those who can map what is in it. */
function seesEveryUser(env: CollectorEnv, scope: string): boolean {
  if (scope === 'host') return true;
  try {
    return scope === 'namespace' && readlinkSync(`${env.procRoot}/self/ns/ipc`) !== INITIAL_IPC_NAMESPACE;
  } catch {
    return false;
  }
}

function isThere(procRoot: string, pid: number): boolean {
  return statSync(`${procRoot}/${pid}`, { throwIfNoEntry: false }) !== undefined;
}
