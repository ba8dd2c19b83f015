import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { breathe } from '../tools/breathe.js';
import { namesIn } from '../tools/list-directory.js';
import { readPseudoFile } from '../tools/read-pseudo-file.js';
import type { Stop } from '../tools/stop.js';
import type { GpuVendor } from './visible.js';

/** Processes that have device files open, per vendor. */
export interface DeviceFileUsers {
  readonly amd: ReadonlySet<number>;
  readonly nvidia: ReadonlySet<number>;
}

/** Descriptors examined at most. */
const MAX_DESCRIPTORS = 200_000;
const PROCESSES_PER_BREATH = 64;
const DEVICE = /^\/dev\/(?:(kfd)|dri\/((?:renderD|card)\d+)|(nvidia\d+))$/;
const AMD_VENDOR = '0x1002';
/** Daemons and tools that keep the devices open and own no VRAM worth the name. */
const MONITORS = new Set([
  'nvidia-persiste',
  'nvidia-smi',
  'nv-hostengine',
  'dcgm-exporter',
  'nv-fabricmanag',
  'nvtop',
  'amd-smi',
  'rocm-smi',
  'amdgpu_top',
  'radeontop',
]);

/**
 * True when the vendor's device files are there. Where they are not, as in a container that was given only the tool, nobody
 * can have them open here, and that proves nothing about who holds the memory.
 */
export function hasDeviceFiles(devRoot: string, vendor: GpuVendor): boolean {
  if (vendor === 'amd') return existsSync(join(devRoot, 'kfd'));
  return namesIn(devRoot).some((name) => /^nvidia\d+$/.test(name));
}

/**
 * Who has the GPUs' device files open (spec 04 §14). Undefined unless the descriptors of every process could be read: a
 * list with a gap in it proves nothing.
 */
export async function deviceFileUsers(
  roots: { readonly procRoot: string; readonly sysRoot: string },
  signal: Stop,
): Promise<DeviceFileUsers | undefined> {
  const { procRoot, sysRoot } = roots;
  const users = { amd: new Set<number>(), nvidia: new Set<number>() };
  const vendors = new Map<string, GpuVendor | undefined>();
  const vendorOf = (link: string): GpuVendor | undefined => {
    if (!vendors.has(link)) vendors.set(link, deviceVendor(link, sysRoot));
    return vendors.get(link);
  };
  let descriptors = 0;
  let count = 0;
  for (const pid of pidsIn(procRoot)) {
    count += 1;
    if (count % PROCESSES_PER_BREATH === 0) await breathe(signal);
    const links = openFiles(procRoot, pid);
    if (links === undefined) return undefined;
    descriptors += links.length;
    if (descriptors > MAX_DESCRIPTORS) return undefined;
    const held = new Set(
      links.filter((link) => link.startsWith('/dev/')).flatMap((link) => vendorOf(link) ?? []),
    );
    if (held.size === 0 || isMonitor(procRoot, pid)) continue;
    for (const vendor of held) users[vendor].add(Number(pid));
  }
  return count === 0 ? undefined : users;
}

/** Whose GPU a device file is; a display of another vendor is nobody's, one that cannot be looked up may be AMD's. */
function deviceVendor(link: string, sysRoot: string): GpuVendor | undefined {
  const [, kfd, dri, nvidia] = DEVICE.exec(link) ?? [];
  if (nvidia !== undefined) return 'nvidia';
  if (kfd !== undefined) return 'amd';
  if (dri === undefined) return undefined;
  const vendor = readPseudoFile(join(sysRoot, 'class/drm', dri, 'device/vendor'), 64)?.trim();
  return vendor === undefined || vendor === AMD_VENDOR ? 'amd' : undefined;
}

function pidsIn(procRoot: string): string[] {
  try {
    return readdirSync(procRoot).filter((name) => /^\d{1,10}$/.test(name));
  } catch {
    return [];
  }
}

/** Undefined when they can't be seen; `[]` for a process that has ended meanwhile. */
function openFiles(procRoot: string, pid: string): string[] | undefined {
  const directory = join(procRoot, pid, 'fd');
  try {
    return readdirSync(directory).map((fd) => linkTarget(join(directory, fd)));
  } catch (error) {
    return isGone(error) ? [] : undefined;
  }
}

function linkTarget(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    // Closed between listing and look.
    return '';
  }
}

function isGone(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? error.code : '';
  return code === 'ENOENT' || code === 'ESRCH';
}

function isMonitor(procRoot: string, pid: string): boolean {
  try {
    return MONITORS.has(readFileSync(join(procRoot, pid, 'comm'), 'utf8').trim());
  } catch {
    return false;
  }
}
