import type { CollectorEnv } from '../collector.js';
import { type Stop, within } from '../tools/stop.js';
import { type DeviceFileUsers, deviceFileUsers, hasDeviceFiles } from './device-files.js';
import {
  type Holder,
  type HoldersOf,
  isHolderAlive,
  isInitialPidNamespace,
  kernelHolders,
  toolHolders,
} from './holders.js';
import type { KfdAccounts } from './kfd.js';
import { type GpuEntry, gpuEntry } from './merge.js';
import { type Owner, ownersOf } from './owner-session.js';
import type { GpuObservation } from './reading.js';
import type { VendorAnswer } from './source-answer.js';
import { type GpuVendor, visibility } from './visible.js';

/** A holder as it stands in the snapshot until the process list completes it. */
export type HolderEntry = Holder &
  Owner & {
    /** Null: the pid belongs to another PID namespace than ours. */
    readonly alive: true | null;
  };

/** An entry with all that the tools and the kernel can tell. */
export type HeldGpuEntry = GpuEntry & {
  readonly visible: boolean | null;
  /** Complete, or null. */
  readonly holders: readonly HolderEntry[] | null;
};

/** Keeps the vendors' numbers apart on a host with both: the id is an identity. */
const NVIDIA_OFFSET = 1000;
const MAX_HOLDERS = 64;
/** How long looking through everybody's open files may take, ms. */
const USERS_LIMIT_MS = 800;
/** How long asking the holders for their sessions may take, ms. */
const OWNERS_LIMIT_MS = 1000;

export interface VendorAnswers {
  readonly amd: VendorAnswer;
  readonly nvidia: VendorAnswer;
  /** What the AMD kernel driver accounts; undefined when it does not. */
  readonly kernel: KfdAccounts | undefined;
}

/** Both vendors' devices as one list, with visibility and holders. */
export async function gpuEntries(
  answers: VendorAnswers,
  env: CollectorEnv,
  signal: Stop,
): Promise<HeldGpuEntry[]> {
  const { amd, nvidia, kernel } = answers;
  const amdDevices = amd.listing?.devices ?? [];
  const nvidiaDevices = nvidia.listing?.devices ?? [];
  const inHostNamespace = isInitialPidNamespace(env.procRoot);
  const allUsers = inHostNamespace ? onlyOnce(() => usersInTime(env, signal)) : unknownUsers;
  const usersOf = (vendor: GpuVendor) => async () =>
    hasDeviceFiles(env.devRoot, vendor) ? (await allUsers())?.[vendor] : undefined;
  const listedBy = (answer: VendorAnswer) => (inHostNamespace ? answer.toolHolders : undefined);

  const amdHolders = kernel
    ? await kernelHolders(kernel, amdDevices, usersOf('amd'))
    : await toolHolders(listedBy(amd), amdDevices, usersOf('amd'));
  const nvidiaHolders = await toolHolders(listedBy(nvidia), nvidiaDevices, usersOf('nvidia'));

  const amdHeld = amdDevices.map((device) => held(device, amdHolders));
  const nvidiaHeld = nvidiaDevices.map((device) => held(device, nvidiaHolders));
  const pids = [...amdHeld, ...nvidiaHeld].flatMap(({ holders }) => holders?.map(({ pid }) => pid) ?? []);
  const complete = inHostNamespace ? await livingHolders([...new Set(pids)], env, signal) : foreignNumber;
  const entriesOf = (vendor: GpuVendor, devices: readonly HeldDevice[], idOffset: number): HeldGpuEntry[] => {
    const isVisible = visibility(vendor, env.env, devices);
    return devices.map(({ holders, ...device }) => ({
      ...gpuEntry(device, vendor, idOffset),
      visible: isVisible(device.gpu_id),
      holders: holders?.flatMap(complete) ?? null,
    }));
  };
  return [
    ...entriesOf('amd', amdHeld, 0),
    ...entriesOf('nvidia', nvidiaHeld, amdDevices.length > 0 ? NVIDIA_OFFSET : 0),
  ];
}

type HeldDevice = GpuObservation & { readonly holders: readonly Holder[] | null };

function held(device: GpuObservation, holdersOf: HoldersOf): HeldDevice {
  return { ...device, holders: holdersOf(device)?.slice(0, MAX_HOLDERS) ?? null };
}

/** Completes a holder, or drops one that no longer holds anything because it is dead. */
type Completion = (holder: Holder) => readonly HolderEntry[];

/** A pid of another namespace means nothing here: a co-tenant or one of ours, never proof of a leak (spec 02 §10.2 i). */
const foreignNumber: Completion = (holder) => [
  { ...holder, alive: null, owner_session: null, owner_session_alive: null },
];

/** Our own namespace: who is dead holds nothing, who lives may say whose he is. */
async function livingHolders(pids: readonly number[], env: CollectorEnv, signal: Stop): Promise<Completion> {
  const living = new Set(pids.filter((pid) => isHolderAlive(env.procRoot, pid)));
  const owners = await ownersOf([...living], env.sessionDir, env.procRoot, {
    env: env.env,
    timeoutMs: OWNERS_LIMIT_MS,
    signal,
  });
  return (holder) => {
    if (!living.has(holder.pid)) return [];
    const owner = owners.get(holder.pid) ?? { owner_session: null, owner_session_alive: null };
    return [{ ...holder, alive: true, ...owner }];
  };
}

/** A scan that takes too long proves nothing, and must not cost the rest of the answer. */
async function usersInTime(env: CollectorEnv, signal: Stop): Promise<DeviceFileUsers | undefined> {
  const limit = within(signal, USERS_LIMIT_MS);
  try {
    return await deviceFileUsers(env, limit);
  } catch (error) {
    if (limit.aborted) return undefined;
    throw error;
  }
}

async function unknownUsers(): Promise<undefined> {
  return undefined;
}

function onlyOnce<T>(ask: () => Promise<T>): () => Promise<T> {
  let answer: Promise<T> | undefined;
  return () => {
    answer ??= ask();
    return answer;
  };
}
