import { objectOr } from '../../foreign/json.js';
import { defineRule } from '../rule.js';
import { isUnanswered } from '../shared/undecided.js';
import { LATE_BUSINESS } from './budget.js';
import { zombieSymptom } from './state_integrity/coordinator.js';
import { databaseSymptom } from './state_integrity/database.js';
import { leaseSymptoms } from './state_integrity/leases.js';
import { mailboxSymptoms } from './state_integrity/mailboxes.js';
import { stateFileSymptom } from './state_integrity/state-file.js';
import { walSymptom } from './state_integrity/wal.js';

/** When the files, the database or the process that the session depends on are damaged or gone (spec 04 §9). */
export const stateIntegrity = defineRule({
  name: 'state_integrity',
  configSlot: 'state_integrity',
  needs: ['state'],
  symptoms: {
    state_json_corrupt: {
      severities: ['high'],
      subjectKeys: [],
      nature: 'state',
      meaning: 'The session’s state file is unreadable, has lost most of its content, or is gone.',
      action: 'Back up the file, stop the session and check the file system.',
    },
    coordinator_wal_bloat: {
      severities: ['medium', 'high'],
      subjectKeys: [],
      nature: 'state',
      meaning: 'The write-ahead log of the Coordinator’s database keeps growing.',
      action: 'Checkpoint the write-ahead log more often and expect latency.',
    },
    stale_lease: {
      severities: ['medium', 'high'],
      subjectKeys: ['task_id'],
      nature: 'state',
      meaning: 'A dead process still holds a lane; high when the dispatcher has not reaped it for long.',
      action: 'No action: the dispatcher reaps dead holders on each of its ticks.',
      needs: ['leases'],
    },
    inbox_bloat: {
      severities: ['low', 'medium'],
      subjectKeys: ['role', 'kind'],
      nature: 'state',
      meaning: 'The mailbox file of an agent has grown out of proportion.',
      action: 'Roll the log of that agent.',
    },
    coordinator_zombie: {
      severities: ['high'],
      subjectKeys: [],
      nature: 'state',
      meaning: 'The Coordinator’s process is dead although the session has no stop reason.',
      action: 'An operator must restart the session; the run log says how the process ended.',
      needs: ['state', 'leases'],
      explains: [
        {
          row: 14,
          explains: [
            'agent_stall',
            'agent_quiet_work_progressing',
            'stale_lease',
            'conversation_no_progress',
            'budget_overrun',
            'deadline_hard_cutoff',
            'deadline_warning',
            ...LATE_BUSINESS,
            'cold_start_budget_exhausted',
          ],
        },
      ],
    },
    coordinator_db_corrupt: {
      severities: ['high'],
      subjectKeys: [],
      nature: 'state',
      meaning: 'The Coordinator’s database is damaged; two reads agree.',
      action: 'Stop the session before it writes more, copy the database with its WAL, and recover it.',
      explains: [{ row: 27, explains: ['coordinator_db_unreadable', 'coordinator_wal_bloat'] }],
    },
    coordinator_db_unreadable: {
      severities: ['medium'],
      subjectKeys: [],
      nature: 'state',
      meaning: 'The Coordinator’s database has been locked, or is of a foreign schema, for minutes.',
      action: 'Find the process that holds the lock, or check the version of the Coordinator.',
    },
  },
  config: {
    state_wal_bytes_warn_threshold: {
      type: 'integer',
      unit: 'bytes',
      default: 1_073_741_824,
      doc: 'Size of the write-ahead log from which on it is reported.',
    },
    state_wal_bytes_critical_threshold: {
      type: 'integer',
      unit: 'bytes',
      default: 4_294_967_296,
      doc: 'From here on it is high.',
    },
    state_stale_lease_min_age_s: {
      type: 'number',
      unit: 's',
      default: 60,
      doc: 'Younger leases of dead processes are not reported.',
    },
    state_stale_lease_high_after_s: {
      type: 'number',
      unit: 's',
      default: 600,
      doc: 'A holder seen dead for this long is high, because the dispatcher does not reap it.',
    },
    state_inbox_bloat_warn_bytes: {
      type: 'integer',
      unit: 'bytes',
      default: 104_857_600,
      doc: 'Size of a mailbox file from which on it is reported.',
    },
    state_inbox_bloat_critical_bytes: {
      type: 'integer',
      unit: 'bytes',
      default: 524_288_000,
      doc: 'From here on it is medium.',
    },
    state_zombie_quiet_s: {
      type: 'number',
      unit: 's',
      default: 120,
      doc: 'A dead Coordinator is believed when the state file has been untouched for this long.',
    },
  },
  evaluate({ context, snapshot, config }) {
    const integrity = objectOr(snapshot.local_state_integrity);
    const nowUnix = context.now_unix;
    const found = [
      stateFileSymptom(integrity['state_json'], context.now_unix),
      walSymptom(objectOr(integrity['wal']), {
        warn: config.state_wal_bytes_warn_threshold,
        critical: config.state_wal_bytes_critical_threshold,
      }),
      ...leaseSymptoms(integrity['leases'], {
        minAgeS: config.state_stale_lease_min_age_s,
        highAfterS: config.state_stale_lease_high_after_s,
        nowUnix,
      }),
      ...mailboxSymptoms(integrity['agents'], {
        warn: config.state_inbox_bloat_warn_bytes,
        critical: config.state_inbox_bloat_critical_bytes,
      }),
      zombieSymptom(integrity, {
        quietS: config.state_zombie_quiet_s,
        nowUnix,
        leasesKnown: !isUnanswered(['leases'], snapshot),
      }),
      databaseSymptom(integrity, nowUnix),
    ];
    return { symptoms: found.filter((symptom) => symptom !== undefined) };
  },
});
