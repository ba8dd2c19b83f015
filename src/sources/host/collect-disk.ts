import { isAbsolute } from 'node:path';
import type { JsonObject } from '../../foreign/json.js';
import { roundHalfEven } from '../../foreign/round.js';
import type { CollectorAnswer, CollectorEnv } from '../collector.js';
import { realOr } from '../session/workspace.js';
import { type Mount, mayHang, mountOf, mountsOf } from '../tools/mounts.js';
import type { Stop } from '../tools/stop.js';
import { type FileSystemUse, statFileSystem } from './file-system-use.js';

const GIB = 2 ** 30;

/** What a sampled file system is to us. */
type Role = 'root' | 'shm' | 'session' | 'workspace' | 'tmp' | 'configured';

interface Target {
  readonly mountPoint: string;
  readonly mount: Mount | undefined;
  readonly roles: Role[];
}

/** The look of the collector `disk`. */
export async function collectDisk(env: CollectorEnv, signal: Stop): Promise<CollectorAnswer> {
  const mounts = mountsOf(env.procRoot);
  const targets = targetsOf(env, mounts);
  const hung: string[] = [];
  const entries = await Promise.all(
    targets.map(async ({ mountPoint, mount, roles }): Promise<[string, JsonObject][]> => {
      const isRisky = mount !== undefined && mayHang(mount);
      const use = await statFileSystem(mountPoint, isRisky, env.env, signal);
      if (use === 'timeout') hung.push(mountPoint);
      return typeof use === 'string' ? [] : [[mountPoint, describe(use, roles, mount?.fsType ?? '')]];
    }),
  );
  const slot = Object.fromEntries(entries.flat());
  const verdict =
    hung.length > 0
      ? ({ status: 'timeout', reason: 'deadline', detail: `no answer from ${hung.join(', ')}` } as const)
      : ({ status: Object.keys(slot).length === 0 ? 'empty' : 'ok' } as const);
  return { verdicts: { disk: verdict }, slots: { local_disk: slot } };
}

/** The configured mount points, and those of the directories a session writes to unless their device is listed already. */
function targetsOf(env: CollectorEnv, mounts: readonly Mount[]): Target[] {
  const targets = new Map<string, Target>();
  for (const mountPoint of env.config.disk_mountpoints) {
    if (!isAbsolute(mountPoint) || targets.has(mountPoint)) continue;
    const role: Role = mountPoint === '/' ? 'root' : mountPoint === '/dev/shm' ? 'shm' : 'configured';
    targets.set(mountPoint, { mountPoint, mount: mountOf(mountPoint, mounts), roles: [role] });
  }
  const written: [Role, string | null][] = [
    ['session', env.sessionDir],
    ['workspace', env.facts.coordinator?.workspaceRoot ?? null],
    ['tmp', temporaryDirectory(env.env)],
  ];
  for (const [role, path] of written) {
    if (path === null || !isAbsolute(path)) continue;
    const mount = mountOf(realOr(path), mounts);
    // A configured path that is no mount point may not even exist; it stands for no device.
    const listed = [...targets.values()].find(
      (target) => target.mount?.mountPoint === target.mountPoint && target.mount.device === mount?.device,
    );
    const mountPoint = mount?.mountPoint ?? '/';
    const known = listed ?? targets.get(mountPoint);
    if (known !== undefined) known.roles.push(role);
    else targets.set(mountPoint, { mountPoint, mount, roles: [role] });
  }
  return [...targets.values()];
}

function describe(use: FileSystemUse, roles: readonly Role[], fsType: string): JsonObject {
  const { totalBytes, freeBytes, availableBytes, inodes, freeInodes } = use;
  // Blocks kept for root count as used, as they are to everybody else.
  const usedBytes = totalBytes - availableBytes;
  const dfUsed = totalBytes - freeBytes;
  const dfTotal = dfUsed + availableBytes;
  return {
    total_gb: roundHalfEven(totalBytes / GIB, 2),
    used_gb: roundHalfEven(usedBytes / GIB, 2),
    free_gb: roundHalfEven(availableBytes / GIB, 2),
    used_pct: percent(usedBytes, totalBytes),
    roles: [...new Set(roles)],
    fs_type: fsType,
    df_used_pct: percent(dfUsed, dfTotal),
    inodes_used_pct: inodes === 0 ? null : percent(inodes - freeInodes, inodes),
  };
}

function percent(part: number, whole: number): number {
  return whole <= 0 ? 0 : roundHalfEven((part / whole) * 100, 2);
}

/** Where programs of this environment put what they need for a while. */
function temporaryDirectory(env: CollectorEnv['env']): string {
  return ['TMPDIR', 'TMP', 'TEMP'].map((name) => env[name] ?? '').find((path) => path !== '') ?? '/tmp';
}
