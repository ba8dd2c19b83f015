import { groupBy } from '../../../foreign/group-by.js';
import { finiteNumber, integer, type Json, type JsonObject, objectsOf } from '../../../foreign/json.js';
import { pythonText } from '../../../foreign/python-text.js';
import type { Symptom } from '../../symptom.js';

const LISTED_PIDS = 10;

/**
 * Processes that the kernel has killed for memory since the last look. Those known to be somebody else's are left out: by
 * the collector's mark, or because the process list still shows the pid as foreign (spec 04 §11).
 */
export function oomKills(kills: Json | undefined, processes: Json): Symptom[] {
  const foreignPids = new Set(
    objectsOf(processes)
      .filter((process) => process['session_owned'] === false)
      .flatMap((process) => integer(process['pid']) ?? []),
  );
  const ours = objectsOf(kills).filter((kill) => {
    const pid = integer(kill['pid']);
    return (
      kill['new'] === true && kill['session_owned'] !== false && !(pid !== undefined && foreignPids.has(pid))
    );
  });
  return [...groupBy(ours, (kill) => pythonText(kill['process'] ?? 'unknown'))].map(([process, group]) =>
    killed(process, group),
  );
}

function killed(process: string, kills: readonly JsonObject[]): Symptom {
  const pids = kills.flatMap((kill) => integer(kill['pid']) ?? []);
  const times = kills.flatMap((kill) => finiteNumber(kill['last_unix']) ?? []);
  const constraint = kills.at(-1)?.['constraint'] ?? null;
  const limit = constraint === 'memcg' ? 'the memory limit of its container' : 'the memory of the host';
  return {
    name: 'host_oom_kill',
    severity: 'high',
    subject: { process },
    source: 'local',
    summary: `The kernel killed ${process} ${kills.length === 1 ? 'once' : `${kills.length} times`} because ${limit} was exhausted`,
    suggestion:
      constraint === 'memcg'
        ? 'Raise the memory limit of the container or start fewer workers; a restart alone dies the same way.'
        : 'Find what fills the host memory (page cache pins, /dev/shm, workers) before anything is restarted.',
    evidence: {
      process,
      count: kills.length,
      pids: pids.slice(0, LISTED_PIDS),
      constraint,
      last_unix: times.length > 0 ? Math.max(...times) : null,
    },
  };
}
