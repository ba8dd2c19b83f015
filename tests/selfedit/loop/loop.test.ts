import { describe, expect, it } from 'vitest';
import type { Case } from '../../../src/selfedit/cases/case.js';
import { DEFAULT_SELFEDIT_CONFIG } from '../../../src/selfedit/config/parse-config.js';
import { demoCaseSet } from '../../../src/selfedit/demo/run-demo.js';
import type { CallResult, Executor } from '../../../src/selfedit/executor/executor.js';
import { uniform } from '../../../src/selfedit/hash.js';
import { NO_ARTEFACTS } from '../../../src/selfedit/loop/artefacts.js';
import { confirm } from '../../../src/selfedit/loop/confirm.js';
import { rollEpoch } from '../../../src/selfedit/loop/epoch.js';
import { Measurer, ProviderOutage } from '../../../src/selfedit/loop/measure.js';
import { deltaOf, unitResult } from '../../../src/selfedit/loop/units.js';
import { scoreRca } from '../../../src/selfedit/scorers/rca.js';
import { LedgerStore } from '../../../src/selfedit/store/ledger-store.js';
import { openStore } from '../../../src/selfedit/store/open-store.js';
import { type PairRow, RunStore } from '../../../src/selfedit/store/run-store.js';

const rules = DEFAULT_SELFEDIT_CONFIG;
const cases = demoCaseSet();
const units = cases.confirm.map((one) => [one]);
const usage = { calls: 1, inputTokens: 0, outputTokens: 0, usd: 0, estimated: false, latencyMs: 0 };

async function stores() {
  const opened = await openStore(':memory:');
  if (!opened.ok) throw new Error(opened.problem);
  const now = (): number => 1_700_000_000;
  return {
    db: opened.db,
    runs: new RunStore(opened.db, now),
    ledger: new LedgerStore(opened.db, 'rca', now),
  };
}

/** Answers by prompt and case; `fails` decides by a count that the order of calls changes. */
function executorOf(
  answer: (prompt: string, one: Case) => boolean,
  fails: (prompt: string, one: Case) => boolean = () => false,
): Executor {
  return {
    model: 'test',
    fingerprint: 'test',
    isDeterministic: false,
    worstCaseUsd: () => 0,
    likelyUsd: () => 0,
    async answer(prompt, one): Promise<CallResult> {
      // Later cases sometimes end first.
      for (let turns = Math.floor(uniform(`${prompt}${one.case_id}`) * 5); turns > 0; turns -= 1)
        await Promise.resolve();
      if (fails(prompt, one)) return { ok: false, kind: 'rate_limit', message: 'busy', usage };
      return {
        ok: true,
        text: answer(prompt, one) ? `cause: ${one.expected.class}` : 'cause: agent_stall',
        usage,
      };
    },
  };
}

async function confirmWith(executor: Executor, seed: number, parallelism: number) {
  const { db, runs } = await stores();
  const measurer = new Measurer({ executor, scorer: scoreRca, runs, artefacts: NO_ARTEFACTS }, 'r');
  const outcome = await confirm({
    units,
    replicates: 1,
    alpha: 0.02,
    epoch: 1,
    power: 1,
    rules,
    seed,
    parallelism,
    known: [],
    makePair: (one, replicate) =>
      measurer.pair(
        one,
        replicate,
        seed,
        () => measurer.fresh('A', one, replicate),
        () => measurer.fresh('B', one, replicate),
      ),
    onLook: () => undefined,
  });
  db.close();
  return { outcome, calls: measurer.calls };
}

describe('a confirmation of calls', () => {
  it('does not depend on parallelism, completion order or the order inside a pair (spec 08 §26.3)', async () => {
    const executor = executorOf(
      (prompt, one) => uniform(`${prompt}|${one.case_id}`) < (prompt === 'A' ? 0.5 : 0.62),
      (prompt, one) => uniform(`fail|${prompt}|${one.case_id}`) < 0.03,
    );
    const first = await confirmWith(executor, 1, 1);
    for (const parallelism of [2, 4, 17, 64]) {
      const { outcome, calls } = await confirmWith(executor, 1, parallelism);
      expect(outcome.report).toEqual(first.outcome.report);
      expect(calls).toBe(first.calls);
    }
    const orders = new Set((await confirmWith(executor, 2, 4)).outcome.pairs.map(({ order_ab }) => order_ab));
    expect([...orders].sort()).toEqual(['ab', 'ba']);
  });

  it('never promotes an identical prompt when 15 % of the calls on one side fail: 200 runs (spec 08 §26.4)', async () => {
    let passes = 0;
    for (let seed = 0; seed < 200; seed += 1) {
      const executor = executorOf(
        (_prompt, one) => uniform(`right|${one.case_id}`) < 0.8,
        (prompt, one) => prompt === 'A' && uniform(`fail|${seed}|${one.case_id}`) < 0.15,
      );
      const { outcome } = await confirmWith(executor, seed, 4);
      if (outcome.confirmation.verdict === 'stat_pass') passes += 1;
    }
    expect(passes).toBe(0);
  });

  it('takes stored pairs in place of calls', async () => {
    const executor = executorOf((prompt, one) => uniform(`${prompt}|${one.case_id}`) < 0.5);
    const { outcome } = await confirmWith(executor, 3, 4);
    const again = await confirm({
      units,
      replicates: 1,
      alpha: 0.02,
      epoch: 1,
      power: 1,
      rules,
      seed: 3,
      parallelism: 4,
      known: outcome.pairs,
      makePair: () => Promise.reject(new Error('nothing is to be called')),
      onLook: () => undefined,
    });
    expect(again.report).toEqual(outcome.report);
  });
});

describe('a unit', () => {
  const pair = (case_id: string, pass_a: number | null, pass_b: number | null): PairRow => ({
    case_id,
    segment: 's',
    replicate: 0,
    order_ab: 'ab',
    score_a: null,
    score_b: null,
    pass_a,
    pass_b,
    error_a: pass_a === null ? 'timeout' : null,
    error_b: pass_b === null ? 'timeout' : null,
    tokens_a: 0,
    tokens_b: 0,
    cost_a: 0,
    cost_b: 0,
    latency_a: 0,
    latency_b: 0,
    output_sha256_a: null,
    output_sha256_b: null,
    violation_a: null,
    violation_b: null,
    output_tokens_a: null,
    output_tokens_b: null,
  });
  const [first, second] = cases.confirm;
  const group = [first, second].flatMap((one) => (one === undefined ? [] : [one]));

  it('averages replicates, then the cases of a group, and removes broken pairs whole', () => {
    const [a = '', b = ''] = group.map(({ case_id }) => case_id);
    expect(deltaOf([pair(a, 0, 1), pair(a, 1, 1), pair(a, null, 1)])).toBe(0.5);
    expect(unitResult(group, [pair(a, 0, 1), pair(a, 1, 1), pair(b, 1, 0), pair(b, 1, null)])).toEqual({
      delta: -0.25,
      tried: 4,
      removed: 1,
    });
    expect(unitResult(group, [pair(a, null, 1)])).toEqual({ delta: null, tried: 1, removed: 1 });
  });
});

describe('a provider that is gone', () => {
  it('ends the run after eight failures in a row, at once when the key is refused', async () => {
    const { db, runs } = await stores();
    const [one] = cases.dev;
    if (one === undefined) return;
    const broken = (kind: 'auth' | 'server'): Executor => ({
      ...executorOf(() => true),
      answer: async () => ({ ok: false, kind, message: 'no', usage }),
    });
    for (const [kind, patience] of [
      ['auth', 1],
      ['server', 8],
    ] as const) {
      const measurer = new Measurer(
        { executor: broken(kind), scorer: scoreRca, runs, artefacts: NO_ARTEFACTS },
        'r',
      );
      for (let i = 1; i < patience; i += 1) expect((await measurer.fresh('A', one, 0)).error).toBe(kind);
      await expect(measurer.fresh('A', one, 0)).rejects.toThrow(ProviderOutage);
      expect(measurer.calls).toBe(patience);
    }
    db.close();
  });
});

describe('epochs (spec 08 §24.4)', () => {
  it('freeze their settings, close after K tests, and open again with new cases', async () => {
    const { db, ledger, runs } = await stores();
    const config = { ...rules, confirm_min: 20, confirm_target: 150 };
    for (let test = 0; test < 5; test += 1) {
      // Settings changed in the middle wait for the next epoch.
      const booked = ledger.book(`e${test}`, 'r', test < 2 ? config : { ...config, alpha_epoch: 0.5 });
      expect(booked?.alpha).toBeCloseTo(0.02, 12);
      if (booked) ledger.settle(booked, 'not_promoted');
    }
    expect(ledger.book('e5', 'r', config)).toBeNull();
    expect(ledger.nextAlpha(config)).toBeNull();

    runs.expose(
      'rca',
      1,
      'e0',
      cases.confirm.slice(0, 175).map(({ case_id }) => case_id),
    );
    runs.expose(
      'rca',
      1,
      'e1',
      cases.confirm.slice(0, 30).map(({ case_id }) => case_id),
    );
    expect(rollEpoch({ ledger, runs }, 'rca', cases.confirm, config)).toEqual({ kind: 'closed', missing: 5 });
    const fewer = { ...config, confirm_min: 10 };
    expect(rollEpoch({ ledger, runs }, 'rca', cases.confirm, fewer)).toEqual({
      kind: 'opened',
      epoch: 2,
      retired: 5,
    });
    const mostExposed = new Set(cases.confirm.slice(0, 30).map(({ case_id }) => case_id));
    for (const id of runs.retired('rca')) expect(mostExposed.has(id)).toBe(true);
    expect(ledger.nextAlpha({ ...config, alpha_epoch: 0.5 })).toBeCloseTo(0.1, 12);
    db.close();
  });

  it('retire whole groups, and none that there is no room for', async () => {
    const { db, ledger, runs } = await stores();
    const config = { ...rules, confirm_min: 2, confirm_target: 175, confirmations_per_epoch: 1 };
    const grouped = cases.confirm.map((one, i) => ({ ...one, group_id: `g${Math.floor(i / 3)}` }));
    const booked = ledger.book('e0', 'r', config);
    if (booked) ledger.settle(booked, 'not_promoted');
    runs.expose(
      'rca',
      1,
      'e0',
      grouped.slice(0, 90).map(({ case_id }) => case_id),
    );
    // Five could go; groups have three cases.
    expect(rollEpoch({ ledger, runs }, 'rca', grouped, config)).toMatchObject({ kind: 'opened', retired: 3 });
    const gone = grouped.filter(({ case_id }) => runs.retired('rca').has(case_id));
    expect(new Set(gone.map(({ group_id }) => group_id)).size).toBe(1);
    db.close();
  });

  it('give a void test its level back, and count an open one as spent', async () => {
    const { db, ledger } = await stores();
    const first = ledger.book('a', 'r1', rules);
    if (first) ledger.settle(first, 'promoted');
    const second = ledger.book('b', 'r1', rules);
    expect(second?.alpha).toBeCloseTo(0.04, 12);
    if (second) ledger.settle(second, 'void');
    expect(ledger.nextAlpha(rules)).toBeCloseTo(0.04, 12);
    ledger.book('c', 'r1', rules);
    expect(ledger.nextAlpha(rules)).toBeCloseTo(0.02, 12);
    expect(ledger.closeOpen('r2')).toBe(1);
    expect(ledger.rows().map(({ outcome }) => outcome)).toEqual(['promoted', 'void', 'not_promoted']);
    db.close();
  });
});
