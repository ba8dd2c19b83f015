import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** What a process holds of one physical device; `pid` is that of the host's PID namespace. */
export interface KfdHolder {
  readonly pid: number;
  /** MiB. */
  readonly vramMb: number;
}

/** One compute node of the kernel driver: a device, or a partition of one. */
export interface KfdNode {
  /** Rank by PCI domain and location, as the tools number devices. */
  readonly rank: number;
  /** PCI address without function, `dddd:bb:dd`: partitions of one device share it. */
  readonly slot: string;
  readonly function: number;
  /** Holders of the physical device: VRAM of a partition may be accounted to its neighbour. */
  readonly holders: readonly KfdHolder[];
}

/** What the kernel driver accounts. */
export interface KfdAccounts {
  readonly nodes: readonly KfdNode[];
  /** Every process that has the driver open, also those that hold nothing. */
  readonly pids: ReadonlySet<number>;
}

const MAX_NODES = 512;
const MAX_PROCESSES = 4096;

/**
 * VRAM holders as the kernel accounts them below `<sysRoot>/class/kfd/kfd` (spec 02 §10.2 i): complete by construction.
 * Undefined when the driver does not show them.
 */
export async function readKfd(sysRoot: string): Promise<KfdAccounts | undefined> {
  const root = join(sysRoot, 'class/kfd/kfd');
  // Asked at once: on a host without the driver nothing needs to wait for the answer.
  if (!existsSync(root)) return undefined;
  const processes = await names(join(root, 'proc'));
  const nodeNames = await names(join(root, 'topology/nodes'));
  if (processes === undefined || nodeNames === undefined || processes.length > MAX_PROCESSES)
    return undefined;
  const found = await Promise.all(
    nodeNames.slice(0, MAX_NODES).map((node) => readNode(join(root, 'topology/nodes', node))),
  );
  const nodes = found.filter((node) => node !== undefined).sort((a, b) => a.order - b.order);
  const bySlot = new Map<string, Map<number, number>>();
  const slotOf = new Map(nodes.map((node) => [node.kfdId, node.slot]));
  const numbers = processes.filter((name) => /^\d{1,10}$/.test(name)).map(Number);
  for (const pid of numbers) {
    const isAccounted = await addProcess(join(root, 'proc', String(pid)), pid, slotOf, bySlot);
    if (!isAccounted) return undefined;
  }
  return {
    pids: new Set(numbers),
    nodes: nodes.map(({ slot, function: fn }, rank) => ({
      rank,
      slot,
      function: fn,
      holders: [...(bySlot.get(slot) ?? [])].map(([pid, bytes]) => ({ pid, vramMb: bytes / 2 ** 20 })),
    })),
  };
}

interface RawNode {
  readonly kfdId: string;
  readonly order: number;
  readonly slot: string;
  readonly function: number;
}

async function readNode(directory: string): Promise<RawNode | undefined> {
  const kfdId = (await read(join(directory, 'gpu_id')))?.trim();
  // CPU nodes have id 0; a device that this container may not use has no readable id.
  if (kfdId === undefined || !/^[1-9]\d{0,9}$/.test(kfdId)) return undefined;
  const properties = (await read(join(directory, 'properties'))) ?? '';
  const location = property(properties, 'location_id');
  if (location === undefined) return undefined;
  const domain = property(properties, 'domain') ?? 0;
  return {
    kfdId,
    order: domain * 65_536 + location,
    slot: slotText(domain, location),
    function: location % 8,
  };
}

/** `location_id` is bus·256 + device·8 + function. */
function slotText(domain: number, location: number): string {
  const hex = (value: number, width: number) => value.toString(16).padStart(width, '0');
  return `${hex(domain, 4)}:${hex(Math.floor(location / 256) % 256, 2)}:${hex(Math.floor(location / 8) % 32, 2)}`;
}

function property(properties: string, name: string): number | undefined {
  const digits = new RegExp(`^${name} (\\d{1,10})$`, 'm').exec(properties)?.[1];
  return digits === undefined ? undefined : Number(digits);
}

/** False when the kernel lists the process without accounting its VRAM, as old ones do. */
async function addProcess(
  directory: string,
  pid: number,
  slotOf: ReadonlyMap<string, string>,
  bySlot: Map<string, Map<number, number>>,
): Promise<boolean> {
  const files = await names(directory);
  if (files === undefined) return true;
  const accounts = files.filter((file) => file.startsWith('vram_'));
  for (const file of accounts) {
    const slot = slotOf.get(file.slice('vram_'.length));
    if (slot === undefined) continue;
    const bytes = Number(((await read(join(directory, file))) ?? '').trim());
    if (!Number.isFinite(bytes) || bytes <= 0) continue;
    const holders = bySlot.get(slot) ?? new Map<number, number>();
    holders.set(pid, (holders.get(pid) ?? 0) + bytes);
    bySlot.set(slot, holders);
  }
  return accounts.length > 0 || slotOf.size === 0;
}

async function read(path: string): Promise<string | undefined> {
  try {
    return (await readFile(path, 'utf8')).slice(0, 65_536);
  } catch {
    // Vanished with its process, or not for us: not an answer.
    return undefined;
  }
}

async function names(directory: string): Promise<string[] | undefined> {
  try {
    return await readdir(directory);
  } catch {
    return undefined;
  }
}
