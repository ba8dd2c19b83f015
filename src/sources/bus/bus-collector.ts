import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { finiteNumber, type JsonObject, objectOr, text } from '../../foreign/json.js';
import type { Collector, CollectorAnswer, CollectorEnv, CollectorVerdict, SlotValues } from '../collector.js';
import { isOtherHost, readOptimizerLock } from '../session/optimizer-lock.js';
import { monotonicMs } from '../tools/clock.js';
import { abortSignal, type Stop } from '../tools/stop.js';
import {
  asUnix,
  lastByAgent,
  lastRecoverSeq,
  oldestOpenProposal,
  parseBusMemory,
  rowOf,
} from './bus-facts.js';
import { Schema } from './columns.js';
import { type DbFailure, failureOf, integrityStatus, verdictOf } from './db-status.js';
import { parseCursor, readEvents } from './events.js';
import { parseFirstStale, readGpuLeases, readLeases } from './leases.js';
import { openDatabase } from './open-database.js';
import type { Sqlite } from './sqlite-driver.js';
import { readCursorLag, readQueuedTasks, readTaskProgress } from './tasks.js';

/** Waiting for locks, all attempts together, ms. */
const LOCK_WAIT_MS = 2000;
const LOCK_POLL_MS = 50;
/** Time between the two readings that must both fail before a database is called corrupt, ms. */
const CORRUPT_RECHECK_MS = 200;

/** Bus, tasks and leases: one connection and one read transaction on the Coordinator's database (spec 02 §10.3). */
export const busCollector: Collector = {
  names: ['events', 'tasks', 'leases'],
  hostBound: false,
  needsSession: true,
  needs: [],
  budgetMs: () => 4000,
  whenUnknown: {
    coordinator_events: [],
    coordinator_last_seen: null,
    coordinator_bus: null,
    local_task_progress: { running_kinds: null, tasks: null },
    local_state_integrity: { db: null },
  },
  collect,
};

type Reading =
  | { readonly ok: true; readonly answer: CollectorAnswer }
  | { readonly ok: false; readonly failure: DbFailure };

async function collect(env: CollectorEnv, signal: Stop): Promise<CollectorAnswer> {
  const sessionDir = env.sessionDir ?? '';
  const path = join(sessionDir, 'storage', 'coordinator.db');
  const reading = await readPatiently(() => readOnce(path, sessionDir, env), signal);
  return reading.ok ? reading.answer : failedAnswer(reading.failure, env);
}

/** Repeats a reading that meets a lock, and once one that finds corruption. */
async function readPatiently(read: () => Reading, signal: Stop): Promise<Reading> {
  const giveUpAt = monotonicMs() + LOCK_WAIT_MS;
  let corruptReadings = 0;
  for (;;) {
    const reading = read();
    if (reading.ok) return reading;
    const { status } = reading.failure;
    if (status === 'corrupt') corruptReadings += 1;
    const mayRetry =
      status === 'corrupt' ? corruptReadings < 2 : status === 'locked' && monotonicMs() < giveUpAt;
    if (!mayRetry) return reading;
    await delay(status === 'corrupt' ? CORRUPT_RECHECK_MS : LOCK_POLL_MS, undefined, {
      signal: abortSignal(signal),
    });
  }
}

function readOnce(path: string, sessionDir: string, env: CollectorEnv): Reading {
  const opened = openDatabase(path, sessionDir);
  if (!opened.ok) return opened;
  try {
    // One transaction gives one consistent view, whatever is committed meanwhile.
    opened.db.exec('BEGIN');
    return readAll(opened.db, opened.devIno, sessionDir, env);
  } catch (error) {
    return { ok: false, failure: failureOf(error) };
  } finally {
    opened.db.close();
  }
}

function readAll(db: Sqlite, devIno: string, sessionDir: string, env: CollectorEnv): Reading {
  const schema = new Schema(db);
  if (schema.isBlank()) return { ok: false, failure: { status: 'empty', detail: 'no table yet' } };
  if (!schema.has('events'))
    return { ok: false, failure: { status: 'foreign_schema', detail: 'no table events' } };

  const { memory, config, nowUnix } = env;
  const window = readEvents(
    db,
    schema,
    config.coordinator_event_limit,
    parseCursor(memory['events_cursor']),
    devIno,
  );
  const { maxSeq, minSeq, seenUpTo } = window;
  const busMemory = parseBusMemory(memory['bus']);
  const last = maxSeq === null ? {} : lastByAgent(db, schema, maxSeq, seenUpTo, busMemory);
  const recoverSeq = schema.hasColumn('events', 'payload') ? lastRecoverSeq(db, seenUpTo, busMemory) : null;
  const leases = schema.has('leases') ? readLeases(db, schema, leaseView(env, sessionDir)) : null;
  const hasTasks = schema.has('tasks');

  return {
    ok: true,
    answer: {
      verdicts: {
        events: { status: window.rows.length === 0 ? 'empty' : 'ok' },
        tasks: tableVerdict(hasTasks, 'tasks'),
        leases: tableVerdict(leases !== null, 'leases'),
      },
      slots: {
        coordinator_events: window.rows,
        coordinator_last_seen: Object.fromEntries(Object.entries(last).map(([agent, { ts }]) => [agent, ts])),
        coordinator_bus: {
          db_status: 'ok',
          max_seq: maxSeq,
          event_rows: maxSeq === null || minSeq === null ? 0 : maxSeq - minSeq + 1,
          dropped_events: window.dropped,
          last_by_agent: asUnix(last),
          last_recover: rowOf(db, schema, recoverSeq),
          oldest_open_proposal: oldestOpenProposal(db, schema),
          cursor_lag: schema.has('cursors') ? readCursorLag(db, maxSeq) : {},
          gpu_leases: schema.has('gpu_leases') ? readGpuLeases(db, schema, nowUnix) : [],
          queued_tasks: hasTasks ? readQueuedTasks(db, schema, leases?.heldLanes ?? new Set()) : [],
        },
        ...(hasTasks ? { local_task_progress: readTaskProgress(db, schema, nowUnix) } : {}),
        ...integritySlot(env, leases?.leases ?? null, 'ok', ''),
      },
      memory: {
        events_cursor: { seq: maxSeq ?? 0, db_dev_ino: devIno },
        bus: { last_by_agent: last, last_recover_seq: recoverSeq },
        stale_leases: leases?.firstStale ?? {},
        db: dbMemory(env, 'ok'),
      },
    },
  };
}

function leaseView(env: CollectorEnv, sessionDir: string) {
  const holderHost = readOptimizerLock(sessionDir)?.hostname ?? '';
  return {
    nowUnix: env.nowUnix,
    procRoot: env.procRoot,
    canTestPids: !env.config.disable_local_probe && !isOtherHost(holderHost),
    firstStale: parseFirstStale(env.memory),
  };
}

function tableVerdict(isThere: boolean, table: string): CollectorVerdict {
  return isThere
    ? { status: 'ok' }
    : { status: 'error', reason: 'foreign_schema', detail: `no table ${table}` };
}

function failedAnswer(failure: DbFailure, env: CollectorEnv): CollectorAnswer {
  const verdict = verdictOf(failure);
  // A session that has no database yet has no bus, no task and no lease; that is known.
  const isAbsent = failure.status === 'missing' || failure.status === 'empty';
  const nothing: SlotValues = {
    coordinator_last_seen: {},
    local_task_progress: { running_kinds: [], tasks: [] },
  };
  return {
    verdicts: { events: verdict, tasks: verdict, leases: verdict },
    slots: {
      coordinator_bus: failure.status === 'missing' ? {} : { db_status: failure.status },
      ...(isAbsent ? nothing : {}),
      ...integritySlot(env, isAbsent ? [] : null, integrityStatus(failure.status), failure.detail),
    },
    memory: { db: dbMemory(env, integrityStatus(failure.status)) },
  };
}

function integritySlot(
  env: CollectorEnv,
  leases: readonly JsonObject[] | null,
  status: string,
  detail: string,
): SlotValues {
  if (!env.config.state_integrity_enabled) return {};
  const { since_unix } = dbMemory(env, status);
  return {
    local_state_integrity: { ...(leases === null ? {} : { leases }), db: { status, detail, since_unix } },
  };
}

/** Since when the database has had this status. */
function dbMemory(env: CollectorEnv, status: string): { status: string; since_unix: number } {
  const before = objectOr(env.memory['db']);
  const since = finiteNumber(before['since_unix']);
  const isSame = text(before['status']) === status && since !== undefined && since <= env.nowUnix;
  return { status, since_unix: isSame ? since : env.nowUnix };
}
