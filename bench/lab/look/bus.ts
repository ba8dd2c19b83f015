import { finiteNumber, type JsonObject, objectOr } from '../../../src/foreign/json.js';
import type { SlotValues } from '../../../src/sources/collector.js';
import { isoStamp } from '../world/stamps.js';
import type { BusMessage } from '../world/types.js';
import type { LabWorld } from '../world/world.js';
import type { Look } from './look.js';

/** Newest rows that a look delivers besides those after the cursor. */
const NEWEST_ROWS = 200;

/** Bus, tasks and leases, as the bus collector reads them from the database (spec 02 §10.3, 04 §14). */
export function lookAtBus(world: LabWorld, memory: JsonObject): Look {
  const cursor = finiteNumber(objectOr(memory['events_cursor'])['seq']) ?? 0;
  const db = dbSince(world, memory);
  if (world.dbStatus !== 'ok') {
    const absent: SlotValues = {
      coordinator_bus: {},
      coordinator_last_seen: {},
      local_task_progress: { running_kinds: [], tasks: [] },
    };
    const said = world.dbStatus === 'foreign' ? 'foreign_schema' : world.dbStatus;
    return {
      slots: {
        ...(world.dbStatus === 'missing' ? absent : { coordinator_bus: { db_status: said } }),
        local_state_integrity: {
          ...(world.dbStatus === 'missing' ? { leases: [] } : {}),
          db: { status: world.dbStatus, detail: world.dbDetail, since_unix: db.since },
        },
      },
      memory: { db: { status: world.dbStatus, since_unix: db.since } },
    };
  }
  const maxSeq = world.bus.at(-1)?.seq ?? 0;
  const arrived = cursor > 0 && cursor <= maxSeq ? maxSeq - cursor : 0;
  const rows = world.bus.slice(-Math.max(NEWEST_ROWS, arrived));
  const leases = leasesOf(world, objectOr(memory['stale_leases']));
  return {
    slots: {
      coordinator_events: rows.map((row) => wireRow(row, world)),
      coordinator_last_seen: lastSeen(world),
      coordinator_bus: { db_status: 'ok', max_seq: maxSeq, event_rows: world.bus.length, dropped_events: 0 },
      local_task_progress: progressOf(world),
      local_state_integrity: {
        leases: leases.rows,
        db: { status: 'ok', detail: '', since_unix: db.since },
      },
    },
    memory: {
      events_cursor: { seq: maxSeq, db_dev_ino: 'lab' },
      stale_leases: leases.firstStale,
      db: { status: 'ok', since_unix: db.since },
    },
  };
}

function dbSince({ dbStatus, now }: LabWorld, memory: JsonObject): { since: number } {
  const before = objectOr(memory['db']);
  const since = finiteNumber(before['since_unix']);
  return { since: before['status'] === dbStatus && since !== undefined ? since : now };
}

function wireRow(message: BusMessage, { tasks }: LabWorld): JsonObject {
  const { seq, from, to, topic, payload, msgId, inReplyTo, at } = message;
  const row: JsonObject = {
    id: seq,
    agent: from,
    topic,
    payload,
    ts: isoStamp(at),
    to_agent: to,
    msg_id: msgId,
    in_reply_to: inReplyTo,
    priority: 1,
  };
  if (topic !== 'delegated_result') return row;
  const task = tasks.findLast(({ id }) => id === payload['task_id']);
  if (task === undefined) return { ...row, task: null, task_params: null };
  const { kind, state, params } = task;
  return { ...row, task: { kind, state, params }, task_params: params };
}

function lastSeen({ bus }: LabWorld): JsonObject {
  const newest = new Map<string, number>();
  for (const { from, at } of bus) newest.set(from, at);
  return Object.fromEntries([...newest].map(([agent, at]) => [agent, isoStamp(at)]));
}

function progressOf(world: LabWorld): JsonObject {
  const running = world.runningTasks();
  const byAgent: Record<string, JsonObject> = {};
  for (const { agent, kind, progressAt } of running) {
    if (progressAt === null) continue;
    const before = byAgent[agent];
    const newest = finiteNumber(before?.['last_progress_unix']) ?? Number.NEGATIVE_INFINITY;
    const oldest = finiteNumber(before?.['oldest_progress_unix']) ?? Number.POSITIVE_INFINITY;
    byAgent[agent] = {
      ...before,
      ...(progressAt > newest ? { last_progress_unix: progressAt, task: kind } : {}),
      ...(progressAt < oldest ? { oldest_progress_unix: progressAt, oldest_task: kind } : {}),
    };
  }
  return {
    running: running.length,
    ...(Object.keys(byAgent).length > 0 ? { by_agent: byAgent } : {}),
    running_kinds: [...new Set(running.map(({ kind }) => kind))],
    tasks: running.map(({ id, kind, agent, label, startedAt, progressAt }) => ({
      task_id: id,
      kind,
      agent: progressAt === null ? null : agent,
      label,
      started_unix: startedAt,
      last_progress_unix: progressAt,
    })),
  };
}

function leasesOf(world: LabWorld, before: JsonObject): { rows: JsonObject[]; firstStale: JsonObject } {
  const firstStale: Record<string, number> = {};
  const rows = world.leases.map((lease): JsonObject => {
    const key = `${lease.taskId}\u001f${lease.holder}`;
    const since = lease.alive === false ? (finiteNumber(before[key]) ?? world.now) : null;
    if (since !== null) firstStale[key] = since;
    return {
      task_id: lease.taskId,
      holder_pid: lease.pid,
      lane: lease.lanes[0] ?? '',
      lanes: [...lease.lanes],
      acquired_at: isoStamp(lease.acquiredAt),
      alive: lease.alive,
      holder_id: lease.holder,
      action: lease.action,
      expires_at: isoStamp(lease.expiresAt),
      heartbeat_at: isoStamp(lease.acquiredAt),
      expired: lease.expiresAt < world.now,
      first_stale_unix: since,
    };
  });
  return { rows, firstStale };
}
