import { freemem, totalmem } from 'node:os';
import type { JsonObject } from '../../foreign/json.js';
import { roundHalfEven } from '../../foreign/round.js';
import type { Collector, CollectorEnv } from '../collector.js';
import { readPseudoFile } from '../tools/read-pseudo-file.js';
import { cgroupMemory } from './cgroup-memory.js';
import { numberAfter } from './number-after.js';

const MIB = 2 ** 20;
const MEMINFO_BYTES = 16 * 1024;

/** Memory of the host and of our control group (spec 02 §10.7). */
export const memoryCollector: Collector = {
  names: ['memory'],
  hostBound: false,
  needs: [],
  budgetMs: () => 1000,
  whenUnknown: { local_memory: null },
  collect: async (env) => {
    const slot = describeMemory(env);
    if (slot === null)
      return { verdicts: { memory: { status: 'unknown', reason: 'bad_output' } }, slots: {} };
    return { verdicts: { memory: { status: 'ok' } }, slots: { local_memory: slot } };
  },
};

function describeMemory({ procRoot, sysRoot }: CollectorEnv): JsonObject | null {
  const host = hostMemory(procRoot);
  if (host === null) return null;
  const { total, available, swapTotal, swapFree } = host;
  const cgroup = cgroupMemory(procRoot, sysRoot, total);
  const shares = [available / total];
  if (cgroup !== null) shares.push(Math.max(0, cgroup.limitBytes - cgroup.usedBytes) / cgroup.limitBytes);
  return {
    total_mb: mib(total),
    available_mb: mib(available),
    available_pct: roundHalfEven(Math.min(...shares) * 100, 2),
    swap_total_mb: mib(swapTotal),
    swap_used_mb: mib(swapTotal - swapFree),
    limit_mb: cgroup === null ? null : mib(cgroup.limitBytes),
    limit_used_mb: cgroup === null ? null : mib(cgroup.usedBytes),
  };
}

interface HostMemory {
  readonly total: number;
  readonly available: number;
  readonly swapTotal: number;
  readonly swapFree: number;
}

/** All in bytes. */
function hostMemory(procRoot: string): HostMemory | null {
  const text = readPseudoFile(`${procRoot}/meminfo`, MEMINFO_BYTES);
  if (text === undefined) {
    return process.platform === 'linux'
      ? null
      : { total: totalmem(), available: freemem(), swapTotal: 0, swapFree: 0 };
  }
  const bytes = (name: string) => {
    const kib = numberAfter(text, `${name}:`);
    return kib === undefined ? undefined : kib * 1024;
  };
  const total = bytes('MemTotal');
  const available = bytes('MemAvailable') ?? bytes('MemFree');
  if (total === undefined || total === 0 || available === undefined) return null;
  return { total, available, swapTotal: bytes('SwapTotal') ?? 0, swapFree: bytes('SwapFree') ?? 0 };
}

function mib(bytes: number): number {
  return roundHalfEven(bytes / MIB, 1);
}
