import { judgeLive } from '../../selfedit/live/live-guard.js';
import { demandWrite, type Stores, type Workspace } from './workspace.js';

/** What live outcomes say about the current version beside the one before it. */
export function judgeCurrent({ registry, promptId, config }: Workspace, { live }: Stores) {
  const pointer = registry.pointer();
  if (pointer === null || pointer.previous_version === null || pointer.previous_version > pointer.version)
    return null;
  return judgeLive(
    live.outcomes(promptId, pointer.previous_version),
    live.outcomes(promptId, pointer.version),
    config,
  );
}

/** Takes a promotion back that live outcomes speak against (spec 08 §24.10); says why, or null. */
export async function takeBackWhatHarms(space: Workspace, stores: Stores): Promise<string | null> {
  const judgement = judgeCurrent(space, stores);
  const pointer = space.registry.pointer();
  if (judgement?.kind !== 'harm' || pointer?.previous_version == null) return null;
  const { e_value: evidence, outcomes, floor } = judgement;
  const reason = `live outcomes of version ${pointer.version} are below ${(floor * 100).toFixed(0)} %: evidence ${evidence.toFixed(1)} after ${outcomes}`;
  demandWrite(await space.registry.rollback(pointer.previous_version, reason));
  return reason;
}
