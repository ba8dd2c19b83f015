import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { buildCases } from '../../../src/selfedit/cases/build-cases.js';
import { CaseSet, splitOf } from '../../../src/selfedit/cases/case-set.js';
import { caseText } from '../../../src/selfedit/cases/case-text.js';
import { cutBytes } from '../../../src/selfedit/store/cut-bytes.js';
import { openStore } from '../../../src/selfedit/store/open-store.js';
import { parseTrace } from '../../../src/selfedit/store/parse-trace.js';
import { ReviewStore } from '../../../src/selfedit/store/review-store.js';
import { RunStore } from '../../../src/selfedit/store/run-store.js';
import { TraceStore } from '../../../src/selfedit/store/trace-store.js';
import { tempDir } from '../../support/temp-dir.js';

const good = {
  task_id: 't',
  task_input: 'in',
  final_output: 'out',
  expected_output: 'resource_leak',
  success: false,
  timestamp: '2026-01-02T03:04:05+01:00',
};

function trace(uid: string, change: object = {}) {
  const reading = parseTrace({ ...good, trace_uid: uid, ...change }, 'rca');
  if (!reading.ok) throw new Error(reading.problem);
  return reading.trace;
}

async function twoStores(clock: { now: number }) {
  const path = join(tempDir(), 'selfedit.db');
  const [a, b] = [await openStore(path), await openStore(path)];
  if (!a.ok || !b.ok) throw new Error('no store');
  const now = (): number => clock.now;
  return {
    a: new TraceStore(a.db, now),
    b: new TraceStore(b.db, now),
    close: () => [a.db.close(), b.db.close()],
  };
}

const none: ReadonlySet<string> = new Set();

/** A group that the hash puts into the audit. */
function auditGroup(): string {
  const found = Array.from({ length: 100 }, (_, i) => `g${i}`).find((group) => splitOf(group) === 'audit');
  if (found === undefined) throw new Error('no group');
  return found;
}

describe('traces', () => {
  it('are leased to one process at a time, and to the next when a lease runs out', async () => {
    const clock = { now: Date.parse('2026-01-03T00:00:00Z') / 1000 };
    const { a, b, close } = await twoStores(clock);
    for (let i = 0; i < 5; i += 1) a.add(trace(`u${i}`));
    expect(a.lease('rca', 'A', 3, none).map(({ trace_uid }) => trace_uid)).toEqual(['u0', 'u1', 'u2']);
    expect(b.lease('rca', 'B', 10, none).map(({ trace_uid }) => trace_uid)).toEqual(['u3', 'u4']);
    clock.now += 901;
    expect(b.lease('rca', 'B', 10, none)).toHaveLength(5);
    expect(a.acknowledge('A')).toBe(0);
    expect(b.acknowledge('B')).toBe(5);
    expect(a.lease('rca', 'A', 10, none)).toEqual([]);
    close();
  });

  it('come back when they are released', async () => {
    const { a, close } = await twoStores({ now: 1000 });
    a.add(trace('u'));
    a.lease('rca', 'A', 1, none);
    expect(a.release('A')).toBe(1);
    expect(a.lease('rca', 'A', 1, none)).toHaveLength(1);
    close();
  });

  it('never reach the analyzer without a label, as successes, of other prompts, or of hidden groups', async () => {
    const { a, close } = await twoStores({ now: 1000 });
    a.add(trace('unlabelled', { expected_output: null, success: null }));
    a.add(trace('success', { success: true }));
    a.add(trace('other', { prompt_id: 'investigate' }));
    a.add(trace('confirm', { group_id: 'g1' }));
    a.add(trace('audit', { case_id: 'c1' }));
    a.add(trace('mine'));
    const [hiddenCase] = buildCases(1, 1, '');
    if (hiddenCase === undefined) throw new Error('no case');
    a.add(trace('input', { task_input: caseText(hiddenCase) }));
    const audited = { ...hiddenCase, group_id: auditGroup() };
    const { hidden } = new CaseSet([audited]);
    const rows = a.lease('rca', 'A', 10, new Set(['g1', 'c1', ...hidden]));
    expect(rows.map(({ trace_uid }) => trace_uid)).toEqual(['mine']);
    close();
  });

  it('are deleted by age, but not while somebody works on them', async () => {
    const clock = { now: Date.parse('2026-06-01T00:00:00Z') / 1000 };
    const { a, close } = await twoStores(clock);
    a.add(trace('old'));
    a.add(trace('leased'));
    a.add(trace('new', { timestamp: '2026-05-31T00:00:00Z' }));
    a.label('leased', 'crash_loop', false, 'operator');
    a.lease('rca', 'A', 1, none);
    expect(a.cleanUp(90)).toBe(1);
    expect(a.counts('rca').total).toBe(2);
    close();
  });

  it('are cut to their limits between characters', async () => {
    const { a, close } = await twoStores({ now: 1000 });
    a.add(trace('u', { task_input: '€'.repeat(10_000), final_output: 'x'.repeat(10_000) }));
    const row = a.find('u');
    expect(row?.task_input).toBe('€'.repeat(Math.floor(16_384 / 3)));
    expect(row?.final_output).toHaveLength(8_192);
    close();
  });

  it('cut any text to a start of itself', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.integer({ min: 0, max: 40 }), (text, max) => {
        const whole = Buffer.from(text).toString();
        const cut = cutBytes(whole, max);
        expect(whole.startsWith(cut)).toBe(true);
        expect(Buffer.byteLength(cut)).toBeLessThanOrEqual(max);
      }),
    );
  });
});

describe('reading a trace', () => {
  it.each([
    ['no object', [], 'object'],
    ['no input', { ...good, task_input: 1 }, 'task_input'],
    ['a success that is a number', { ...good, success: 1 }, 'success'],
    ['a success without a right answer', { ...good, expected_output: null }, 'expected_output'],
    ['a time without a zone', { ...good, timestamp: '2026-01-02T03:04:05' }, 'timestamp'],
    ['a day that does not exist', { ...good, timestamp: '2026-02-99T03:04:05Z' }, 'timestamp'],
    ['steps that are no list', { ...good, steps: {} }, 'steps'],
    ['a version that is true', { ...good, prompt_version: true }, 'prompt_version'],
    ['metadata that is a list', { ...good, metadata: [] }, 'metadata'],
  ])('refuses %s', (_what, raw, word) => {
    const reading = parseTrace(raw, 'rca');
    expect(reading.ok ? '' : reading.problem).toContain(word);
  });

  it('drops what it does not know and keeps times in UTC', () => {
    const reading = parseTrace({ ...good, magic: 1 }, 'rca');
    expect(reading.ok && reading.trace.timestamp).toBe('2026-01-02T02:04:05.000Z');
    expect(Object.keys(reading.ok ? reading.trace : {})).not.toContain('magic');
  });
});

describe('the database', () => {
  it('refuses a newer schema and a file that is none, and is for the owner alone', async () => {
    const path = join(tempDir(), 'deep/selfedit.db');
    const first = await openStore(path);
    if (!first.ok) throw new Error(first.problem);
    const { statSync } = await import('node:fs');
    expect(statSync(path).mode & 0o777).toBe(0o600);
    first.db.pragma('user_version = 99');
    first.db.close();
    expect(await openStore(path)).toMatchObject({ ok: false, problem: expect.stringContaining('newer') });
    const { writeFileSync } = await import('node:fs');
    writeFileSync(`${path}x`, 'x'.repeat(8_192));
    expect((await openStore(`${path}x`)).ok).toBe(false);
  });
});

describe('a database of an earlier version', () => {
  it('gets the columns it lacks, and keeps what it has', async () => {
    const path = join(tempDir(), 'selfedit.db');
    const made = await openStore(path);
    if (!made.ok) throw new Error(made.problem);
    made.db.exec(
      `INSERT INTO spend (at, run_id, role, model, calls, tokens, usd, estimated) VALUES (1, 'r', 'executor', 'm', 2, 3, 0.5, 0);
       ALTER TABLE spend DROP COLUMN stage; ALTER TABLE spend DROP COLUMN edit_id; ALTER TABLE edits DROP COLUMN ops_json;
       ALTER TABLE pairs DROP COLUMN violation_a; DROP TABLE embeddings; PRAGMA user_version = 1;`,
    );
    made.db.close();
    const opened = await openStore(path);
    if (!opened.ok) throw new Error(opened.problem);
    const runs = new RunStore(opened.db, () => 5);
    runs.begin({ run_id: 'r', prompt_id: 'rca', seed: 1, config_sha256: '', budget_usd: 1 });
    const cost = { role: 'executor', model: 'm', calls: 1, tokens: 10, usd: 0.25, estimated: false };
    runs.spend('r', cost, { stage: 'screen', editId: 'e' });
    expect(runs.costs('r')).toMatchObject([{ role: 'executor', calls: 3, usd: 0.75 }]);
    expect(runs.editCosts('r', 'e')).toEqual([{ stage: 'screen', calls: 1, tokens: 10, usd: 0.25 }]);
    expect(runs.spentBetween('rca', 0, 10)).toBe(0.75);
    expect(runs.spentBetween('rca', 2, 10)).toBe(0.25);
    const row = {
      base_version: 1,
      base_sha256: 's',
      edit_json: '{"ops":[{"op":"delete"}],"intent":"remove"}',
    };
    runs.addEdit({
      ...row,
      run_id: 'r',
      prompt_id: 'rca',
      epoch: 1,
      edit_id: 'e',
      label: null,
      iteration: 1,
      position: 0,
    });
    expect(opened.db.prepare('SELECT ops_json, intent, hypothesis FROM edits').get()).toEqual({
      ops_json: '[{"op":"delete"}]',
      intent: 'remove',
      hypothesis: null,
    });
    opened.db.close();
  });
});

describe('reviews (spec 08 §24.10)', () => {
  it('open once, expire after 14 days except a freeze, and are decided once', async () => {
    const opened = await openStore(':memory:');
    if (!opened.ok) throw new Error(opened.problem);
    const clock = { now: 1_000_000 };
    const reviews = new ReviewStore(opened.db, () => clock.now);
    reviews.open('rca', 'e1', 'near_miss', 'close');
    reviews.open('rca', 'e1', 'near_miss', 'close');
    reviews.open('rca', 'e2', 'oracle_drift', 'audit');
    expect(reviews.list('rca')).toHaveLength(2);
    clock.now += 15 * 86_400;
    expect(reviews.list('rca').map(({ state }) => state)).toEqual(['expired', 'open']);
    const by = { reviewer: 'x', note: 'seen' };
    expect(reviews.decide('rca', 1, 'approved_extend', by)).toBe(false);
    expect(reviews.decide('investigate', 2, 'rejected', by)).toBe(false);
    expect(reviews.decide('rca', 2, 'rejected', by)).toBe(true);
    expect(reviews.decide('rca', 2, 'rejected', by)).toBe(false);
    opened.db.close();
  });
});
