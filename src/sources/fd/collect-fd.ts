import { readdirSync } from 'node:fs';
import { roundHalfEven } from '../../foreign/round.js';
import type { CollectorAnswer, CollectorEnv, CollectorVerdict } from '../collector.js';
import { refusal } from '../tools/read-file.js';
import { readPseudoFile } from '../tools/read-pseudo-file.js';
import { refusalVerdict } from '../tools/refusal-verdict.js';

const MAX_LIMITS = 16_384;

interface Target {
  readonly pid: number;
  readonly target: 'configured' | 'coordinator' | 'parent' | 'self';
}

/** The look of the collector `fd`. */
export async function collectFd(env: CollectorEnv): Promise<CollectorAnswer> {
  const { pid, target } = targetOf(env);
  const used = openDescriptors(env.procRoot, pid);
  if (typeof used !== 'number') return { verdicts: { fd: used }, slots: { local_fd: {} } };
  const limit = softLimit(readPseudoFile(`${env.procRoot}/${pid}/limits`, MAX_LIMITS) ?? '');
  const used_pct = limit === null ? null : roundHalfEven((used / limit) * 100, 2);
  const system = systemUse(readPseudoFile(`${env.procRoot}/sys/fs/file-nr`, 4096) ?? '');
  return {
    verdicts: { fd: { status: 'ok' } },
    slots: { local_fd: { pid, used, limit, used_pct, target, ...system } },
  };
}

/** The Coordinator is what runs out of descriptors; without it our parent is the best guess, and we ourselves the last. */
function targetOf({ config, facts }: CollectorEnv): Target {
  if (config.fd_probe_pid !== null) return { pid: config.fd_probe_pid, target: 'configured' };
  const { coordinator } = facts;
  if (coordinator?.alive === true && coordinator.pid !== null)
    return { pid: coordinator.pid, target: 'coordinator' };
  return process.ppid > 1 ? { pid: process.ppid, target: 'parent' } : { pid: process.pid, target: 'self' };
}

function openDescriptors(procRoot: string, pid: number): number | CollectorVerdict {
  try {
    return readdirSync(`${procRoot}/${pid}/fd`).length;
  } catch (error) {
    const verdict = refusalVerdict(refusal(error));
    return {
      ...verdict,
      status: verdict.status === 'empty' ? 'unknown' : verdict.status,
      detail: `pid ${pid}`,
    };
  }
}

/** The soft limit of `/proc/<pid>/limits`; null when there is none, or none that counts. */
export function softLimit(limits: string): number | null {
  const line = limits.split('\n').find((each) => each.startsWith('Max open files'));
  const soft = line?.split(/\s+/)[3] ?? '';
  const value = /^\d{1,15}$/.test(soft) ? Number(soft) : 0;
  return value > 0 ? value : null;
}

/** First and third number of `/proc/sys/fs/file-nr`: open file handles of the system and their maximum. */
function systemUse(fileNr: string): { readonly system_used?: number; readonly system_max?: number } {
  const match = /^(\d{1,15})\s+\d+\s+(\d{1,20})\s*$/.exec(fileNr);
  return match ? { system_used: Number(match[1]), system_max: Number(match[2]) } : {};
}
