import { finiteNumber, type Json, objectsOf } from '../../../foreign/json.js';
import { pythonText } from '../../../foreign/python-text.js';
import type { Symptom } from '../../symptom.js';

/** A server that recovers sooner is only slow, s. */
const MIN_SILENCE_S = 60;

/** NFS servers that the kernel waits for (spec 04 §11). */
export function silentNfsServers(servers: Json | undefined, nowUnix: number): Symptom[] {
  return objectsOf(servers).flatMap((entry): Symptom[] => {
    const outstanding = finiteNumber(entry['outstanding']);
    const since = finiteNumber(entry['since_unix']);
    if (outstanding === undefined || outstanding < 1) return [];
    if (since === undefined || nowUnix - since < MIN_SILENCE_S) return [];
    const server = pythonText(entry['server'] ?? '');
    return [
      {
        name: 'nfs_server_unresponsive',
        severity: 'high',
        subject: { server },
        source: 'local',
        summary:
          `The NFS server ${server} has not answered for ${(nowUnix - since).toFixed(0)} s ` +
          `(${outstanding} complaints of the kernel since its last OK): whatever touches its mounts hangs`,
        suggestion:
          'Check the server and the network to it; hung processes go on by themselves when it returns.',
        evidence: { server, outstanding, since_unix: since },
      },
    ];
  });
}
