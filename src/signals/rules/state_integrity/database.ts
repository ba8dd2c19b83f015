import { finiteNumber, type JsonObject, objectOr } from '../../../foreign/json.js';
import { pythonText } from '../../../foreign/python-text.js';
import type { Symptom } from '../../symptom.js';

/** A database that cannot be read for a shorter time is only busy, s. */
const UNREADABLE_AFTER_S = 300;

/** The Coordinator's database is damaged, or has been unreadable for minutes (spec 04 §11, state_integrity-8). */
export function databaseSymptom(integrity: JsonObject, nowUnix: number): Symptom | undefined {
  const db = objectOr(integrity['db']);
  const path = objectOr(integrity['wal'])['db_path'] ?? null;
  const evidence = {
    db_path: path,
    status: db['status'] ?? null,
    detail: db['detail'] ?? null,
    since_unix: db['since_unix'] ?? null,
  };
  const shownPath = path === null ? 'of the coordinator' : pythonText(path);
  if (db['status'] === 'corrupt') {
    return {
      name: 'coordinator_db_corrupt',
      severity: 'high',
      subject: {},
      source: 'local',
      summary: `The database ${shownPath} is damaged (${pythonText(db['detail'] ?? 'no detail')})`,
      suggestion:
        'Stop the session before it writes more, copy the database with its WAL, and recover it with sqlite3 .recover.',
      evidence,
    };
  }
  const since = finiteNumber(db['since_unix']);
  if (db['status'] !== 'locked' && db['status'] !== 'foreign') return undefined;
  if (since === undefined || nowUnix - since < UNREADABLE_AFTER_S) return undefined;
  return {
    name: 'coordinator_db_unreadable',
    severity: 'medium',
    subject: {},
    source: 'local',
    summary:
      `The database ${shownPath} has been ${db['status'] === 'locked' ? 'locked' : 'of a foreign schema'} for ` +
      `${((nowUnix - since) / 60).toFixed(0)} minutes: events, tasks and leases cannot be seen`,
    suggestion:
      db['status'] === 'locked'
        ? 'Find the process that holds the lock.'
        : 'Check that the session directory belongs to this version of the coordinator.',
    evidence,
  };
}
