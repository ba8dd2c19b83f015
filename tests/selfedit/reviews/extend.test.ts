import { describe, expect, it } from 'vitest';
import type { Edit } from '../../../src/selfedit/prompt/edit.js';
import { readAuditTail } from '../../../src/selfedit/registry/audit-log.js';
import { BY, effect, FIRST, type Lab, onlyReview, ordered, reviewLab } from '../support/review-lab.js';

const cases = ordered();
const [met, fresh] = [cases.slice(0, FIRST), cases.slice(FIRST)];
/** Eight wins and three losses: p 0.11, evidence 3.7. */
const NEAR = effect(met, 8, 3);
const on = (more: ReadonlyMap<string, 'fixed' | 'broken'>) => new Map([...NEAR, ...more]);

async function nearMiss(lab: Lab): Promise<number> {
  const { edits } = await lab.first();
  expect(edits).toMatchObject([
    { decision: 'near_miss', verdict: 'inconclusive', confirm: { wins: 8, losses: 3 } },
  ]);
  const review = onlyReview(lab);
  expect(lab.parts.reviews.decide('rca', review, 'approved_extend', BY)).toBe(true);
  return review;
}

const pairsOf = (lab: Lab, stage: string): unknown[] =>
  lab.db.prepare('SELECT DISTINCT case_id FROM pairs WHERE stage = ?').pluck().all(stage);

describe('a near miss that a human wants more evidence on (spec 08 §24.10)', () => {
  it('is promoted when the evidence of fresh cases, multiplied with that before, is enough; at no new level', async () => {
    const lab = await reviewLab(on(effect(fresh, 10, 0)));
    const review = await nearMiss(lab);
    const ledger = lab.parts.ledger.rows();
    const before = lab.calls.length;
    const [acted] = await lab.act();
    expect(acted).toMatchObject({ review_id: review, kind: 'extend', verdict: 'promote', is_final: true });
    expect(lab.parts.registry.current()?.version).toBe(2);
    expect(lab.parts.registry.pointer()).toMatchObject({ previous_version: 1 });

    const [confirmed, extended] = [pairsOf(lab, 'confirm'), pairsOf(lab, 'extend')];
    expect(confirmed).toHaveLength(FIRST);
    expect(extended).toHaveLength(60);
    expect(extended.filter((id) => confirmed.includes(id))).toEqual([]);
    expect(lab.calls.length - before).toBe(2 * 60);
    expect(lab.parts.ledger.rows()).toEqual(ledger.map((row) => ({ ...row, outcome: 'promoted' })));

    const audit = readAuditTail(lab.parts.registry.auditPath, 1).entries[0];
    const check = acted?.report?.checks.find(({ name }) => name === 'confirm');
    // Ten wins in the first look: E(8, 3) times E(10, 0), held against 1/(0.2 · 0.02).
    expect(check).toMatchObject({ passed: true, threshold: 250 });
    expect(Number(check?.value)).toBeGreaterThan(250);
    expect(audit).toMatchObject({ edit_id: acted?.edit_id, run_id: 'act', decision: 'promote', alpha: 0.02 });
    expect(await lab.act('again')).toEqual([]);
  });

  it('is not promoted by fresh cases that would not do with those before; it may be approved once more', async () => {
    const lab = await reviewLab(on(effect(fresh, 4, 1)));
    const review = await nearMiss(lab);
    const [acted] = await lab.act();
    expect(acted).toMatchObject({
      verdict: 'inconclusive',
      is_final: true,
      report: { decision: 'near_miss' },
    });
    expect(lab.parts.registry.current()?.version).toBe(1);
    expect(lab.parts.ledger.rows().map(({ outcome }) => outcome)).toEqual(['not_promoted']);
    const next = onlyReview(lab);
    expect(next).not.toBe(review);
    lab.parts.reviews.decide('rca', next, 'approved_extend', BY);
    const calls = lab.calls.length;
    expect(await lab.act('later')).toMatchObject([{ verdict: 'needs_cases', is_final: false }]);
    expect(lab.calls).toHaveLength(calls);
    expect(lab.parts.reviews.toDo('rca').map(({ review_id }) => review_id)).toEqual([next]);
  });

  it.each([
    ['no gain', effect(fresh, 2, 2), 'futile'],
    ['harm', effect(fresh, 0, 12), 'harm'],
  ])('is turned down when fresh cases show %s', async (_what, held, verdict) => {
    const lab = await reviewLab(on(held));
    await nearMiss(lab);
    expect(await lab.act()).toMatchObject([{ verdict, is_final: true, report: { decision: 'reject' } }]);
    expect(lab.parts.registry.current()?.version).toBe(1);
    expect(lab.parts.reviews.list('rca').filter(({ state }) => state === 'open')).toEqual([]);
  });

  it('is not helped by evidence against another version', async () => {
    const lab = await reviewLab(on(effect(fresh, 10, 0)));
    await nearMiss(lab);
    const base = lab.parts.registry.current();
    if (base === null) throw new Error('no version');
    await lab.parts.registry.promote(base, `${base.text}\nMore.`, {});
    const calls = lab.calls.length;
    expect(await lab.act()).toMatchObject([{ verdict: 'stale_base', is_final: true }]);
    expect(lab.calls).toHaveLength(calls);
    expect(lab.parts.registry.current()?.version).toBe(2);
  });

  it('waits while the audit has frozen promotions', async () => {
    const lab = await reviewLab(on(effect(fresh, 10, 0)));
    await nearMiss(lab);
    lab.parts.reviews.open('rca', 'other', 'oracle_drift', 'audit');
    const calls = lab.calls.length;
    expect(await lab.act()).toMatchObject([{ verdict: 'frozen', is_final: false }]);
    expect(lab.calls).toHaveLength(calls);
    lab.parts.reviews.decide('rca', onlyReview(lab), 'approved_extend', BY);
    expect(await lab.act('then')).toMatchObject([{ verdict: 'promote' }]);
  });

  it.each([
    ['the same run', 'act'],
    ['another run', 'other'],
  ])('goes on in %s after the provider failed, without a pair twice', async (_what, runId) => {
    const lab = await reviewLab(on(effect(fresh, 10, 0)));
    await nearMiss(lab);
    const before = lab.calls.length;
    lab.outage.after = before + 31;
    await expect(lab.act()).rejects.toThrow('no such key');
    expect(pairsOf(lab, 'extend')).toHaveLength(15);
    lab.outage.after = Number.POSITIVE_INFINITY;
    expect(await lab.act(runId)).toMatchObject([{ verdict: 'promote' }]);
    const asked = lab.calls.slice(before);
    const twice = asked.filter(
      (one, index) =>
        asked.findIndex((other) => other.caseId === one.caseId && other.hasRule === one.hasRule) < index,
    );
    // Half of the pair that was broken off is asked again, nothing else.
    expect(twice.length).toBeLessThanOrEqual(1);
    expect(lab.db.prepare("SELECT COUNT(*) FROM pairs WHERE stage = 'extend'").pluck().get()).toBe(60);
  });

  it('that passed and was stopped by a segment needs that segment mended, not another pass', async () => {
    const own = (segment: string, list: typeof cases) => list.filter((one) => one.segment === segment);
    const rest = (segment: string, list: typeof cases) => list.filter((one) => one.segment !== segment);
    const bad = 'state_corruption';
    const first = new Map([...effect(rest(bad, met), 20, 0), ...effect(own(bad, met), 0, 3)]);
    const mended = new Map([...first, ...effect(own(bad, fresh), 3, 0)]);
    for (const [held, verdict, version] of [
      [mended, 'promote', 2],
      [first, 'segment_regression', 1],
    ] as const) {
      const lab = await reviewLab(held);
      const { edits } = await lab.first();
      expect(edits).toMatchObject([{ verdict: 'segment_regression', confirm: { verdict: 'stat_pass' } }]);
      lab.parts.reviews.decide('rca', onlyReview(lab), 'approved_extend', BY);
      expect(await lab.act()).toMatchObject([{ verdict, is_final: true }]);
      expect(lab.parts.registry.current()?.version).toBe(version);
    }
  });

  it('meets the sentinels like any other', async () => {
    const lab = await reviewLab(on(effect(fresh, 10, 0)), { hasSentinels: true });
    await nearMiss(lab);
    expect(await lab.act()).toMatchObject([{ verdict: 'promote', report: { sentinels: { lost: [] } } }]);
  });
});

describe('a change of polarity that a human wants (spec 08 §24.7)', () => {
  const ops: Edit['ops'] = [
    {
      op: 'replace',
      old_text: 'A finding with high severity may well be a mere consequence.',
      new_text: `Look for the earliest cause, the one that needs no other to explain it. Severity does not decide.`,
    },
  ];

  it('goes from the screen on through every test, at a level of its own', async () => {
    const lab = await reviewLab(effect(met, 20, 0));
    const { edits } = await lab.first({ ops });
    expect(edits).toMatchObject([{ verdict: 'blocked_polarity' }]);
    lab.parts.reviews.decide('rca', onlyReview(lab), 'approved_extend', BY);
    expect(await lab.act()).toMatchObject([{ verdict: 'promote', is_final: true }]);
    expect(lab.parts.ledger.rows()).toMatchObject([{ run_id: 'act', outcome: 'promoted' }]);
    expect(lab.parts.registry.meta(2)?.hypothesis).toContain('operator wants the change of not');
  });

  it('is turned down by the screen like any other', async () => {
    const lab = await reviewLab(effect(met, 0, 0));
    await lab.first({
      ops: [
        { ...ops[0], op: 'replace', old_text: ops[0]?.old_text ?? '', new_text: 'Severity does not decide.' },
      ],
    });
    lab.parts.reviews.decide('rca', onlyReview(lab), 'approved_extend', BY);
    expect(await lab.act()).toMatchObject([{ verdict: 'screened_out', is_final: true }]);
    expect(lab.parts.ledger.rows()).toEqual([]);
  });
});
