import {
  finiteNumber,
  isObject,
  type Json,
  type JsonObject,
  nonBlank,
  objectOr,
  objectsOf,
} from '../../../foreign/json.js';
import { pythonText } from '../../../foreign/python-text.js';
import type { Snapshot } from '../../../sources/snapshot.js';

/** A process that holds GPU memory. */
export interface Holder {
  readonly pid: number;
  readonly vramMb: number;
  readonly cmd: string;
  /** Null: unknown. */
  readonly sessionOwned: boolean | null;
  /** Session directory that it names as its own. */
  readonly ownerSession: string | undefined;
  /** True only when that session is known to be over. */
  readonly ownerIsDead: boolean;
}

export interface Device {
  readonly id: string;
  readonly entry: JsonObject;
  readonly visible: boolean;
  /** Null: unknown; undefined: not measured by this source (spec 03 G-13). */
  readonly holders: readonly Holder[] | null | undefined;
}

/** The GPUs of the snapshot; one without an id goes by its place in the list. */
export function readDevices(snapshot: Snapshot): Device[] {
  return objectsOf(objectOr(snapshot.local_gpu)['gpus']).map((entry, index) => ({
    id:
      entry['gpu_id'] === undefined || entry['gpu_id'] === null ? String(index) : pythonText(entry['gpu_id']),
    entry,
    visible: entry['visible'] !== false,
    holders: readHolders(entry['holders']),
  }));
}

function readHolders(value: Json | undefined): readonly Holder[] | null | undefined {
  if (value === undefined) return undefined;
  if (!Array.isArray(value)) return null;
  return value.filter(isObject).flatMap((holder) => {
    const pid = finiteNumber(holder['pid']);
    if (pid === undefined) return [];
    return [
      {
        pid,
        vramMb: finiteNumber(holder['vram_mb']) ?? 0,
        cmd: nonBlank(holder['cmd']) ?? '',
        sessionOwned: typeof holder['session_owned'] === 'boolean' ? holder['session_owned'] : null,
        ownerSession: nonBlank(holder['owner_session']),
        ownerIsDead: holder['owner_session_alive'] === false,
      },
    ];
  });
}
