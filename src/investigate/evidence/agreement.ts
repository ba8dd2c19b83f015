import type { ErrorType } from '../model/error-type.js';
import type { EvidenceItem } from '../model/evidence.js';
import type { ItemKind } from '../model/receipt.js';
import { kindOf, sharedEntities } from './entities.js';

/** Which error types a state reading can speak for (spec 07 B7.2). */
const TYPES_OF_KIND: Readonly<Record<ItemKind, readonly ErrorType[]>> = {
  vram: ['oom'],
  memory: ['oom'],
  dead_owner: ['oom'],
  disk: ['infra'],
  shm: ['infra'],
  fd: ['infra'],
  thermal: ['infra'],
  server_health: ['network'],
  gateway: ['network', 'config_error'],
  slow: [],
};
/** Entities that tell two things of one kind apart. */
const IDENTIFYING = new Set(['gpu', 'pid', 'mount', 'url']);

type Timed = Pick<EvidenceItem, 'tsUnix'>;
type Placed = Pick<EvidenceItem, 'entities'>;

/** Seconds between two observations; infinite when a time is missing, so that they never agree. */
export function gapOf(a: Timed, b: Timed): number {
  return a.tsUnix === null || b.tsUnix === null ? Number.POSITIVE_INFINITY : Math.abs(a.tsUnix - b.tsUnix);
}

export function kindMatches(kind: ItemKind | null, type: ErrorType): boolean {
  return kind !== null && TYPES_OF_KIND[kind].includes(type);
}

/** True when both name devices, processes, mounts or addresses and none is the same. */
export function namesAnother(a: Placed, b: Placed): boolean {
  const own = a.entities.filter((one) => IDENTIFYING.has(kindOf(one)));
  const other = b.entities.filter((one) => IDENTIFYING.has(kindOf(one)));
  return own.length > 0 && other.length > 0 && sharedEntities(own, other).length === 0;
}

/**
 * The entities on which two items of different classes agree; null when they do not. An empty list: they agree by kind,
 * which needs no shared entity (spec 07 B7.2).
 */
export function agreement(
  a: EvidenceItem,
  b: EvidenceItem,
  type: ErrorType,
  maxGapS: number,
): readonly string[] | null {
  if (a.cls === b.cls || gapOf(a, b) > maxGapS) return null;
  if (a.cls !== 'state' && b.cls !== 'state') {
    const shared = sharedEntities(a.entities, b.entities);
    return shared.length > 0 ? shared : null;
  }
  const [state, other] = a.cls === 'state' ? [a, b] : [b, a];
  return kindMatches(state.kind, type) && !namesAnother(state, other) ? [] : null;
}
