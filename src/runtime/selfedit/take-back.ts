import { judgeLive } from '../../selfedit/live/live-guard.js';
import type { Pointer } from '../../selfedit/registry/version-meta.js';
import { breaksContract } from '../../selfedit/scorers/contract.js';
import { demandWrite, type Stores, type Workspace } from './workspace.js';

const LATEST = 20;
const MOST_BROKEN = 3;

/** A promotion that can be taken back: the pointer, with the version before it. */
type Promotion = Pointer & { readonly previous_version: number };

function promotionOf({ registry }: Workspace): Promotion | null {
  const pointer = registry.pointer();
  if (pointer === null) return null;
  // After a rollback the pointer's version before is the one that was taken back: then it is the parent.
  const before = [pointer.previous_version, registry.meta(pointer.version)?.parent_version].find(
    (version) => typeof version === 'number' && version < pointer.version,
  );
  return typeof before === 'number' ? { ...pointer, previous_version: before } : null;
}

/** What live outcomes say about the current version beside the one before it; null without a promotion. */
export function judgeCurrent(space: Workspace, { live }: Stores) {
  const promotion = promotionOf(space);
  if (promotion === null) return null;
  const { promptId, config } = space;
  return judgeLive(
    live.outcomes(promptId, promotion.previous_version),
    live.outcomes(promptId, promotion.version),
    config,
  );
}

/** Takes a promotion back that its outcomes, its answers or its own text speak against (spec 08 §24.10); why, or null. */
export async function takeBackWhatHarms(space: Workspace, stores: Stores): Promise<string | null> {
  const promotion = promotionOf(space);
  const reason = promotion === null ? null : reasonAgainst(promotion, space, stores);
  if (promotion === null || reason === null) return null;
  const { version, previous_version } = promotion;
  const outcome = await space.registry.rollback(previous_version, reason, version);
  // Somebody else has moved the pointer meanwhile: what was judged is not in force any more.
  if (!outcome.ok && outcome.problem === 'stale_base') return null;
  demandWrite(outcome);
  return reason;
}

function reasonAgainst({ version }: Promotion, space: Workspace, stores: Stores): string | null {
  if (space.registry.current() === null)
    return `the text of version ${version} is not the one that was promoted`;
  const answers = stores.traces.latestAnswers(space.promptId, version, LATEST);
  const broken = answers.filter((answer) => breaksContract(space.promptId, answer)).length;
  if (broken >= MOST_BROKEN)
    return `${broken} of the last ${answers.length} answers of version ${version} have not the form they need`;
  const judgement = judgeCurrent(space, stores);
  if (judgement?.kind !== 'harm') return null;
  const { e_value: evidence, outcomes, floor } = judgement;
  return `live outcomes of version ${version} are below ${(floor * 100).toFixed(0)} %: evidence ${evidence.toFixed(1)} after ${outcomes}`;
}

/** What people are told when outcomes took a version back; empty when they did not. */
export function takenLine(taken: string | null): string {
  return taken === null ? '' : `rolled back: ${taken}\n`;
}
