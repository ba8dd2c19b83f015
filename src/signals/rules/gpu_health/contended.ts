import { cutCodePoints } from '../../../foreign/hygiene.js';
import { finiteNumber, objectsOf, text } from '../../../foreign/json.js';
import { isTruthy } from '../../../foreign/python-truth.js';
import { roundHalfEven } from '../../../foreign/round.js';
import type { Snapshot } from '../../../sources/snapshot.js';
import type { Symptom } from '../../symptom.js';
import type { Device, Holder } from './device.js';

/** Evaluations in a row before a foreign holder is reported: processes come and go. */
const MIN_EVALUATIONS = 2;
const LISTED_HOLDERS = 5;
const COMMAND_LENGTH = 120;

export interface ContentionInput {
  readonly devices: readonly Device[];
  /** Evaluations in a row with a foreign holder, by GPU. */
  readonly counts: Readonly<Record<string, number>>;
  readonly mayAdvance: boolean;
  readonly minMb: number;
  /** Whether anything of ours runs that foreign work would disturb; undefined: unknown. */
  readonly weRun: boolean | undefined;
}

export interface Contention {
  readonly symptoms: readonly Symptom[];
  readonly counts: Readonly<Record<string, number>>;
  /** A GPU could not be judged. */
  readonly undecided: boolean;
}

/** GPUs on which somebody else computes while we measure (spec 04 §11). */
export function contention({ devices, counts, mayAdvance, minMb, weRun }: ContentionInput): Contention {
  const measured = devices.filter(({ visible, holders }) => visible && holders !== undefined);
  const judged = measured.map(({ id, holders }) => {
    const before = counts[id] ?? 0;
    const foreign = (holders ?? []).filter(
      // What a dead session left behind computes nothing; it is reported as what it is.
      (holder) => holder.sessionOwned === false && !holder.ownerIsDead && holder.vramMb >= minMb,
    );
    if (holders === null || weRun === undefined) return { id, foreign: [], count: before, unknown: true };
    const isContended = weRun && foreign.length > 0;
    const count = isContended ? before + (mayAdvance ? 1 : 0) : 0;
    return { id, foreign: isContended ? foreign : [], count, unknown: false };
  });
  return {
    symptoms: judged
      .filter(({ foreign, count }) => foreign.length > 0 && count >= MIN_EVALUATIONS)
      .map(({ id, foreign }) => contended(id, foreign)),
    counts: Object.fromEntries(judged.filter(({ count }) => count > 0).map(({ id, count }) => [id, count])),
    undecided: judged.some(({ unknown }) => unknown),
  };
}

/** Whether a server or benchmark client of this session runs; undefined when the process list is unknown. */
export function sessionComputes(snapshot: Snapshot, clientPatterns: readonly string[]): boolean | undefined {
  const ours = objectsOf(snapshot.local_processes).some((process) => {
    if (process['session_owned'] !== true) return false;
    const command = text(process['cmd']) ?? '';
    return (
      isTruthy(process['is_server']) ||
      clientPatterns.some((pattern) => pattern !== '' && command.includes(pattern))
    );
  });
  if (ours) return true;
  return snapshot.local_processes_known === true ? false : undefined;
}

/** One neighbour on several GPUs is one cause: both lists name the same process. */
export function shareHolder(explainer: Symptom, explained: Symptom): boolean {
  const pids = new Set(pidsOf(explainer));
  return pidsOf(explained).some((pid) => pids.has(pid));
}

function pidsOf({ evidence }: Symptom): number[] {
  return objectsOf(evidence['holders']).flatMap(({ pid }) => finiteNumber(pid) ?? []);
}

function contended(id: string, foreign: readonly Holder[]): Symptom {
  const total = foreign.reduce((sum, holder) => sum + holder.vramMb, 0);
  return {
    name: 'gpu_contended',
    severity: 'medium',
    subject: { gpu_id: id },
    source: 'local',
    summary:
      `Processes of others hold ${total.toFixed(0)} MiB on GPU ${id} while this session computes on the node: ` +
      'its measurements are not its own',
    suggestion: 'Do not trust measurements taken meanwhile; agree with the owner or move to other GPUs.',
    evidence: {
      gpu_id: id,
      foreign_vram_mb: roundHalfEven(total, 2),
      holders: foreign.slice(0, LISTED_HOLDERS).map(({ pid, vramMb, cmd }) => ({
        pid,
        vram_mb: vramMb,
        cmd: cutCodePoints(cmd, COMMAND_LENGTH),
      })),
    },
  };
}
