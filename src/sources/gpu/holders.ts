import { readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { livenessOf } from '../liveness.js';
import { namesIn } from '../tools/list-directory.js';
import type { ToolHolder } from './amd-smi.js';
import type { KfdAccounts, KfdNode } from './kfd.js';
import type { GpuObservation } from './reading.js';

/** A holder before it is joined with the process list. */
export type Holder = {
  readonly pid: number;
  /** MiB; null when nobody says. */
  readonly vram_mb: number | null;
};

/** What is known of a device's holders: a complete list, or null. */
export type HoldersOf = (device: GpuObservation) => readonly Holder[] | null;

/** Inode of the kernel's initial PID namespace. */
const INITIAL_PID_NAMESPACE = 'pid:[4026531836]';
/** What drivers reserve for themselves: VRAM in use that nobody need account for. */
const RESERVED_MB = 1024;
const RESERVED_SHARE = 0.1;
/** The smallest share of its memory for which a device without holders can count as leaked. */
const SUSPECT_SHARE = 0.2;

/** True when pids that the kernel reports mean the same processes here. */
export function isInitialPidNamespace(procRoot: string): boolean {
  try {
    return readlinkSync(join(procRoot, 'self/ns/pid')) === INITIAL_PID_NAMESPACE;
  } catch {
    return false;
  }
}

/**
 * Holders by the kernel's own accounts (spec 04 §14). They cover computing: an empty list is no proof where a display or
 * the firmware may be what uses the memory, as in the carve-out of an integrated GPU. `deviceUsers` tells who has device
 * files open and is asked only when it matters. A device that the kernel does not list for us stays unknown.
 */
export async function kernelHolders(
  { nodes, pids }: KfdAccounts,
  devices: readonly GpuObservation[],
  deviceUsers: () => Promise<ReadonlySet<number> | undefined>,
): Promise<HoldersOf> {
  const ranked = [...devices].sort((a, b) => a.gpu_id - b.gpu_id);
  const listOf = (device: GpuObservation): readonly Holder[] | null => {
    const node = nodeOf(device, ranked, nodes);
    return node ? node.holders.map(({ pid, vramMb }) => ({ pid, vram_mb: vramMb })) : null;
  };
  const isSuspect = (device: GpuObservation) => listOf(device)?.length === 0 && isMuchInUse(device);
  const users = devices.some(isSuspect) ? await deviceUsers() : undefined;
  const hasOtherUsers = [...(users ?? [])].some((pid) => !pids.has(pid));
  return (device) => {
    const isExplained = hasOtherUsers || (device.metrics.vram_used_mb ?? 0) <= RESERVED_MB;
    return isSuspect(device) && isExplained ? null : listOf(device);
  };
}

/** Enough of the memory that a rule might ask whose it is (spec 03 gpu_leak-3). */
function isMuchInUse({ metrics }: GpuObservation): boolean {
  const { vram_used_mb: used, vram_total_mb: total } = metrics;
  return used !== undefined && total !== undefined && total > 0 && used / total >= SUSPECT_SHARE;
}

function nodeOf(
  device: GpuObservation,
  ranked: readonly GpuObservation[],
  nodes: readonly KfdNode[],
): KfdNode | undefined {
  const slot = device.pci?.replace(/\.[0-7]$/, '');
  const sameSlot = slot === undefined ? undefined : nodes.find((node) => node.slot === slot);
  if (sameSlot) return sameSlot;
  return nodes.length === ranked.length
    ? nodes[ranked.findIndex((other) => other.gpu_id === device.gpu_id)]
    : undefined;
}

/**
 * Holders as a tool lists them (spec 04 §14): complete where they account for the VRAM in use, or where nobody else has a
 * device file of the vendor open. `otherUsers` asks for the latter and is called only when it matters.
 */
export async function toolHolders(
  listed: readonly ToolHolder[] | undefined,
  devices: readonly GpuObservation[],
  otherUsers: () => Promise<ReadonlySet<number> | undefined>,
): Promise<HoldersOf> {
  const byDevice = new Map(
    devices.map((device) => [
      device.gpu_id,
      (listed ?? []).filter((holder) => holder.gpu_id === device.gpu_id),
    ]),
  );
  const isAccounted = (device: GpuObservation) =>
    listed !== undefined && accounts(device, byDevice.get(device.gpu_id));
  const isNobodyElse = devices.every(isAccounted) ? true : await isNobodyBeside(listed ?? [], otherUsers);
  return (device) => {
    if (device.mig === true) return null;
    if (!isAccounted(device) && !isNobodyElse) return null;
    return (byDevice.get(device.gpu_id) ?? []).map(({ pid, vram_mb }) => ({ pid, vram_mb }));
  };
}

function accounts(device: GpuObservation, holders: readonly ToolHolder[] = []): boolean {
  const used = device.metrics.vram_used_mb;
  if (used === undefined) return false;
  const sum = holders.reduce((total, holder) => total + (holder.vram_mb ?? 0), 0);
  return used - sum <= Math.max(RESERVED_MB, used * RESERVED_SHARE);
}

async function isNobodyBeside(
  listed: readonly ToolHolder[],
  otherUsers: () => Promise<ReadonlySet<number> | undefined>,
): Promise<boolean> {
  const users = await otherUsers();
  if (users === undefined) return false;
  const known = new Set(listed.map((holder) => holder.pid));
  return [...users].every((pid) => known.has(pid));
}

/** True unless the process is gone or only its exit status is left; a leader that ended before its threads still lives. */
export function isHolderAlive(procRoot: string, pid: number): boolean {
  return livenessOf(pid, null, procRoot).alive !== false || threadCount(procRoot, pid) > 1;
}

function threadCount(procRoot: string, pid: number): number {
  return namesIn(join(procRoot, String(pid), 'task')).length;
}
