import type { Scenario } from '../../scenario.js';
import { runningEngine, STEADY, someMinute } from '../parts.js';

/** The Coordinator's database, broken in every way in which it has been. */
export const databaseFaults: readonly Scenario[] = [
  {
    name: 'database-corrupt',
    kind: 'faulty',
    story: 'The database of the Coordinator is malformed.',
    hours: 3,
    life: STEADY,
    unseen: { coordinator_db_corrupt: 'rowid 88 missing from index idx_events_topic' },
    isLive: true,
    plan: (lab) => {
      runningEngine(lab);
      const from = someMinute(lab);
      lab.at(from, () => {
        lab.world.dbStatus = 'corrupt';
        lab.world.dbDetail = 'rowid 88 missing from index idx_events_topic';
      });
      lab.fault({
        cause: 'pages were lost on a network file system',
        from,
        right: ['coordinator_db_corrupt'],
        severity: 'high',
      });
    },
  },
  {
    name: 'database-locked-for-good',
    kind: 'faulty',
    story: 'Somebody holds an exclusive lock on the database for an hour.',
    hours: 3.5,
    life: STEADY,
    unseen: { coordinator_db_unreadable: 'SQLITE_BUSY_SNAPSHOT: held by rsync' },
    isLive: true,
    plan: (lab) => {
      runningEngine(lab);
      const from = someMinute(lab);
      lab.at(from, () => {
        lab.world.dbStatus = 'locked';
        lab.world.dbDetail = 'SQLITE_BUSY_SNAPSHOT: held by rsync';
      });
      lab.at(from + 60, () => {
        lab.world.dbStatus = 'ok';
      });
      lab.fault({
        cause: 'a copy job holds a lock',
        from,
        until: from + 60,
        visibleAfter: 5,
        right: ['coordinator_db_unreadable'],
      });
    },
  },
  {
    name: 'database-of-another-version',
    kind: 'faulty',
    story: 'A resume by an older release replaces the database by one with other tables.',
    hours: 3,
    life: STEADY,
    isLive: true,
    plan: (lab) => {
      runningEngine(lab);
      const from = someMinute(lab);
      lab.at(from, () => {
        lab.world.dbStatus = 'foreign';
        lab.world.dbDetail = 'no table events';
      });
      lab.fault({
        cause: 'two releases work on one session',
        from,
        visibleAfter: 5,
        right: ['coordinator_db_unreadable'],
      });
    },
  },
  {
    name: 'session-files-vanish',
    kind: 'faulty',
    story:
      'The pod was recycled: state file and database of a session hours old are gone, the agents talk on.',
    hours: 3,
    life: STEADY,
    isLive: true,
    plan: (lab) => {
      runningEngine(lab);
      const from = someMinute(lab);
      lab.at(from, () => {
        lab.life.writesState = false;
        lab.world.state.valid = false;
        lab.world.state.error = 'missing';
        lab.world.dbStatus = 'missing';
      });
      lab.fault({
        cause: 'the session lay on storage that went with its pod',
        from,
        visibleAfter: 10,
        right: ['state_json_corrupt', 'coordinator_db_unreadable', 'coordinator_db_corrupt'],
      });
    },
  },
];
