import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  readdirSync,
  renameSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname } from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { objectOr, objectsOf } from '../../../src/foreign/json.js';
import { busCollector } from '../../../src/sources/bus/bus-collector.js';
import type { CollectorAnswer, CollectorEnv } from '../../../src/sources/collector.js';
import { isoStamp } from '../../support/coordinator-db.js';
import { SessionBuilder } from '../../support/session-builder.js';
import { look } from '../collector-harness.js';

const NOW = 1_924_992_000;

let session: SessionBuilder;
beforeEach(() => {
  session = new SessionBuilder();
});
afterEach(() => session.remove());

function read(over: Partial<CollectorEnv> = {}, configOver = {}): Promise<CollectorAnswer> {
  return look(busCollector, { sessionDir: session.dir, nowUnix: NOW, configOver, ...over });
}

function events(answer: CollectorAnswer) {
  return objectsOf(answer.slots.coordinator_events);
}

function bus(answer: CollectorAnswer) {
  return objectOr(answer.slots.coordinator_bus);
}

function storage(): string[] {
  return readdirSync(session.path('storage')).sort();
}

describe('events', () => {
  it('are listed oldest first, with payloads as values and stamps as stored', async () => {
    const db = session.database();
    db.event({
      from: 'orchestration',
      topic: 'proposal',
      payload: { action: 'explore' },
      msgId: 'a'.repeat(32),
      at: NOW - 3,
    });
    db.event({ topic: 'observation', payload: 'no json', at: NOW - 2 });
    db.event({
      from: 'critic',
      to: 'orchestration',
      topic: 'review_verdict',
      payload: '7',
      inReplyTo: 'a'.repeat(32),
      at: NOW - 1,
    });
    const answer = await read();
    expect(answer.verdicts.events).toMatchObject({ status: 'ok' });
    expect(events(answer)).toMatchObject([
      {
        id: 1,
        agent: 'orchestration',
        topic: 'proposal',
        payload: { action: 'explore' },
        to_agent: '*',
        priority: 1,
      },
      { id: 2, payload: 'no json', ts: isoStamp(NOW - 2) },
      { id: 3, agent: 'critic', payload: 7, to_agent: 'orchestration', in_reply_to: 'a'.repeat(32) },
    ]);
  });

  it('that are committed but only in the write-ahead log are seen beside their live writer in another process', async () => {
    session.database().close();
    const path = session.path('storage', 'coordinator.db');
    const script = `
      const db = new (require('better-sqlite3'))(process.argv[1]);
      db.pragma('wal_autocheckpoint = 0');
      const insert = db.prepare("INSERT INTO events (msg_id, from_agent, to_agent, topic, payload, priority, ts) VALUES (?, 'a', '*', 'event', '{}', 1, 'x')");
      for (let i = 0; i < 5; i += 1) insert.run(String(i));
      db.exec('BEGIN IMMEDIATE'); insert.run('open');
      process.stdout.write('ready'); process.stdin.resume();`;
    const writer = spawn(process.execPath, ['-e', script, path], { stdio: ['pipe', 'pipe', 'inherit'] });
    try {
      await once(writer.stdout, 'data');
      const started = performance.now();
      expect(events(await read()).map((row) => row['id'])).toEqual([1, 2, 3, 4, 5]);
      expect(performance.now() - started).toBeLessThan(1000);
    } finally {
      writer.stdin.end();
      writer.kill('SIGKILL');
      await once(writer, 'exit');
    }
  });

  it('that arrived since the last look come on top of the window, once', async () => {
    const db = session.database();
    for (let i = 0; i < 30; i += 1) db.event({ topic: 'event' });
    const first = await read({}, { coordinator_event_limit: 5 });
    expect(events(first).map((row) => row['id'])).toEqual([26, 27, 28, 29, 30]);
    for (let i = 0; i < 12; i += 1) db.event({ topic: 'event' });
    const second = await read({ memory: first.memory ?? {} }, { coordinator_event_limit: 5 });
    expect(events(second).map((row) => row['id'])).toEqual([31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42]);
    const third = await read({ memory: second.memory ?? {} }, { coordinator_event_limit: 5 });
    expect(events(third).map((row) => row['id'])).toEqual([38, 39, 40, 41, 42]);
    expect(bus(third)['dropped_events']).toBe(0);
  });

  it('beyond five thousand new ones are counted, not delivered', async () => {
    const db = session.database();
    db.event({ topic: 'event' });
    const first = await read();
    db.db.transaction(() => {
      for (let i = 0; i < 5010; i += 1) db.event({ topic: 'event' });
    })();
    const second = await read({ memory: first.memory ?? {} });
    expect(events(second)).toHaveLength(5000);
    expect(bus(second)['dropped_events']).toBe(10);
  });

  it('of a replaced database are read from the start of its window, not after a foreign cursor', async () => {
    const db = session.database();
    for (let i = 0; i < 9; i += 1) db.event({ topic: 'event' });
    const first = await read();
    const other = new SessionBuilder();
    const fresh = other.database();
    for (let i = 0; i < 20; i += 1) fresh.event({ topic: 'event' });
    fresh.close();
    db.db.close();
    renameSync(other.path('storage', 'coordinator.db'), session.path('storage', 'coordinator.db'));
    other.remove();
    const second = await read({ memory: first.memory ?? {} }, { coordinator_event_limit: 3 });
    expect(events(second).map((row) => row['id'])).toEqual([18, 19, 20]);
  });

  it('keep a row whose payload is odd and lose nothing else', async () => {
    const db = session.database();
    db.event({ topic: 'event', payload: Buffer.from([0x7b, 0xff, 0xfe, 0x7d]) });
    db.event({ topic: 'event', payload: '['.repeat(100_000) });
    db.event({ topic: 'event', payload: '{"gain": NaN, "kind": "x"}' });
    db.db.prepare("UPDATE events SET from_agent = CAST(x'61ff62' AS TEXT) WHERE seq = 3").run();
    const rows = events(await read());
    expect(rows.map((row) => row['id'])).toEqual([1, 2, 3]);
    expect(rows[1]).toMatchObject({ truncated: true, payload: null });
    expect(rows[2]).toMatchObject({ payload: { kind: 'x' }, agent: 'a\ufffdb' });
  });

  it('with a payload beyond 64 KiB are reduced to what rules read', async () => {
    const db = session.database();
    const result = { state: 'needs_review', blob: 'x'.repeat(1_000_000), mid_free_mb_per_gpu: { '0': 12 } };
    db.event({
      topic: 'delegated_result',
      payload: { task_id: 't1', kind: 'recover', state: 'succeeded', error: 'e'.repeat(9000), result },
    });
    db.event({ topic: 'event', payload: `{"kind": "late", "loss": NaN, "blob": "${'y'.repeat(70_000)}"}` });
    db.event({ topic: 'event', payload: `{"kind": "torn", "blob": "${'y'.repeat(70_000)}` });
    const [first, second, third] = events(await read());
    expect(first).toMatchObject({
      truncated: true,
      payload: {
        task_id: 't1',
        kind: 'recover',
        state: 'succeeded',
        result: { state: 'needs_review', mid_free_mb_per_gpu: { '0': 12 } },
      },
    });
    expect(String(objectOr(first?.['payload'])['error'])).toHaveLength(2000);
    expect(second).toMatchObject({ truncated: true, payload: { kind: 'late' } });
    expect(third).toMatchObject({ truncated: true, payload: null });
  });

  it('of results carry what was delegated, without the gain that approval adds', async () => {
    const db = session.database();
    db.task({ id: 't1', kind: 'explore', state: 'failed', params: { conc: 8, predicted_gain_pct: 3 } });
    db.event({ topic: 'delegated_result', payload: { task_id: 't1', kind: 'explore', state: 'failed' } });
    db.event({ topic: 'delegated_result', payload: { task_id: 'gone', kind: 'explore', state: 'failed' } });
    const rows = events(await read());
    expect(rows[0]).toMatchObject({ task: { kind: 'explore', state: 'failed' }, task_params: { conc: 8 } });
    expect(rows[1]).toMatchObject({ task: null, task_params: null });
  });

  it('cost the same in a table of a million rows as in one of a thousand', async () => {
    const db = session.database();
    const fill = (upTo: number) =>
      db.db.exec(`WITH RECURSIVE n(i) AS (SELECT coalesce(max(seq), 0) + 1 FROM events UNION ALL SELECT i + 1 FROM n WHERE i < ${upTo})
        INSERT INTO events (msg_id, from_agent, to_agent, topic, payload, priority, ts)
        SELECT 'm' || i, 'agent' || (i % 5), '*', CASE i % 7 WHEN 0 THEN 'proposal' WHEN 1 THEN 'delegated_result' ELSE 'event' END,
               '{"kind": "x"}', 1, '2030-01-01T00:00:00.000000+00:00' FROM n`);
    const cost = async (memory: object) => {
      const times: number[] = [];
      for (let i = 0; i < 7; i += 1) {
        const started = performance.now();
        await read({ memory: { ...memory } });
        times.push(performance.now() - started);
      }
      return Math.min(...times);
    };
    fill(1000);
    const small = await cost((await read()).memory ?? {});
    fill(1_000_000);
    const answer = await read();
    const large = await cost(answer.memory ?? {});
    expect(bus(answer)).toMatchObject({ max_seq: 1_000_000, event_rows: 1_000_000 });
    expect(large).toBeLessThan(small * 2 + 3);
  });
});

describe('the rest of the bus', () => {
  it('remembers the newest row of every sender, however many rows came after it', async () => {
    const db = session.database();
    db.event({ from: 'critic', topic: 'heartbeat', at: NOW - 500 });
    for (let i = 0; i < 20; i += 1) db.event({ from: 'orchestration', topic: 'event', at: NOW - 100 + i });
    const first = await read({}, { coordinator_event_limit: 3 });
    expect(first.slots.coordinator_last_seen).toEqual({
      critic: isoStamp(NOW - 500),
      orchestration: isoStamp(NOW - 81),
    });
    expect(bus(first)['last_by_agent']).toMatchObject({ critic: { seq: 1, ts_unix: NOW - 500 } });
    db.event({ from: 'orchestration', topic: 'event', at: NOW });
    const second = await read({ memory: first.memory ?? {} }, { coordinator_event_limit: 3 });
    expect(second.slots.coordinator_last_seen).toEqual({
      critic: isoStamp(NOW - 500),
      orchestration: isoStamp(NOW),
    });
  });

  it('keeps the newest recovery in sight behind a burst of other rows', async () => {
    const db = session.database();
    db.event({ topic: 'delegated_result', payload: { kind: 'recover', state: 'succeeded' } });
    db.event({ topic: 'delegated_result', payload: { kind: 'explore', state: 'failed' } });
    for (let i = 0; i < 10; i += 1) db.event({ topic: 'event' });
    const first = await read({}, { coordinator_event_limit: 2 });
    expect(bus(first)['last_recover']).toMatchObject({ id: 1, payload: { kind: 'recover' } });
    const second = await read({ memory: first.memory ?? {} }, { coordinator_event_limit: 2 });
    expect(bus(second)['last_recover']).toMatchObject({ id: 1 });
  });

  it('names the oldest proposal that no verdict answers', async () => {
    const db = session.database();
    db.event({ from: 'orchestration', topic: 'proposal', msgId: 'p1', at: NOW - 30 });
    db.event({ from: 'orchestration', topic: 'proposal', msgId: 'p2', at: NOW - 20 });
    db.event({ from: 'orchestration', topic: 'proposal', msgId: 'p3', at: NOW - 10 });
    db.event({ from: 'critic', topic: 'review_verdict', inReplyTo: 'p1' });
    expect(bus(await read())['oldest_open_proposal']).toEqual({
      seq: 2,
      msg_id: 'p2',
      from_agent: 'orchestration',
      ts_unix: NOW - 20,
    });
    db.event({ from: 'critic', topic: 'review_verdict', inReplyTo: 'p2' });
    db.event({ from: 'critic', topic: 'review_verdict', inReplyTo: 'p3' });
    expect(bus(await read())['oldest_open_proposal']).toBeNull();
  });

  it('tells how far each agent lags, which devices are held and what waits for free lanes', async () => {
    const db = session.database();
    for (let i = 0; i < 4; i += 1) db.event({ topic: 'event' });
    db.cursor('critic', 1);
    db.gpuLease(3, 't9', NOW - 60, NOW + 60);
    const running = db.task({ kind: 'baseline', lanes: ['benchmark_lane'] });
    db.lease({
      lanes: ['benchmark_lane'],
      taskId: running,
      pid: process.pid,
      acquired: NOW - 60,
      expires: NOW + 60,
    });
    db.task({ id: 'q1', kind: 'sweep', state: 'queued', lanes: ['benchmark_lane'], at: NOW - 5 });
    db.task({ id: 'q2', kind: 'report', state: 'queued', lanes: ['research_lane'], at: NOW - 5 });
    expect(bus(await read())).toMatchObject({
      cursor_lag: { critic: 3 },
      gpu_leases: [{ gpu_id: 3, task_id: 't9', acquired_unix: NOW - 60, expires_unix: NOW + 60 }],
      queued_tasks: [
        { task_id: 'q1', lanes_free: false, created_unix: NOW - 5 },
        { task_id: 'q2', lanes_free: true },
      ],
    });
  });
});

describe('task progress', () => {
  it('folds the newest attributed heartbeats per agent', async () => {
    const db = session.database();
    const at = (clock: string) => Date.parse(`2030-12-31T${clock}:00Z`) / 1000;
    const note = (agent: string | undefined, clock: string) => ({
      progress: { agent, label: 'v1' },
      ts: isoStamp(at(clock)),
    });
    db.task({
      id: 't1',
      kind: 'explore',
      history: [note(' orchestration ', '10:00'), { progress: { agent: 'x' }, ts: true }],
    });
    db.task({
      id: 't2',
      kind: 'roofline',
      history: [{ from: 'queued', to: 'running', ts: isoStamp(at('10:40')) }, note('orchestration', '10:42')],
    });
    db.task({ id: 't3', kind: 'sweep', state: 'succeeded', history: [note('orchestration', '11:00')] });
    db.task({ id: 't4', kind: 'profile', history: 'not json' });
    db.task({
      id: 't5',
      kind: 'profile',
      history: [note(undefined, '10:50'), note('orchestration', '23:59')],
    });
    const { slots } = await read({ nowUnix: at('11:00') });
    expect(slots.local_task_progress).toMatchObject({
      running: 4,
      by_agent: {
        orchestration: {
          last_progress_unix: at('10:42'),
          task: 'roofline',
          oldest_progress_unix: at('10:00'),
          oldest_task: 'explore',
        },
      },
      running_kinds: ['explore', 'roofline', 'profile'],
    });
    expect(objectsOf(objectOr(slots.local_task_progress)['tasks'])[1]).toEqual({
      task_id: 't2',
      kind: 'roofline',
      agent: 'orchestration',
      label: 'v1',
      started_unix: at('10:40'),
      last_progress_unix: at('10:42'),
    });
  });

  it('knows that nothing runs', async () => {
    session.database();
    expect((await read()).slots.local_task_progress).toEqual({ running: 0, running_kinds: [], tasks: [] });
  });
});

describe('leases', () => {
  const lanes = ['server_lifecycle', 'benchmark_lane', 'profile_lane', 'gpu_research_lane'];
  const leases = (answer: CollectorAnswer) =>
    objectsOf(objectOr(answer.slots.local_state_integrity)['leases']);
  const deadPid = (): number =>
    Number(execFileSync(process.execPath, ['-p', 'process.pid'], { encoding: 'utf8' }));

  it('of one task are one entry that names its lanes', async () => {
    session
      .database()
      .lease({ lanes, taskId: 't1', pid: process.pid, acquired: Date.now() / 1000, expires: NOW + 60 });
    expect(leases(await read())).toMatchObject([
      {
        task_id: 't1',
        holder_pid: process.pid,
        lane: 'benchmark_lane',
        lanes: [...lanes].sort(),
        alive: true,
        expired: false,
        first_stale_unix: null,
      },
    ]);
  });

  it('of a dead holder say since when it has been dead', async () => {
    session
      .database()
      .lease({ lanes: ['build_lane'], taskId: 't1', pid: deadPid(), acquired: NOW - 600, expires: NOW - 1 });
    const first = await read();
    expect(leases(first)).toMatchObject([{ alive: false, expired: true, first_stale_unix: NOW }]);
    const second = await read({ memory: first.memory ?? {}, nowUnix: NOW + 90 });
    expect(leases(second)).toMatchObject([{ alive: false, first_stale_unix: NOW }]);
  });

  it('of a pid that somebody else has by now are of a dead holder', async () => {
    session.database().lease({
      lanes: ['build_lane'],
      taskId: 't1',
      pid: process.pid,
      acquired: Date.now() / 1000 - 1e6,
      expires: NOW + 60,
    });
    expect(leases(await read())).toMatchObject([{ alive: false }]);
  });

  it('of another host, or on a run over several nodes, are neither alive nor dead', async () => {
    session
      .database()
      .lease({ lanes: ['build_lane'], taskId: 't1', pid: deadPid(), acquired: NOW - 600, expires: NOW + 1 });
    expect(leases(await read({}, { disable_local_probe: true }))).toMatchObject([{ alive: null }]);
    session.lock({ pid: 12, host: 'some-other-node' });
    expect(leases(await read())).toMatchObject([{ alive: null, first_stale_unix: null }]);
  });

  it('in the form of older databases are read by their own column', async () => {
    const db = session.database();
    db.db.exec('DROP TABLE leases; CREATE TABLE leases (task_id, holder_pid, lane, acquired_at)');
    db.db
      .prepare(
        "INSERT INTO leases VALUES ('a', ?, 'l', ?), ('b', NULL, 'l', 0), ('c', 'x', 'l', 0), ('d', 0, 'l', 0), ('e', -1, 'l', 0), ('f', '12 ', 'l', 0)",
      )
      .run(process.pid, Date.now() / 1000);
    const found = leases(await read()).map(({ holder_pid, alive }) => [holder_pid, alive]);
    expect(found.slice(0, 5)).toEqual([
      [process.pid, true],
      [null, null],
      [null, null],
      [0, null],
      [-1, null],
    ]);
    expect(found[5]?.[0]).toBe(12);
  });
});

describe('a database', () => {
  it('that does not exist yet is a session without events, which is known', async () => {
    const answer = await read();
    expect(answer.verdicts.events).toMatchObject({ status: 'empty', reason: 'missing' });
    expect(answer.slots).toMatchObject({
      coordinator_bus: {},
      coordinator_last_seen: {},
      local_task_progress: { running_kinds: [] },
    });
    expect(answer.slots.local_state_integrity).toMatchObject({
      leases: [],
      db: { status: 'missing', since_unix: NOW },
    });
  });

  it.each([
    ['without a byte', Buffer.alloc(0)],
    ['without a table', undefined],
  ])('%s is empty', async (_name, content) => {
    if (content === undefined) {
      const db = new Database(session.path('storage', 'coordinator.db'));
      db.pragma('journal_mode = WAL');
      db.exec('CREATE TABLE x (a)');
      db.exec('DROP TABLE x');
      db.close();
    } else writeFileSync(session.path('storage', 'coordinator.db'), content);
    const answer = await read();
    expect(answer.verdicts.events).toMatchObject({ status: 'empty' });
    expect(bus(answer)).toEqual({ db_status: 'empty' });
  });

  it('that is none is corrupt, after two looks', async () => {
    writeFileSync(session.path('storage', 'coordinator.db'), 'something else entirely'.repeat(100));
    const started = performance.now();
    const answer = await read();
    expect(answer.verdicts.events).toMatchObject({ status: 'error', reason: 'corrupt' });
    expect(performance.now() - started).toBeGreaterThan(190);
    expect(answer.slots.local_state_integrity).toMatchObject({ db: { status: 'corrupt', since_unix: NOW } });
    const later = await read({ memory: answer.memory ?? {}, nowUnix: NOW + 60 });
    expect(later.slots.local_state_integrity).toMatchObject({ db: { status: 'corrupt', since_unix: NOW } });
  });

  it('with torn pages is corrupt', async () => {
    const db = session.database();
    for (let i = 0; i < 500; i += 1) db.event({ topic: 'event', payload: { text: 'x'.repeat(500) } });
    db.close();
    truncateSync(session.path('storage', 'coordinator.db'), 40_960);
    expect((await read()).verdicts.events).toMatchObject({ status: 'error', reason: 'corrupt' });
  });

  it('of somebody else is foreign', async () => {
    const db = new Database(session.path('storage', 'coordinator.db'));
    db.exec('CREATE TABLE things (name)');
    db.close();
    const answer = await read();
    expect(answer.verdicts.events).toMatchObject({ status: 'error', reason: 'foreign_schema' });
    expect(answer.slots.local_state_integrity).toMatchObject({ db: { status: 'foreign' } });
  });

  it('that lacks columns of this version is read as far as it goes', async () => {
    const db = new Database(session.path('storage', 'coordinator.db'));
    db.exec(
      "CREATE TABLE events (seq INTEGER PRIMARY KEY, from_agent TEXT, topic TEXT); INSERT INTO events VALUES (4, 'critic', 'event')",
    );
    db.close();
    const answer = await read();
    expect(events(answer)).toMatchObject([
      { id: 4, agent: 'critic', topic: 'event', payload: null, ts: null },
    ]);
    expect(answer.verdicts).toMatchObject({
      events: { status: 'ok' },
      tasks: { reason: 'foreign_schema' },
      leases: { reason: 'foreign_schema' },
    });
  });

  it('that stays locked costs two seconds, during which others work', async () => {
    session.database('DELETE').close();
    const path = session.path('storage', 'coordinator.db');
    const script =
      "const db = new (require('better-sqlite3'))(process.argv[1]); db.exec('BEGIN EXCLUSIVE'); process.stdout.write('locked'); process.stdin.resume();";
    const holder = spawn(process.execPath, ['-e', script, path], { stdio: ['pipe', 'pipe', 'inherit'] });
    try {
      await once(holder.stdout, 'data');
      let turns = 0;
      const timer = setInterval(() => {
        turns += 1;
      }, 20);
      const started = performance.now();
      const answer = await read();
      const elapsed = performance.now() - started;
      clearInterval(timer);
      expect(answer.verdicts.events).toMatchObject({ status: 'timeout', reason: 'locked' });
      expect(answer.slots.local_state_integrity).toMatchObject({ db: { status: 'locked' } });
      expect(objectOr(answer.slots.local_state_integrity)).not.toHaveProperty('leases');
      expect(elapsed).toBeGreaterThan(1900);
      expect(elapsed).toBeLessThan(3500);
      expect(turns).toBeGreaterThan(20);
    } finally {
      holder.kill('SIGKILL');
      await once(holder, 'exit');
    }
  });

  it('in rollback mode is read in place', async () => {
    session.database('DELETE').event({ topic: 'event' });
    expect(events(await read())).toHaveLength(1);
    expect(storage()).toEqual(['coordinator.db']);
  });

  it('that its writer has closed is read without leaving a file beside it', async () => {
    const db = session.database();
    db.event({ topic: 'event' });
    db.close();
    expect(storage()).toEqual(['coordinator.db']);
    expect(events(await read())).toHaveLength(1);
    expect(events(await read())).toHaveLength(1);
    expect(storage()).toEqual(['coordinator.db']);
  });

  it('whose writer crashed is read with what the write-ahead log holds', async () => {
    const db = session.database();
    db.db.pragma('wal_autocheckpoint = 0');
    db.event({ topic: 'event' });
    const crashed = new SessionBuilder();
    for (const suffix of ['', '-wal']) {
      copyFileSync(`${db.path}${suffix}`, `${crashed.path('storage', 'coordinator.db')}${suffix}`);
    }
    const answer = await look(busCollector, { sessionDir: crashed.dir, nowUnix: NOW });
    expect(events(answer)).toHaveLength(1);
    crashed.remove();
  });

  it('in a directory that cannot be written is read from a private copy', async () => {
    const db = session.database();
    db.db.pragma('wal_autocheckpoint = 0');
    db.event({ topic: 'event' });
    const other = new SessionBuilder();
    for (const suffix of ['', '-wal']) {
      copyFileSync(`${db.path}${suffix}`, `${other.path('storage', 'coordinator.db')}${suffix}`);
    }
    chmodSync(other.path('storage'), 0o555);
    const answer = await withoutPrivileges(other, () =>
      look(busCollector, { sessionDir: other.dir, nowUnix: NOW }),
    );
    expect(events(answer)).toHaveLength(1);
    expect(readdirSync(other.path('storage')).sort()).toEqual(['coordinator.db', 'coordinator.db-wal']);
    chmodSync(other.path('storage'), 0o755);
    other.remove();
  });

  it('below a directory with an awkward name is found', async () => {
    const odd = new SessionBuilder({ name: 'a?b#c%20d e-\u00fc\u4e2d' });
    odd.database().event({ topic: 'event' });
    expect(events(await look(busCollector, { sessionDir: odd.dir, nowUnix: NOW }))).toHaveLength(1);
    odd.remove();
  });

  it.each([
    ['a pipe', (path: string) => execFileSync('mkfifo', [path])],
    ['a directory', (path: string) => mkdirSync(path)],
    ['a link out of the session', (path: string) => symlinkSync('/etc/passwd', path)],
  ])('with %s in its place is unknown at once', async (_name, plant) => {
    plant(session.path('storage', 'coordinator.db'));
    const answer = await read();
    expect(answer.verdicts.events).toMatchObject({ status: 'unknown' });
    expect(answer.slots.local_state_integrity).toMatchObject({ db: { status: 'unknown' } });
  });

  it('that is large and changed is copied anew, and the copy before goes', async () => {
    const temporary = session.path('tmp');
    mkdirSync(temporary);
    vi.stubEnv('TMPDIR', temporary);
    const add = () => {
      const db = session.database();
      db.event({ topic: 'event', payload: { blob: 'x'.repeat(5 * 2 ** 20) } });
      db.close();
    };
    add();
    await read();
    const first = readdirSync(temporary);
    await read();
    expect(readdirSync(temporary)).toEqual(first);
    add();
    expect(events(await read())).toHaveLength(2);
    expect(readdirSync(temporary)).toHaveLength(1);
    expect(readdirSync(temporary)).not.toEqual(first);
    vi.unstubAllEnvs();
  });
});

/** Root may write everywhere; the look is taken as somebody who may not. */
async function withoutPrivileges<T>(owned: SessionBuilder, action: () => Promise<T>): Promise<T> {
  if (process.getuid?.() !== 0) return action();
  for (let directory = owned.dir; directory.length > tmpdir().length; directory = dirname(directory)) {
    chmodSync(directory, 0o755);
  }
  const parts = ['coordinator.db', 'coordinator.db-wal'].map((name) => owned.path('storage', name));
  for (const part of parts) chmodSync(part, 0o644);
  process.seteuid?.(65534);
  try {
    return await action();
  } finally {
    process.seteuid?.(0);
  }
}
