import type { CollectorEnv } from '../collector.js';
import { deviceFileUsers, hasDeviceFiles } from './device-files.js';
import {
  type Holder,
  type HoldersOf,
  isHolderAlive,
  isInitialPidNamespace,
  kernelHolders,
  toolHolders,
} from './holders.js';
import type { KfdNode } from './kfd.js';
import { type GpuEntry, gpuEntry } from './merge.js';
import { isSessionAlive, ownerSession } from './owner-session.js';
import type { GpuObservation } from './reading.js';
import type { VendorAnswer } from './source-answer.js';
import { type GpuVendor, visibility } from './visible.js';

/** A holder as it stands in the snapshot until the process list completes it. */
export type HolderEntry = Holder & {
  /** Null: the pid belongs to another PID namespace than ours. */
  readonly alive: true | null;
  /** Another session that the process names as its own. */
  readonly owner_session: string | null;
  /** False only when that session's Coordinator is known to be dead. */
  readonly owner_session_alive: boolean | null;
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

export interface VendorAnswers {
  readonly amd: VendorAnswer;
  readonly nvidia: VendorAnswer;
  /** What the AMD kernel driver accounts; undefined when it does not. */
  readonly kernelNodes: readonly KfdNode[] | undefined;
}

/** Both vendors' devices as one list, with visibility and holders. */
export async function gpuEntries(
  answers: VendorAnswers,
  env: CollectorEnv,
  signal: AbortSignal,
): Promise<HeldGpuEntry[]> {
  const { amd, nvidia, kernelNodes } = answers;
  const amdDevices = amd.listing?.devices ?? [];
  const nvidiaDevices = nvidia.listing?.devices ?? [];
  const inHostNamespace = isInitialPidNamespace(env.procRoot);
  const allUsers = inHostNamespace ? onlyOnce(() => deviceFileUsers(env.procRoot, signal)) : unknownUsers;
  const usersOf = (vendor: GpuVendor) => async () =>
    hasDeviceFiles(env.devRoot, vendor) ? (await allUsers())?.[vendor] : undefined;
  const listedBy = (answer: VendorAnswer) => (inHostNamespace ? answer.toolHolders : undefined);

  const amdHolders = kernelNodes
    ? kernelHolders(kernelNodes, amdDevices)
    : await toolHolders(listedBy(amd), amdDevices, usersOf('amd'));
  const nvidiaHolders = await toolHolders(listedBy(nvidia), nvidiaDevices, usersOf('nvidia'));

  const shown = inHostNamespace ? livingHolders(env) : foreignNumber;
  const entriesOf = async (
    vendor: GpuVendor,
    devices: readonly GpuObservation[],
    holdersOf: HoldersOf,
    idOffset: number,
  ): Promise<HeldGpuEntry[]> => {
    const isVisible = visibility(vendor, env.env, devices);
    return Promise.all(
      devices.map(async (device) => {
        const holders = holdersOf(device);
        return {
          ...gpuEntry(device, vendor, idOffset),
          visible: isVisible(device.gpu_id),
          holders: holders && (await Promise.all(holders.slice(0, MAX_HOLDERS).map(shown))).flat(),
        };
      }),
    );
  };
  return [
    ...(await entriesOf('amd', amdDevices, amdHolders, 0)),
    ...(await entriesOf('nvidia', nvidiaDevices, nvidiaHolders, amdDevices.length > 0 ? NVIDIA_OFFSET : 0)),
  ];
}

/** Completes a holder, or drops one that no longer holds anything because it is dead. */
type Completion = (holder: Holder) => Promise<readonly HolderEntry[]>;

/** A pid of another namespace means nothing here: a co-tenant or one of ours, never proof of a leak (spec 02 §10.2 i). */
const foreignNumber: Completion = async (holder) => [
  { ...holder, alive: null, owner_session: null, owner_session_alive: null },
];

function livingHolders(env: CollectorEnv): Completion {
  const isAlive = (pid: number) => isHolderAlive(env.procRoot, pid);
  const details = new Map<number, Promise<Omit<HolderEntry, keyof Holder>>>();
  const detailsOf = async (pid: number) => {
    const session = await ownerSession(env.procRoot, pid);
    const isOther = session !== null && session !== env.sessionDir;
    return {
      alive: true as const,
      owner_session: isOther ? session : null,
      owner_session_alive: isOther ? await isSessionAlive(session, env.procRoot) : null,
    };
  };
  return async (holder) => {
    if (!isAlive(holder.pid)) return [];
    const known = details.get(holder.pid) ?? detailsOf(holder.pid);
    details.set(holder.pid, known);
    return [{ ...holder, ...(await known) }];
  };
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
