import { describe, expect, it } from 'vitest';
import type { Json, JsonObject } from '../../../src/foreign/json.js';
import { stateIntegrity } from '../../../src/signals/rules/state_integrity.js';
import { runRule, type Sight, testRule } from '../../support/rule-tester.js';

function integrity(slot: JsonObject): Sight {
  return { snapshot: { local_state_integrity: slot } };
}

const stateFile = { valid: true, path: '/s/state.json', size_bytes: 48_000, mtime: 9000, stop_reason: '' };
const dead = { recorded_pid: 123, alive: false, pid_file: '/s/run_1.pid' };
const lease = { task_id: 't1', holder_pid: 77, lane: 'gpu', acquired_at: 9000, alive: false };

function state(change: JsonObject): Sight {
  return integrity({ state_json: { ...stateFile, ...change } });
}

function wal(bytes: Json): Sight {
  return integrity({ wal: { db_path: '/s/c.db', wal_path: '/s/c.db-wal', wal_bytes: bytes, db_bytes: 7 } });
}

function leases(...changes: readonly JsonObject[]): Sight {
  return integrity({ leases: changes.map((change) => ({ ...lease, ...change })) });
}

function boxes(agents: Json): Sight {
  return integrity({ agents });
}

function coordinator(change: JsonObject, rest: JsonObject = {}): Sight {
  return integrity({ state_json: stateFile, coordinator: { ...dead, ...change }, ...rest });
}

function db(change: JsonObject): Sight {
  return integrity({ db: { detail: 'd', ...change }, wal: { db_path: '/s/c.db' } });
}

testRule(stateIntegrity, {
  valid: [
    { why: 'nothing was looked at', snapshot: { local_state_integrity: 'x' } },
    { why: 'a sound state file', ...state({}) },
    {
      why: 'a state file that was there a moment ago is being replaced',
      ...state({ valid: false, error: 'missing', previous_size_bytes: 51_200, missing_since_unix: 9101 }),
    },
    {
      why: 'nobody knows since when the state file is missing',
      ...state({ valid: false, error: 'missing', previous_size_bytes: 51_200 }),
    },
    { why: 'a state file that does not exist yet', ...state({ valid: false, error: 'missing' }) },
    { why: 'a report without content', ...integrity({ state_json: {} }) },
    { why: 'a report of another type', ...integrity({ state_json: [false] }) },
    { why: 'a small file may shrink', ...state({ previous_size_bytes: 4095, size_bytes: 10 }) },
    {
      why: 'a file that lost nine tenths and not more',
      ...state({ previous_size_bytes: 5000, size_bytes: 500 }),
    },
    { why: 'the size before is unknown', ...state({ previous_size_bytes: null, size_bytes: 1 }) },
    { why: 'a log just below the warning', ...wal(1_073_741_823) },
    { why: 'a size as text', ...wal('5368709120') },
    { why: 'a living holder', ...leases({ alive: true }) },
    { why: 'a holder of unknown liveness', ...leases({ alive: null }, { alive: 0 }) },
    { why: 'a lease younger than a minute', ...leases({ acquired_at: 9940.01 }) },
    { why: 'a lease from the future', ...leases({ acquired_at: 12_000 }) },
    { why: 'an expired lease blocks nobody', ...leases({ expired: true }) },
    { why: 'pid 0 is no holder', ...leases({ holder_pid: 0 }, { holder_pid: -5 }) },
    {
      why: 'mailboxes just below the warning',
      ...boxes({ critic: { inbox_bytes: 104_857_599, outbox_bytes: 0 } }),
    },
    {
      why: 'mailboxes of odd shape',
      ...boxes({ a: [1e12], b: { inbox_bytes: '1e12', outbox_bytes: -1e12 } }),
    },
    { why: 'agents in a list', ...boxes([{ inbox_bytes: 1e12 }]) },
    { why: 'a living Coordinator', ...coordinator({ alive: true }) },
    { why: 'a Coordinator of unknown liveness', ...coordinator({ alive: null }) },
    { why: 'no pid was recorded', ...coordinator({ recorded_pid: null }) },
    {
      why: 'a stopped session may have a dead Coordinator',
      ...integrity({ state_json: { ...stateFile, stop_reason: 'deadline' }, coordinator: dead }),
    },
    {
      why: 'somebody wrote the state a minute ago',
      ...coordinator({ identity_source: 'lock' }, { state_json: { ...stateFile, mtime: 9881 } }),
    },
    {
      why: 'somebody holds a lease',
      ...coordinator({ identity_source: 'lock' }, { leases: [{ ...lease, alive: true }] }),
    },
    {
      why: 'whether somebody holds a lease could not be read',
      snapshot: {
        local_state_integrity: { state_json: stateFile, coordinator: { ...dead, identity_source: 'lock' } },
        collectors: { leases: { status: 'timeout', reason: 'locked', ms: 4000, detail: '' } },
      },
    },
    { why: 'a readable database', ...db({ status: 'ok' }) },
    { why: 'a database that is locked for a moment', ...db({ status: 'locked', since_unix: 9701 }) },
    { why: 'locked since nobody knows when', ...db({ status: 'locked', since_unix: null }) },
    { why: 'no database yet', ...db({ status: 'missing', since_unix: 0 }) },
  ],
  invalid: [
    {
      why: 'a state file that this session had has been gone for a quarter of an hour',
      ...state({ valid: false, error: 'missing', previous_size_bytes: 51_200, missing_since_unix: 9100 }),
      symptoms: [
        {
          name: 'state_json_corrupt',
          severity: 'high',
          evidenceWith: { error: 'vanished', previous_size_bytes: 51_200, missing_since_unix: 9100 },
          summaryMentions: ['51200 bytes', '15 minutes'],
        },
      ],
    },
    {
      why: 'an unreadable state file',
      ...integrity({
        state_json: { valid: false, error: 'json_parse_failed', path: '/s/state.json', size_bytes: 12 },
      }),
      symptoms: [
        {
          name: 'state_json_corrupt',
          severity: 'high',
          subject: {},
          source: 'local',
          evidence: { path: '/s/state.json', error: 'json_parse_failed', size_bytes: 12 },
          summaryMentions: ['json_parse_failed', 'baseline'],
          suggestionMentions: ['Back up', 'file system'],
        },
      ],
    },
    {
      why: 'no reason was given',
      ...integrity({ state_json: { path: 'x' } }),
      symptoms: [{ name: 'state_json_corrupt', evidence: { path: 'x', error: 'unknown', size_bytes: null } }],
    },
    {
      why: 'a valid file that lost more than nine tenths',
      ...state({ previous_size_bytes: 4096, size_bytes: 409 }),
      symptoms: [
        {
          name: 'state_json_corrupt',
          evidence: { path: '/s/state.json', error: 'shrunken', size_bytes: 409, previous_size_bytes: 4096 },
        },
      ],
    },
    {
      why: 'a log of 1 GiB',
      ...wal(1_073_741_824),
      symptoms: [
        {
          name: 'coordinator_wal_bloat',
          severity: 'medium',
          subject: {},
          evidence: {
            wal_bytes: 1_073_741_824,
            wal_path: '/s/c.db-wal',
            db_bytes: 7,
            warn_threshold: 1_073_741_824,
            critical_threshold: 4_294_967_296,
          },
          summaryMentions: ['1.00 GiB', '4.00'],
        },
      ],
    },
    {
      why: 'a log just below 4 GiB',
      ...wal(4_294_967_295),
      symptoms: [{ name: 'coordinator_wal_bloat', severity: 'medium' }],
    },
    {
      why: 'a log of 4 GiB',
      ...wal(4_294_967_296),
      symptoms: [{ name: 'coordinator_wal_bloat', severity: 'high' }],
    },
    {
      why: 'a dead holder, by a source that does not say since when',
      ...leases({}),
      symptoms: [
        {
          name: 'stale_lease',
          severity: 'high',
          subject: { task_id: 't1' },
          evidence: {
            task_id: 't1',
            holder_pid: 77,
            lane: 'gpu',
            acquired_at: 9000,
            age_s: 1000,
            stale_lease_min_age_s: 60,
            lanes: ['gpu'],
          },
          summaryMentions: ['t1', 'lane gpu', '77', 'blocked'],
          suggestionMentions: ['No action', 'reaps'],
        },
      ],
    },
    {
      why: 'the dispatcher has just had the time to reap it',
      ...leases({ first_stale_unix: 9401 }),
      symptoms: [{ name: 'stale_lease', severity: 'medium' }],
    },
    {
      why: 'the dispatcher does not reap it',
      ...leases({ first_stale_unix: 9400 }),
      symptoms: [{ name: 'stale_lease', severity: 'high' }],
    },
    {
      why: 'since when it is dead is unknown',
      ...leases({ first_stale_unix: null }),
      symptoms: [{ name: 'stale_lease', severity: 'medium' }],
    },
    {
      why: 'exactly a minute old',
      ...leases({ acquired_at: 9940 }),
      symptoms: [{ name: 'stale_lease', evidenceWith: { age_s: 60 } }],
    },
    {
      why: 'times without an offset are UTC; text may be a number',
      ...leases(
        { acquired_at: '1970-01-01T02:45:00' },
        { task_id: 't2', acquired_at: '1970-01-01T02:45:00Z' },
        { task_id: 't3', acquired_at: '9000.5' },
      ),
      symptoms: [
        { name: 'stale_lease', evidenceWith: { age_s: 100 } },
        { name: 'stale_lease', evidenceWith: { age_s: 100 } },
        { name: 'stale_lease', evidenceWith: { age_s: 999.5 } },
      ],
    },
    {
      why: 'unreadable times count as just old enough',
      ...leases(
        { acquired_at: null },
        { task_id: 'b', acquired_at: true },
        { task_id: 'c', acquired_at: 'yesterday' },
      ),
      symptoms: Array.from({ length: 3 }, () => ({ name: 'stale_lease', evidenceWith: { age_s: 61 } })),
    },
    {
      why: 'the lanes of one task stand together',
      ...leases({ lanes: ['gpu', 'net'] }, { lane: 'profile' }, { task_id: 't2', lane: 'x' }),
      symptoms: [
        { name: 'stale_lease', evidenceWith: { lane: 'gpu', lanes: ['gpu', 'net', 'profile'] } },
        { name: 'stale_lease', evidenceWith: { lane: 'profile', lanes: ['gpu', 'net', 'profile'] } },
        { name: 'stale_lease', evidenceWith: { lanes: ['x'] } },
      ],
    },
    {
      why: 'a task without a name',
      ...leases({ task_id: null }),
      symptoms: [{ name: 'stale_lease', subject: { task_id: 'unknown' } }],
    },
    {
      why: 'grown mailboxes',
      ...boxes({
        critic: {
          inbox_bytes: 104_857_600,
          outbox_bytes: 524_288_000,
          inbox_path: '/s/in',
          outbox_path: '/s/out',
        },
      }),
      symptoms: [
        {
          name: 'inbox_bloat',
          severity: 'low',
          subject: { role: 'critic', kind: 'inbox' },
          evidence: {
            role: 'critic',
            kind: 'inbox',
            size_bytes: 104_857_600,
            warn_bytes: 104_857_600,
            critical_bytes: 524_288_000,
            path: '/s/in',
          },
          summaryMentions: ['inbox', 'critic', '100 MiB'],
        },
        { name: 'inbox_bloat', severity: 'medium', subject: { role: 'critic', kind: 'outbox' } },
      ],
    },
    {
      why: 'a dead Coordinator and no stop reason',
      ...coordinator({}),
      symptoms: [
        {
          name: 'coordinator_zombie',
          severity: 'high',
          subject: {},
          evidence: {
            recorded_pid: 123,
            pid_file: '/s/run_1.pid',
            state_json_valid: true,
            stop_reason: '(empty)',
          },
          summaryMentions: ['123', 'stop reason'],
          suggestionMentions: ['operator', 'run log'],
        },
      ],
    },
    {
      why: 'an unreadable state file tells no stop reason',
      ...integrity({
        state_json: { valid: false, error: 'missing', stop_reason: 'deadline' },
        coordinator: dead,
      }),
      symptoms: [{ name: 'coordinator_zombie', evidenceWith: { state_json_valid: false } }],
    },
    {
      why: 'no state file was looked at',
      ...integrity({ coordinator: { ...dead, recorded_pid: 0 } }),
      symptoms: [{ name: 'coordinator_zombie', evidenceWith: { recorded_pid: 0, state_json_valid: null } }],
    },
    {
      why: 'identified, dead, silent for two minutes and without a lease',
      ...coordinator(
        { identity_source: 'lock' },
        { state_json: { ...stateFile, mtime: 9880 }, leases: [{ ...lease, alive: null }] },
      ),
      symptoms: ['coordinator_zombie'],
    },
    {
      why: 'a damaged database',
      ...db({ status: 'corrupt', since_unix: 9999, detail: 'malformed page' }),
      symptoms: [
        {
          name: 'coordinator_db_corrupt',
          severity: 'high',
          subject: {},
          evidence: { db_path: '/s/c.db', status: 'corrupt', detail: 'malformed page', since_unix: 9999 },
          summaryMentions: ['/s/c.db', 'malformed page'],
        },
      ],
    },
    {
      why: 'locked for five minutes',
      ...db({ status: 'locked', since_unix: 9700 }),
      symptoms: [
        {
          name: 'coordinator_db_unreadable',
          severity: 'medium',
          summaryMentions: ['locked', '5 minutes'],
          suggestionMentions: ['holds the lock'],
        },
      ],
    },
    {
      why: 'of a foreign schema for long',
      ...db({ status: 'foreign', since_unix: 100 }),
      symptoms: [
        {
          name: 'coordinator_db_unreadable',
          summaryMentions: ['foreign schema'],
          suggestionMentions: ['version'],
        },
      ],
    },
    {
      why: 'everything at once, in this order',
      ...integrity({
        state_json: { valid: false, error: 'x' },
        wal: { wal_bytes: 5e9 },
        leases: [lease],
        agents: { a: { outbox_bytes: 1e9 } },
        coordinator: dead,
        db: { status: 'corrupt' },
      }),
      symptoms: [
        'state_json_corrupt',
        'coordinator_wal_bloat',
        'stale_lease',
        'inbox_bloat',
        'coordinator_zombie',
        'coordinator_db_corrupt',
      ],
    },
  ],
});

describe('limits', () => {
  it('are configuration', () => {
    const sight = {
      ...leases({ acquired_at: 9990, first_stale_unix: 9990 }),
      config: { state_stale_lease_min_age_s: 5, state_stale_lease_high_after_s: 10 },
    };
    expect(runRule(stateIntegrity, sight).symptoms[0]?.severity).toBe('high');
  });
});
