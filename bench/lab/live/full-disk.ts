import { spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { isAbsolute } from 'node:path';
import { finiteNumber, objectOr } from '../../../src/foreign/json.js';
import type { LabWorld } from '../world/world.js';

const SIZE = 32 * 2 ** 20;
const VIEW = ['--die-with-parent', '--bind', '/', '/', '--dev-bind', '/dev', '/dev'];

/** Why no file system can be filled here; undefined where it can. */
export function whyNoDiskCanBeFilled(): string | undefined {
  const tried = spawnSync('bwrap', [...VIEW, '--size', String(SIZE), '--tmpfs', '/tmp', 'true'], {
    encoding: 'utf8',
  });
  if (tried.status === 0) return undefined;
  return tried.error === undefined ? tried.stderr.trim() : 'bubblewrap is not installed';
}

/**
 * The file systems of the world that lie below the session, as small ones in memory that are really that full: what has to
 * stand before the command of a tick.
 */
export function withFileSystems(world: LabWorld): string[] {
  const mine = Object.entries(objectOr(world.slots.local_disk)).filter(
    ([path]) => isAbsolute(path) && path.startsWith(`${world.sessionDir}/`),
  );
  if (mine.length === 0) return [];
  const mounts = mine.flatMap(([path]) => {
    mkdirSync(path, { recursive: true });
    return ['--size', String(SIZE), '--tmpfs', path];
  });
  // One byte more than fits leaves nothing free.
  const fill = mine.map(([path, use]) => {
    const { used_gb: used, total_gb: total } = objectOr(use);
    const share = (finiteNumber(used) ?? 0) / (finiteNumber(total) ?? 1);
    const bytes = share >= 1 ? SIZE + 1 : Math.round(SIZE * share);
    return `head -c ${bytes} /dev/zero > '${path}/traces.bin' 2>/dev/null`;
  });
  return ['bwrap', ...VIEW, ...mounts, '--', 'sh', '-c', `${fill.join('; ')}; exec "$@"`, 'sh'];
}
