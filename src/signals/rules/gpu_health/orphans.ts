import { groupBy } from '../../../foreign/group-by.js';
import { cutCodePoints } from '../../../foreign/hygiene.js';
import { roundHalfEven } from '../../../foreign/round.js';
import type { ReactorContext } from '../../../reactor/context.js';
import type { Symptom } from '../../symptom.js';
import type { Device, Holder } from './device.js';

const COMMAND_LENGTH = 120;

/** Processes that a session which is over has left on the GPUs (spec 04 §11). */
export function orphanHolders(devices: readonly Device[], context: ReactorContext, minMb: number): Symptom[] {
  const held = devices.flatMap(({ id, holders }) =>
    (holders ?? []).filter((holder) => isOrphan(holder, context, minMb)).map((holder) => ({ id, holder })),
  );
  return [...groupBy(held, ({ holder }) => holder.pid)].map(([pid, places]) => {
    const gpuIds = places.map(({ id }) => id);
    const total = places.reduce((sum, { holder }) => sum + holder.vramMb, 0);
    const [first] = places;
    return {
      name: 'gpu_orphan_holder',
      severity: 'medium',
      subject: { pid: String(pid) },
      source: 'local',
      summary: `Process ${pid} of a session that is over still holds ${total.toFixed(0)} MiB on GPU ${gpuIds.join(', ')}`,
      suggestion: `End process ${pid} once its owner agrees; nothing else on this host needs to be touched.`,
      evidence: {
        pid,
        cmd: cutCodePoints(first?.holder.cmd ?? '', COMMAND_LENGTH),
        gpu_ids: gpuIds,
        vram_mb: roundHalfEven(total, 2),
        owner_session: first?.holder.ownerSession ?? null,
      },
    };
  });
}

function isOrphan(holder: Holder, { session_dir: ours }: ReactorContext, minMb: number): boolean {
  if (holder.ownerSession === undefined || !holder.ownerIsDead || holder.sessionOwned === true) return false;
  return withoutSlash(holder.ownerSession) !== withoutSlash(ours) && holder.vramMb >= minMb;
}

function withoutSlash(path: string): string {
  return path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path;
}
