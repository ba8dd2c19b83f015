import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { readPseudoFile } from '../tools/read-pseudo-file.js';
import { numberAfter } from './number-after.js';

/** The tightest memory limit above us and what counts against it. */
export interface CgroupMemory {
  readonly limitBytes: number;
  /** Without file pages that the kernel would give back first. */
  readonly usedBytes: number;
}

const FILE_BYTES = 64 * 1024;

interface Layout {
  readonly root: string;
  readonly limit: string;
  readonly usage: string;
  /** Name in `memory.stat`, with a blank. */
  readonly inactive: string;
  /** A limit above what there is limits nothing. */
  readonly below: number;
}

/** The limit of our control group or of one above it, version 2 or 1; null when none is below the host's memory. */
export function cgroupMemory(procRoot: string, sysRoot: string, hostBytes: number): CgroupMemory | null {
  const membership = readPseudoFile(`${procRoot}/self/cgroup`, FILE_BYTES) ?? '';
  const groups = membership.split('\n').map((line) => line.split(':'));
  const unified = pathOf(groups.find(([number, controllers]) => number === '0' && controllers === ''));
  const legacy = pathOf(groups.find(([, controllers = '']) => controllers.split(',').includes('memory')));
  const base = `${sysRoot}/fs/cgroup`;
  const found = [
    ...(unified === undefined
      ? []
      : limitsAbove(unified, {
          root: base,
          limit: 'memory.max',
          usage: 'memory.current',
          inactive: 'inactive_file ',
          below: hostBytes,
        })),
    ...(legacy === undefined
      ? []
      : limitsAbove(legacy, {
          root: `${base}/memory`,
          limit: 'memory.limit_in_bytes',
          usage: 'memory.usage_in_bytes',
          inactive: 'total_inactive_file ',
          below: hostBytes,
        })),
  ];
  return found.sort((a, b) => a.limitBytes - a.usedBytes - (b.limitBytes - b.usedBytes))[0] ?? null;
}

/** A line of `/proc/self/cgroup` is its hierarchy, its controllers and a path that may hold colons. */
function pathOf(group: readonly string[] | undefined): string | undefined {
  const path = group?.slice(2).join(':');
  return path?.startsWith('/') ? path : undefined;
}

/** In a container the path may not exist below the mount, whose root is then the container's own group. */
function limitsAbove(group: string, layout: Layout): CgroupMemory[] {
  const limits: CgroupMemory[] = [];
  for (let path = group; ; path = dirname(path)) {
    const limit = readLimit(`${layout.root}${path === '/' ? '' : path}`, layout);
    if (limit !== undefined) limits.push(limit);
    if (path === '/') return limits;
  }
}

function readLimit(directory: string, layout: Layout): CgroupMemory | undefined {
  const limitBytes = readNumber(`${directory}/${layout.limit}`);
  if (!(limitBytes > 0 && limitBytes < layout.below)) return undefined;
  const usage = readNumber(`${directory}/${layout.usage}`);
  if (!Number.isFinite(usage)) return undefined;
  const statistics = readPseudoFile(`${directory}/memory.stat`, FILE_BYTES) ?? '';
  const inactive = numberAfter(statistics, layout.inactive) ?? 0;
  return { limitBytes, usedBytes: Math.max(0, usage - inactive) };
}

/** NaN for `max`, and for a file that is not there: the root group has none, and asking first is cheaper than an error. */
function readNumber(path: string): number {
  const text = existsSync(path) ? readPseudoFile(path, FILE_BYTES)?.trim() : undefined;
  return text === undefined || text === '' ? Number.NaN : Number(text);
}
