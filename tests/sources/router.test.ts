import { describe, expect, it } from 'vitest';
import { type FetchOutcome, type RouteResult, route, type Source } from '../../src/sources/router.js';
import { emptySnapshot } from '../../src/sources/snapshot.js';

const OK: FetchOutcome = { kind: 'snapshot', snapshot: emptySnapshot() };
const DOWN: FetchOutcome = { kind: 'unavailable', reason: 'nothing came' };

/** A source that gives the next of its outcomes at each fetch and counts them; an error is thrown. */
class Scripted implements Source {
  calls = 0;
  readonly name: string;
  readonly #outcomes: (FetchOutcome | Error)[];
  constructor(name: string, outcomes: readonly (FetchOutcome | Error)[]) {
    this.name = name;
    this.#outcomes = [...outcomes];
  }
  async fetch(): Promise<FetchOutcome> {
    const outcome = this.#outcomes[Math.min(this.calls, this.#outcomes.length - 1)] ?? DOWN;
    this.calls += 1;
    if (outcome instanceof Error) throw outcome;
    return outcome;
  }
}

const SETTINGS = { failThreshold: 3, recheckIntervalS: 30 };

/** Ticks one after another, each remembering the last through JSON, as separate processes do. */
async function ticks(primary: Source, fallback: Source, times: readonly number[], settings = SETTINGS) {
  let memory = {};
  const results: RouteResult[] = [];
  for (const now of times) {
    const result = await route(primary, fallback, memory, now, settings);
    memory = JSON.parse(JSON.stringify(result.memory));
    results.push(result);
  }
  return results;
}

describe('degrade router', () => {
  it('degrades at the threshold, tries again after the interval and recovers at the first success', async () => {
    const primary = new Scripted('p', [DOWN, DOWN, DOWN, DOWN, OK]);
    const results = await ticks(primary, new Scripted('f', [OK]), [1000, 1001, 1002, 1031.999, 1032, 1062]);
    expect(results.map((result) => result.memory['p'])).toMatchObject([
      { state: 'healthy', fail_streak: 1 },
      { state: 'healthy', fail_streak: 2 },
      { state: 'degraded', fail_streak: 3, last_recheck_unix: 1002 },
      { state: 'degraded', fail_streak: 3 },
      { state: 'degraded', fail_streak: 4, last_recheck_unix: 1032 },
      { state: 'healthy', fail_streak: 0 },
    ]);
    expect(primary.calls).toBe(5);
    expect(results.map((result) => result.transitions.length)).toEqual([0, 0, 1, 0, 0, 1]);
    expect(results.map((result) => result.snapshot.sources_used)).toEqual([
      ['f'],
      ['f'],
      ['f'],
      ['f'],
      ['f'],
      ['p'],
    ]);
    expect(results.map((result) => result.snapshot.degraded_reason === null)).toEqual([
      true,
      true,
      false,
      false,
      false,
      true,
    ]);
    expect(results[2]?.snapshot.degraded_reason).toContain('nothing came');
  });

  it('treats a bug of the primary as a failure and reports it every time', async () => {
    const results = await ticks(new Scripted('p', [new Error('bug')]), new Scripted('f', [OK]), [1, 2]);
    expect(results.map((result) => result.faults)).toMatchObject([[{ source: 'p' }], [{ source: 'p' }]]);
    expect(results[1]?.memory['p']).toMatchObject({ fail_streak: 2, state: 'healthy' });
  });

  it('claims nothing when both sources fail', async () => {
    const [first, second] = await ticks(new Scripted('p', [DOWN]), new Scripted('f', [DOWN]), [1, 2], {
      failThreshold: 1,
      recheckIntervalS: 0,
    });
    expect(first?.snapshot).toMatchObject({ sources_used: [], local_processes_known: false });
    expect(first?.snapshot.degraded_reason).toMatch(/p: nothing came.*f is unavailable too/);
    expect(first?.transitions.map(({ source, from, to }) => [source, from, to])).toEqual([
      ['p', 'healthy', 'degraded'],
      ['f', 'healthy', 'degraded'],
      ['f', 'degraded', 'failed'],
    ]);
    expect(second?.transitions).toEqual([]);
  });

  it('keeps a failed fallback failed while it breaks, and lets it recover', async () => {
    const fallback = new Scripted('f', [DOWN, new Error('x'), OK]);
    const results = await ticks(new Scripted('p', [DOWN]), fallback, [1, 2, 3], {
      failThreshold: 5,
      recheckIntervalS: 0,
    });
    expect(results.map((result) => result.memory['f']?.state)).toEqual(['failed', 'failed', 'healthy']);
    expect(results[2]?.transitions).toMatchObject([{ source: 'f', from: 'failed', to: 'healthy' }]);
  });

  it('takes a threshold below 1 as 1 and a negative interval as none', async () => {
    const primary = new Scripted('p', [DOWN]);
    const [first] = await ticks(primary, new Scripted('f', [OK]), [1, 2], {
      failThreshold: 0,
      recheckIntervalS: -5,
    });
    expect(first?.memory['p']).toMatchObject({ state: 'degraded' });
    expect(primary.calls).toBe(2);
  });

  it('counts a re-check in the future as due, and foreign memory as none', async () => {
    const primary = new Scripted('p', [OK]);
    const future = { p: { state: 'degraded', fail_streak: 3, last_recheck_unix: 9e9 } };
    expect(
      (await route(primary, new Scripted('f', [OK]), future, 100, SETTINGS)).snapshot.sources_used,
    ).toEqual(['p']);
    const odd = { p: { state: 7, fail_streak: 'x', last_recheck_unix: null }, f: [] };
    expect((await route(primary, new Scripted('f', [OK]), odd, 100, SETTINGS)).memory['p']).toMatchObject({
      state: 'healthy',
    });
  });

  it('refuses two sources of one name', async () => {
    await expect(route(new Scripted('x', [OK]), new Scripted('x', [OK]), {}, 0, SETTINGS)).rejects.toThrow(
      RangeError,
    );
  });
});
