import { type JsonObject, objectOr, objectsOf, text } from '../../../foreign/json.js';
import { pythonText } from '../../../foreign/python-text.js';
import type { Snapshot } from '../../../sources/snapshot.js';
import type { Symptom } from '../../symptom.js';
import type { Device } from './device.js';

/** GPUs that the tools or the kernel have given up (spec 04 §11), and `missing` ones that are listed no more. */
export function lostGpus(
  devices: readonly Device[],
  missing: readonly string[],
  snapshot: Snapshot,
): Symptom[] {
  const tool = objectOr(snapshot.local_gpu)['tool'] ?? null;
  const reported = devices.filter(
    ({ entry }) => entry['error_kind'] === 'lost' || entry['error_kind'] === 'reset_required',
  );
  const known = new Set(reported.flatMap(({ entry }) => text(entry['pci'])?.toLowerCase() ?? []));
  const offBus = objectsOf(objectOr(snapshot.local_kernel)['gpu_off_bus']).filter(
    (entry) => entry['new'] === true && !known.has(pythonText(entry['bus_id']).toLowerCase()),
  );
  return [
    ...reported.map(({ id, entry }) =>
      lost(id, {
        gpu_id: entry['gpu_id'] ?? null,
        error_kind: entry['error_kind'],
        error: entry['error'] ?? null,
        tool,
      }),
    ),
    ...missing.map((id) => lost(id, { gpu_id: id, error_kind: 'missing', error: null, tool })),
    ...offBus.map((entry) => {
      const id = pythonText(entry['bus_id']);
      return lost(id, { gpu_id: id, error_kind: 'off_bus', error: null, tool });
    }),
  ];
}

function lost(id: string, evidence: JsonObject): Symptom {
  return {
    name: 'gpu_lost',
    severity: 'high',
    subject: { gpu_id: id },
    source: 'local',
    summary: `GPU ${id} is gone (${pythonText(evidence['error_kind'])}): nothing can run on it until it is reset`,
    suggestion:
      'Stop what uses the node, then reset the GPU or reboot. Resetting one MI300-class GPU resets its whole hive, ' +
      'so every process on the others dies with it.',
    evidence,
  };
}
