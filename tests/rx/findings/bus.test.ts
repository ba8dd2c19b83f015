import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readBus } from '../../../src/rx/findings/bus.js';
import { CoordinatorDb } from '../../support/coordinator-db.js';
import { type FindingPatch, finding, session } from './rows.js';

let dir: string;
let path: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'rx-bus-test-'));
  path = join(dir, 'coordinator.db');
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const high: FindingPatch = { severity: 'high' };
const pruned = finding('repeated_failure', { family: 'sweep' }, 5, { ...high, hard: 'prune_branch' });
const recovered = finding('local_server_unreachable', { url: 'u' }, 5, { ...high, hard: 'delegate' });
const later = finding('disk_pressure', { mount: '/' }, 30);
const prunePayload = { kind: 'prune_branch', family: 'sweep', cancelled_task_ids: ['a', 'b'] };

/** Labels the first episode of a session with this database. */
async function labelOf(act: typeof pruned, fill: (db: CoordinatorDb) => void) {
  const db = new CoordinatorDb(path);
  fill(db);
  db.close();
  const labelled = await session('s', [act, later], 40, [], path);
  return labelled.episodes[0]?.label;
}

const prune = (db: CoordinatorDb) =>
  db.event({ from: 'robustness', topic: 'event', payload: prunePayload, at: 301 });

describe('a prune', () => {
  it('counts as carried out when the bus shows it', async () => {
    const label = await labelOf(pruned, prune);
    expect(label).toMatchObject({
      treated: true,
      y: 1,
      useful: false,
      acted_on: { state: 'executed', cancelled: 2, honoured: true },
    });
  });

  it('helped when only other work followed, and was useful when that succeeded', async () => {
    const label = await labelOf(pruned, (db) => {
      prune(db);
      db.event({ topic: 'delegated_result', payload: { kind: 'profile', state: 'succeeded' }, at: 400 });
    });
    expect(label).toMatchObject({ y: 1, useful: true });
  });

  it('did not help when the family failed again inside the window', async () => {
    const label = await labelOf(pruned, (db) => {
      prune(db);
      db.event({ topic: 'delegated_result', payload: { kind: 'sweep', state: 'failed' }, at: 400 });
    });
    expect(label).toMatchObject({ y: 0, useful: false });
  });

  it('is not blamed for failures before it or after the window', async () => {
    const label = await labelOf(pruned, (db) => {
      db.event({ topic: 'delegated_result', payload: { kind: 'sweep', state: 'failed' }, at: 299 });
      prune(db);
      db.event({ topic: 'delegated_result', payload: { kind: 'sweep', state: 'failed' }, at: 15 * 60 + 1 });
    });
    expect(label?.y).toBe(1);
  });

  it('was not honoured when the family was proposed again', async () => {
    const label = await labelOf(pruned, (db) => {
      prune(db);
      db.event({
        topic: 'observation',
        payload: { kind: 'proposal_pruned_advisory', action: 'sweep' },
        at: 350,
      });
    });
    expect(label?.acted_on?.honoured).toBe(false);
  });

  it.each([
    ['another family', { ...prunePayload, family: 'profile' }, 301],
    ['an earlier time', prunePayload, 200],
  ])('of %s is not this one', async (_, payload, at) => {
    const label = await labelOf(pruned, (db) => {
      db.event({ from: 'robustness', topic: 'event', payload, at });
    });
    expect(label).toMatchObject({
      treated: null,
      y: null,
      missing: 'no trace of the action in the database',
    });
  });

  it('that was denied is an untreated example', async () => {
    const label = await labelOf(pruned, (db) => {
      const payload = { kind: 'policy_denied', intent_type: 'prune_branch', rule: 'r' };
      db.event({ to: 'robustness', topic: 'observation', payload, at: 330 });
    });
    expect(label).toMatchObject({ treated: false, acted_on: { state: 'denied' }, y: 1 });
  });

  it('is not denied by a refusal of another intent or a minute later', async () => {
    const label = await labelOf(pruned, (db) => {
      const refusal = (intent_type: string) => ({ kind: 'policy_denied', intent_type, rule: 'r' });
      db.event({ to: 'robustness', topic: 'observation', payload: refusal('delegate'), at: 310 });
      db.event({ to: 'robustness', topic: 'observation', payload: refusal('prune_branch'), at: 361 });
    });
    expect(label?.treated).toBeNull();
  });
});

describe('a delegate', () => {
  it.each([
    ['succeeded', 'key-5', true, 'executed'],
    ['failed', 'key-5-retry2', true, 'executed'],
    ['cancelled', 'key-5', false, 'not_executed'],
    ['running', 'key-5', null, 'pending'],
    ['succeeded', 'key-50', null, 'unknown'],
    ['succeeded', 'key-5-retry', null, 'unknown'],
  ] as const)('whose task %s under %s is treated: %s', async (state, key, treated, expected) => {
    const label = await labelOf(recovered, (db) => {
      db.task({ kind: 'recover', state, key, at: 310 });
    });
    expect(label).toMatchObject({ treated, acted_on: { state: expected } });
  });
});

describe('readBus', () => {
  it('reads a live database with its log and leaves no file behind', async () => {
    const db = new CoordinatorDb(path);
    prune(db);
    const before = readdirSync(dir).sort();
    const bus = await readBus(path);
    expect(bus.ok && bus.events.length).toBe(1);
    expect(readdirSync(dir).sort()).toEqual(before);
    db.close();
  });

  it('survives payloads that are no JSON', async () => {
    const db = new CoordinatorDb(path);
    db.event({ topic: 'event', payload: '{broken' });
    db.event({ topic: 'event', payload: '[1]' });
    db.close();
    const bus = await readBus(path);
    expect(bus.ok && bus.events.map((event) => event.kind)).toEqual(['', '']);
  });

  it('says why it read nothing', async () => {
    expect(await readBus(path)).toEqual({ ok: false, reason: 'no coordinator.db' });
    writeFileSync(path, 'not a database, but long enough to look at');
    const bus = await readBus(path);
    expect(bus.ok ? '' : bus.reason).toContain('unreadable');
  });
});
