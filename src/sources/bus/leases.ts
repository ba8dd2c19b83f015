import { finiteNumber, type JsonObject, objectOr } from '../../foreign/json.js';
import { compareCodePoints } from '../../foreign/order.js';
import { unixSeconds, usableUnixSeconds } from '../../foreign/timestamps.js';
import { livenessOf } from '../liveness.js';
import { asRows, cellInteger, cellText, cutText, type Row } from './cells.js';
import type { Schema } from './columns.js';
import type { Sqlite } from './sqlite-driver.js';

const MAX_LEASES = 256;
const MAX_GPU_LEASES = 64;
const TEXT_LENGTH = 200;

export interface LeaseView {
  readonly nowUnix: number;
  readonly procRoot: string;
  /** False when the holders' pids belong to another host, or must not be looked at. */
  readonly canTestPids: boolean;
  /** `sources.stale_leases`: when each lease's holder was first seen dead, unix s by `task_id` and `holder_id`. */
  readonly firstStale: JsonObject;
}

export interface LeaseAnswer {
  readonly leases: readonly JsonObject[];
  /** New value of `sources.stale_leases`. */
  readonly firstStale: JsonObject;
  readonly heldLanes: ReadonlySet<string>;
}

/** Leases, one per task and holder with its lanes in a list; who holds them and whether that process lives (spec 02 §10.6). */
export function readLeases(db: Sqlite, schema: Schema, view: LeaseView): LeaseAnswer {
  const pidColumn = schema.hasColumn('leases', 'pid') ? 'pid' : 'holder_pid';
  const columns = ['lane', 'holder_id', 'action', 'acquired_at', 'expires_at', 'heartbeat_at'];
  const selected = [
    ...columns.map((column) => schema.select('leases', column)),
    schema.select('leases', pidColumn),
  ];
  const rows = asRows(
    db.prepare(`SELECT task_id, ${selected.join(', ')} FROM leases LIMIT ?`).all(MAX_LEASES),
  );

  const groups = new Map<string, Row[]>();
  for (const row of rows) {
    const key = `${cellText(row['task_id']) ?? ''}\u001f${cellText(row['holder_id']) ?? ''}`;
    groups.set(key, [...(groups.get(key) ?? []), row]);
  }
  const firstStale: Record<string, number> = {};
  const leases = [...groups].map(([key, group]) => {
    const lease = merged(group, pidColumn, view);
    const since = lease['alive'] === false ? (finiteNumber(view.firstStale[key]) ?? view.nowUnix) : null;
    if (since !== null) firstStale[key] = since;
    return { ...lease, first_stale_unix: since };
  });
  const held = rows.filter((row) => !isExpired(cellText(row['expires_at']), view.nowUnix));
  return { leases, firstStale, heldLanes: new Set(held.map((row) => cellText(row['lane']) ?? '')) };
}

function merged(group: readonly Row[], pidColumn: string, view: LeaseView): JsonObject {
  const lanes = [...new Set(group.map((row) => cutText(row['lane'], TEXT_LENGTH)))].sort(compareCodePoints);
  const first = group[0] ?? {};
  const acquired = newest(group, 'acquired_at');
  const expires = newest(group, 'expires_at');
  const pid = pidOf(first[pidColumn]);
  const { alive } = view.canTestPids
    ? livenessOf(pid, unixSeconds(acquired) ?? null, view.procRoot)
    : { alive: null };
  return {
    task_id: cutText(first['task_id'], TEXT_LENGTH),
    holder_pid: pid,
    lane: lanes[0] ?? '',
    acquired_at: acquired,
    alive,
    lanes,
    holder_id: cutText(first['holder_id'], TEXT_LENGTH),
    action: cutText(first['action'], TEXT_LENGTH),
    expires_at: expires,
    heartbeat_at: newest(group, 'heartbeat_at'),
    expired: isExpired(expires, view.nowUnix),
  };
}

/** Text such as `"12 "` counts, as in the reference. */
function pidOf(cell: unknown): number | null {
  const number = cellInteger(cell);
  if (number !== null) return number;
  const text = cellText(cell)?.trim() ?? '';
  return /^[+-]?\d{1,15}$/.test(text) ? Number(text) : null;
}

/** The latest of the group's stamps as stored; the first one when none can be read. */
function newest(group: readonly Row[], column: string): string | number | null {
  const stamps = group.map((row) => {
    const cell = row[column];
    return typeof cell === 'number' ? cell : cellText(cell);
  });
  const readable = stamps.filter((stamp) => unixSeconds(stamp) !== undefined);
  const latest = readable.sort((a, b) => (unixSeconds(b) ?? 0) - (unixSeconds(a) ?? 0))[0];
  return latest ?? stamps[0] ?? null;
}

function isExpired(stamp: string | number | null, nowUnix: number): boolean {
  const unix = unixSeconds(stamp);
  return unix !== undefined && unix < nowUnix;
}

/** Devices that specialists hold; ids from 100000 on stand for Ray slots. */
export function readGpuLeases(db: Sqlite, schema: Schema, nowUnix: number): JsonObject[] {
  const columns = ['holder_id', 'task_id', 'acquired_at', 'expires_at'].map((name) =>
    schema.select('gpu_leases', name),
  );
  const rows = db
    .prepare(`SELECT gpu_id, ${columns.join(', ')} FROM gpu_leases ORDER BY gpu_id LIMIT ?`)
    .all(MAX_GPU_LEASES);
  return asRows(rows).map((row) => ({
    gpu_id: cellInteger(row['gpu_id']),
    holder_id: cutText(row['holder_id'], TEXT_LENGTH),
    task_id: cutText(row['task_id'], TEXT_LENGTH),
    acquired_unix: usableUnixSeconds(cellText(row['acquired_at']), nowUnix) ?? null,
    expires_unix: unixSeconds(cellText(row['expires_at'])) ?? null,
  }));
}

/** `sources.stale_leases` as an object. */
export function parseFirstStale(memory: JsonObject): JsonObject {
  return objectOr(memory['stale_leases']);
}
