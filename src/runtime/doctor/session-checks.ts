import { finiteNumber, isObject, objectOr, objectsOf, text } from '../../foreign/json.js';
import { unixSeconds } from '../../foreign/timestamps.js';
import { driverTrouble } from '../../sources/bus/sqlite-driver.js';
import { type CollectorReport, collectorReports, type Snapshot } from '../../sources/snapshot.js';
import { utc } from '../findings/format.js';
import { type Check, fail, info, ok, warn } from './check.js';

/** A stamp further ahead of our clock than this, s, shows that one of the clocks is wrong. */
const FUTURE_TOLERANCE_S = 300;

const DATABASE_ADVICE: Readonly<Record<string, string>> = {
  missing: 'name the session directory that holds storage/coordinator.db; without it the bus is not seen',
  empty: 'the Coordinator has not written yet; look again after its first turn',
  foreign_schema: 'this is not the database of a Coordinator; check the session directory',
  locked: 'somebody holds an exclusive lock: `fuser storage/coordinator.db` names the process',
  corrupt: 'run `sqlite3 storage/coordinator.db "PRAGMA integrity_check"` on a copy',
  unreadable: 'give this user read access to the file and its directory',
};

/** What the database says of itself (spec 02 §10.3). */
export function databaseCheck(snapshot: Snapshot): Check {
  const bus = objectOr(snapshot.coordinator_bus);
  const status = text(bus['db_status']);
  const report = collectorReports(snapshot).events;
  if (status === 'ok') {
    const rows = finiteNumber(bus['event_rows']) ?? 0;
    return ok(
      'database',
      `readable beside its writer, up to ${rows} events, newest ${bus['max_seq'] ?? 'none'}`,
    );
  }
  const detail = report?.detail ?? '';
  if (status === undefined)
    return warn('database', `not judged: ${detail || (report?.reason ?? 'no answer')}`);
  const advice = driverTrouble() === undefined ? DATABASE_ADVICE[status] : 'see sqlite, above';
  const found = detail === '' ? status : `${status}: ${detail}`;
  return status === 'missing' || status === 'empty'
    ? warn('database', found, advice)
    : fail('database', found, advice);
}

/** Whether `state.json` can be read. */
export function stateCheck(snapshot: Snapshot): Check {
  const state = objectOr(objectOr(snapshot.local_state_integrity)['state_json']);
  if (Object.keys(state).length === 0)
    return warn('state', 'state.json is missing', 'the standalone loop needs it');
  if (state['valid'] === false) {
    return fail(
      'state',
      `state.json is broken: ${text(state['error']) ?? ''}`,
      'restore it from checkpoints/',
    );
  }
  return ok('state', 'state.json is readable');
}

/** Whether our clock and the Coordinator's agree. */
export function clockCheck(snapshot: Snapshot, nowUnix: number): Check {
  const stamps = objectsOf(snapshot.coordinator_events).flatMap((row) => unixSeconds(row['ts']) ?? []);
  const newest = stamps.length > 0 ? Math.max(...stamps) : undefined;
  if (newest === undefined) return info('clock', `${utc(nowUnix)}; nothing to compare it with`);
  const ahead = newest - nowUnix;
  if (ahead > FUTURE_TOLERANCE_S) {
    return fail(
      'clock',
      `the newest event is ${Math.round(ahead)} s in the future`,
      'synchronise the clocks of both hosts; silences and stalls are judged by time',
    );
  }
  return ok('clock', `${utc(nowUnix)}, newest event ${Math.round(-ahead)} s ago`);
}

const REASON_ADVICE: Readonly<Record<string, string>> = {
  permission: 'run as the user of the session, or give this user read access',
  other_host: 'the session runs on another host; run the agent there to see its processes',
  deadline: 'it took longer than its limit; see docs/configuration.md for the limits',
  bad_output: 'the tool printed something unknown; please report its version and output',
  exit_nonzero: 'run the tool by hand and see what it says',
};

/** One line per collector: what could be seen in one look. */
export function collectorChecks(snapshot: Snapshot): Check[] {
  return Object.entries(collectorReports(snapshot)).map(([name, report]) => collectorCheck(name, report));
}

function collectorCheck(name: string, { status, reason, detail, ms }: CollectorReport): Check {
  const found = [`${status}`, reason, detail].filter((part) => part !== '').join(', ');
  const timed = `${found} (${ms} ms)`;
  const advice = REASON_ADVICE[reason];
  if (status === 'ok') return ok(`look: ${name}`, timed);
  if (status === 'error' || status === 'timeout') return warn(`look: ${name}`, timed, advice);
  return info(`look: ${name}`, timed, advice);
}

/** Whether the snapshot was degraded as a whole. */
export function degradedCheck(snapshot: Snapshot): Check[] {
  if (snapshot.degraded_reason === null) return [];
  return [warn('sources', snapshot.degraded_reason)];
}

/** The Coordinator's process, as far as it was identified. */
export function coordinatorCheck(snapshot: Snapshot): Check {
  const coordinator = objectOr(snapshot.local_state_integrity)['coordinator'];
  const pid = isObject(coordinator) ? finiteNumber(coordinator['pid']) : undefined;
  if (pid === undefined)
    return info('coordinator', 'no living process identified', 'normal before the start and after the end');
  return ok('coordinator', `process ${pid}`);
}
