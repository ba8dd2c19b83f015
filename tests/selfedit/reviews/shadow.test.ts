import { describe, expect, it } from 'vitest';
import type { CallResult } from '../../../src/selfedit/executor/executor.js';
import { shadowSummary } from '../../../src/selfedit/reviews/shadow.js';
import { parseTrace } from '../../../src/selfedit/store/parse-trace.js';
import type { ShadowPair } from '../../../src/selfedit/store/shadow-store.js';
import { BY, effect, type Lab, onlyReview, ordered, RULE, reviewLab } from '../support/review-lab.js';

const met = ordered().slice(0, 120);
const usage = { calls: 1, inputTokens: 5, outputTokens: 2, usd: 0.25, estimated: false, latencyMs: 0 };
const said = (text: string): CallResult => ({ ok: true, text, usage });

async function inTheShadow(): Promise<{ lab: Lab; review: number }> {
  const lab = await reviewLab(effect(met, 8, 3));
  await lab.first();
  const review = onlyReview(lab);
  lab.parts.reviews.decide('rca', review, 'approved_shadow', BY);
  return { lab, review };
}

function live({ traces }: Lab, uid: string, change: object = {}): void {
  const reading = parseTrace(
    {
      trace_uid: uid,
      task_id: 'disk_pressure',
      task_input: `question ${uid}`,
      final_output: 'It loops.\ncause: no_progress_loop',
      timestamp: '2026-01-01T00:00:00Z',
      session_id: 's',
      prompt_version: 1,
      ...change,
    },
    'rca',
  );
  if (!reading.ok) throw new Error(reading.problem);
  traces.add(reading.trace);
}

describe('a candidate in the shadow (spec 08 §24.10)', () => {
  it('answers what sessions asked the current version, once each; nobody uses it, and it promotes nothing', async () => {
    const { lab, review } = await inTheShadow();
    live(lab, 'a');
    live(lab, 'b');
    live(lab, 'of another version', { prompt_version: 2 });
    live(lab, 'of no session', { session_id: null });
    live(lab, 'without an answer', { error: 'timed_out' });
    const asked: [prompt: string, question: string][] = [];
    const asker = {
      ask: async (prompt: string, question: string) => {
        asked.push([prompt, question]);
        return said(`It leaks.\ncause: ${question.endsWith('a') ? 'resource_leak' : 'no_progress_loop'}`);
      },
    };
    const before = lab.db.prepare('SELECT trace_uid, final_output, success FROM traces').all();
    const [acted] = await lab.act('one', asker);
    expect(acted).toMatchObject({
      review_id: review,
      kind: 'shadow',
      verdict: 'watching',
      is_final: false,
      shadow: { answers: 2, same: 1, broken: 0, labelled: 0 },
    });
    expect(asked.map(([, question]) => question).sort()).toEqual(['question a', 'question b']);
    expect(asked.every(([prompt]) => prompt.includes(RULE))).toBe(true);
    expect(lab.db.prepare('SELECT trace_uid, final_output, success FROM traces').all()).toEqual(before);
    expect(lab.parts.registry.current()?.version).toBe(1);
    expect(lab.parts.runs.costs('one')).toMatchObject([{ role: 'shadow', calls: 2, usd: 0.5 }]);

    live(lab, 'c');
    expect(await lab.act('two', asker)).toMatchObject([{ shadow: { answers: 3 } }]);
    expect(asked).toHaveLength(3);
  });

  it('is compared with the answer that was used once the right one is known', async () => {
    const { lab } = await inTheShadow();
    for (const uid of ['a', 'b', 'c']) live(lab, uid);
    const right = { a: 'resource_leak', b: 'no_progress_loop', c: 'no_progress_loop' };
    const ask = async (_prompt: string, question: string) =>
      said(question.endsWith('c') ? 'cause: no_progress_loop' : 'cause: resource_leak');
    await lab.act('one', { ask });
    for (const [uid, name] of Object.entries(right))
      lab.traces.label(uid, name, name === 'no_progress_loop', 'operator');
    expect(await lab.act('two', { ask })).toMatchObject([
      { shadow: { labelled: 3, wins: 1, losses: 1 }, verdict: 'watching' },
    ]);
  });

  it('is taken out when three of the last twenty answers have not their form', async () => {
    const { lab, review } = await inTheShadow();
    for (let i = 0; i < 5; i += 1) live(lab, `t${i}`);
    const ask = async (_prompt: string, question: string) =>
      said(/[012]$/.test(question) ? 'It leaks.' : 'cause: resource_leak');
    expect(await lab.act('one', { ask })).toMatchObject([{ verdict: 'broke_contract', is_final: true }]);
    expect(lab.parts.reviews.toDo('rca')).toEqual([]);
    expect(lab.parts.reviews.acts(review)).toMatchObject([{ kind: 'shadow', verdict: 'broke_contract' }]);
  });

  it('can be approved for fresh cases afterwards, rejected, or expires; its base may go', async () => {
    const { lab, review } = await inTheShadow();
    live(lab, 'a');
    await lab.act('one');
    expect(lab.parts.reviews.decide('rca', review, 'approved_shadow', BY)).toBe(false);
    expect(lab.parts.reviews.decide('rca', review, 'approved_extend', BY)).toBe(true);
    expect(lab.parts.reviews.toDo('rca')).toMatchObject([{ state: 'approved_extend' }]);
    expect(lab.parts.reviews.decide('rca', review, 'rejected', BY)).toBe(false);

    const other = await inTheShadow();
    other.lab.clock.now += 15 * 86_400;
    expect(other.lab.parts.reviews.toDo('rca')).toEqual([]);
    expect(other.lab.parts.reviews.list('rca')).toMatchObject([{ state: 'expired' }]);

    const stale = await inTheShadow();
    const base = stale.lab.parts.registry.current();
    if (base === null) throw new Error('no version');
    await stale.lab.parts.registry.promote(base, `${base.text}\nMore.`, {});
    live(stale.lab, 'a');
    expect(await stale.lab.act()).toMatchObject([{ verdict: 'stale_base', is_final: true }]);
  });

  it('stops with the provider, and asks again what went unanswered', async () => {
    const { lab, review } = await inTheShadow();
    for (let i = 0; i < 12; i += 1) live(lab, `t${i}`);
    const fail = (kind: 'auth' | 'timeout' | 'bad_request') => async (): Promise<CallResult> => ({
      ok: false,
      kind,
      message: 'no',
      usage,
    });
    await expect(lab.act('one', { ask: fail('auth') })).rejects.toThrow('no');
    await expect(lab.act('two', { ask: fail('timeout') })).rejects.toThrow('no');
    expect(lab.shadow.pairs(review)).toEqual([]);
    await expect(lab.act('three', { ask: fail('bad_request') })).rejects.toThrow('no');
    expect(lab.shadow.pairs(review)).toHaveLength(8);
    expect(await lab.act('four')).toMatchObject([{ shadow: { answers: 4, failed: 8 } }]);
  });

  it('does not begin what the budget does not cover', async () => {
    const { lab, review } = await inTheShadow();
    live(lab, 'a');
    await expect(lab.act('one', { worstCaseUsd: () => 1 })).rejects.toThrow('USD are left');
    expect(lab.shadow.pairs(review)).toEqual([]);
  });
});

describe('answers of a shadow', () => {
  it('are kept for as long as traces are', async () => {
    const { lab, review } = await inTheShadow();
    live(lab, 'a');
    await lab.act('one');
    lab.clock.now += 9 * 86_400;
    live(lab, 'b');
    await lab.act('two');
    expect(lab.shadow.cleanUp(8)).toBe(1);
    expect(lab.shadow.pairs(review).map(({ trace_uid }) => trace_uid)).toEqual(['b']);
  });
});

describe('the summary of a shadow', () => {
  const pair = (answer: string | null, change: Partial<ShadowPair> = {}): ShadowPair => ({
    trace_uid: 'u',
    answer,
    is_broken: 0,
    error: null,
    expected_output: null,
    success: null,
    final_output: 'cause: agent_stall',
    ...change,
  });

  it('counts what was broken over the last twenty answers alone', () => {
    const broken = Array.from({ length: 3 }, () => pair('x', { is_broken: 1 }));
    const good = Array.from({ length: 18 }, () => pair('cause: agent_stall'));
    expect(shadowSummary([...broken, ...good])).toMatchObject({ broken: 3, is_unfit: false, same: 18 });
    expect(shadowSummary([...good, ...broken])).toMatchObject({ broken: 3, is_unfit: true });
  });

  it('knows nothing of traces that are gone', () => {
    expect(shadowSummary([pair('cause: agent_stall', { final_output: null })])).toMatchObject({
      answers: 1,
      same: 0,
      labelled: 0,
    });
  });
});
