import { finiteNumber, type Json, listOr, objectsOf } from '../../../foreign/json.js';
import { pythonText } from '../../../foreign/python-text.js';
import type { Symptom } from '../../symptom.js';

const BYTES_PER_GIB = 2 ** 30;
const LISTED_NAMES = 10;

/** Shared memory that dead processes have left behind (spec 04 §11). */
export function staleSegments(shm: Json | undefined, minBytes: number): Symptom[] {
  return objectsOf(shm).flatMap((entry): Symptom[] => {
    const bytes = finiteNumber(entry['stale_bytes']);
    if (bytes === undefined || bytes < minBytes) return [];
    const mountpoint = pythonText(entry['mountpoint'] ?? '');
    const names = listOr(entry['names']).map((name) => pythonText(name));
    return [
      {
        name: 'shm_stale_segments',
        severity: 'medium',
        subject: { mountpoint },
        source: 'local',
        summary:
          `${pythonText(entry['stale_count'] ?? 'Some')} segments that no living process maps hold ` +
          `${(bytes / BYTES_PER_GIB).toFixed(1)} GiB in ${mountpoint}`,
        suggestion:
          'Delete the named segments once no run of theirs is left; the next engine start may otherwise fail for space.',
        evidence: {
          mountpoint,
          stale_count: entry['stale_count'] ?? null,
          stale_bytes: bytes,
          names: names.slice(0, LISTED_NAMES),
        },
      },
    ];
  });
}
