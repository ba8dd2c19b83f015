import { objectOr } from '../../foreign/json.js';
import type { Snapshot } from '../../sources/snapshot.js';
import { defineRule } from '../rule.js';
import { sameSubject } from '../shared/explain.js';
import { logNumberIn } from '../shared/log-patterns.js';
import { silentNfsServers } from './host_health/nfs.js';
import { oomKills } from './host_health/oom-kills.js';
import { staleSegments } from './host_health/shared-memory.js';

/** When the host itself fails under the session: memory, shared memory, network file systems (spec 04 §11). */
export const hostHealth = defineRule({
  name: 'host_health',
  configSlot: 'host_health',
  needs: [],
  symptoms: {
    shm_stale_segments: {
      severities: ['medium'],
      subjectKeys: ['mountpoint'],
      nature: 'state',
      meaning: 'Shared memory of dead processes fills /dev/shm.',
      action: 'Delete the named segments once no run of theirs is left.',
      needs: ['disk'],
      explains: [{ row: 24, explains: ['shm_pressure'], when: sameSubject('mountpoint') }],
    },
    nfs_server_unresponsive: {
      severities: ['high'],
      subjectKeys: ['server'],
      nature: 'state',
      meaning: 'The kernel waits for an NFS server; whatever touches its mounts hangs.',
      action: 'Check the server and the network to it.',
      explains: [
        {
          row: 22,
          explains: ['wekafs_degraded'],
          when: (_explainer, { evidence }) =>
            evidence['error'] === 'timeout' || evidence['warn_ms'] !== undefined,
        },
      ],
    },
    host_oom_kill: {
      severities: ['high'],
      subjectKeys: ['process'],
      nature: 'event',
      meaning: 'The kernel killed a process of this session, or of unknown ownership, for lack of memory.',
      action: 'Raise the limit or lower the need before anything is restarted.',
      explains: [
        { row: 2, explains: ['log_error_pattern:root'], when: logNumberIn(24, 36, 37) },
        {
          row: 2,
          explains: ['log_error_pattern:confirmation', 'log_error_pattern:cascade', 'engine_hang'],
        },
        { row: 2, explains: ['local_server_unreachable'], destructive: 'kept' },
      ],
    },
  },
  config: {
    shm_stale_min_bytes: {
      type: 'integer',
      unit: 'bytes',
      default: 1_073_741_824,
      doc: 'Shared memory left by dead processes from which on it is reported.',
    },
  },
  evaluate({ context, snapshot, config }) {
    const kernel = objectOr(snapshot.local_kernel);
    return {
      symptoms: [
        ...staleSegments(snapshot.local_shm, config.shm_stale_min_bytes),
        ...silentNfsServers(kernel['nfs'], context.now_unix),
        ...oomKills(kernel['oom_kills'], snapshot.local_processes),
      ],
      undecided: undecidedOf(snapshot),
    };
  },
});

/** Null is a look that failed; the kernel log has no collector report of its own (spec 03 G-13). */
function undecidedOf({ local_shm: shm, local_kernel: kernel }: Snapshot): string[] {
  return [
    ...(shm === null ? ['shm_stale_segments'] : []),
    ...(kernel === null ? ['nfs_server_unresponsive', 'host_oom_kill'] : []),
  ];
}
