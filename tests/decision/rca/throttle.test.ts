import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Candidate, severityFloor, Throttle } from '../../../src/decision/rca/throttle.js';

const LIMITS = { severityMin: 'high', cooldownS: 60, maxCallsPerTick: 1 } as const;

function candidate(key: string, more: Partial<Candidate> = {}): Candidate {
  return { key, severity: 'high', isDestructive: false, ...more };
}

/** One key in a tick of its own; a call that is given out is made. */
function tryOnce(
  throttle: Throttle,
  tick: number,
  key: string,
  now: number,
  more: Partial<Candidate> = {},
): string {
  throttle.onTick(tick);
  const [refusal] = throttle.admit([candidate(key, more)], now);
  if (refusal === null) throttle.record(key, now);
  return refusal ?? 'allowed';
}

describe('the throttle (spec 05 B.11, B.13)', () => {
  it('refuses below the severity, gives one call per tick, and one per key and cooldown', () => {
    const throttle = new Throttle(LIMITS, undefined);
    expect(tryOnce(throttle, 1, 'a', 100, { severity: 'medium' })).toBe('severity');
    expect(tryOnce(throttle, 1, 'a', 100)).toBe('allowed');
    expect(tryOnce(throttle, 1, 'b', 100)).toBe('calls_per_tick');
    expect(tryOnce(throttle, 2, 'b', 100)).toBe('allowed');
    expect(tryOnce(throttle, 3, 'a', 159.9)).toBe('cooldown');
    expect(tryOnce(throttle, 4, 'a', 160)).toBe('allowed');
  });

  it('counts a clock that was set back as elapsed, which the reference does not (B.12.6)', () => {
    const throttle = new Throttle(LIMITS, { a: 100 });
    expect(tryOnce(throttle, 1, 'a', 50)).toBe('allowed');
  });

  it('begins anew with a smaller tick, and shares one bucket without a caller', () => {
    const throttle = new Throttle({ ...LIMITS, cooldownS: 0 }, undefined);
    expect(tryOnce(throttle, 7, 'a', 1)).toBe('allowed');
    expect(tryOnce(throttle, 7, 'b', 1)).toBe('calls_per_tick');
    expect(tryOnce(throttle, 3, 'b', 1)).toBe('allowed');
    const alone = new Throttle(LIMITS, undefined);
    expect([alone.admit([candidate('a')], 1), alone.admit([candidate('b')], 1)]).toEqual([
      [null],
      ['calls_per_tick'],
    ]);
  });

  it('a maximum of 0 refuses all', () => {
    expect(tryOnce(new Throttle({ ...LIMITS, maxCallsPerTick: 0 }, undefined), 1, 'a', 1)).toBe(
      'calls_per_tick',
    );
  });

  it('prefers a destructive intent, then severity, then what was not explained for the longest time (B.12.5)', () => {
    const three = [candidate('a'), candidate('b'), candidate('c', { isDestructive: true })];
    const admit = (stored: unknown, given: readonly Candidate[]): (string | null)[] =>
      new Throttle({ ...LIMITS, severityMin: 'low' }, stored).admit(given, 1000);
    const no = 'calls_per_tick';
    expect(admit({}, three)).toEqual([no, no, null]);
    expect(admit({}, [candidate('a'), candidate('b')])).toEqual([null, no]);
    expect(admit({ a: 1 }, [candidate('a'), candidate('b')])).toEqual([no, null]);
    expect(admit({ a: 2, b: 1 }, [candidate('a'), candidate('b')])).toEqual([no, null]);
    expect(admit({ b: 1 }, [candidate('a', { severity: 'low' }), candidate('b')])).toEqual([no, null]);
  });

  it('one key gets one call, however often it is listed', () => {
    const throttle = new Throttle({ ...LIMITS, maxCallsPerTick: 5 }, undefined);
    expect(throttle.admit([candidate('a'), candidate('a')], 1)).toEqual([null, 'cooldown']);
  });

  it('restores what it can read and keeps a bounded number', () => {
    const stored = { a: 3, z: 'x', t: ' 4.5 ', q: null, e: '', i: Number.POSITIVE_INFINITY, o: {} };
    expect(new Throttle(LIMITS, stored).snapshot()).toEqual({ a: 3, t: 4.5 });
    expect(new Throttle(LIMITS, [1]).snapshot()).toEqual({});
    const many = Object.fromEntries(Array.from({ length: 900 }, (_, index) => [`k${index}`, index]));
    const kept = Object.values(new Throttle(LIMITS, many).snapshot());
    expect([kept.length, Math.min(...kept.map(Number))]).toEqual([512, 388]);
  });

  it('never gives out more calls than it may, to anything below the floor, or within the cooldown', () => {
    const severity = fc.constantFrom('low', 'medium', 'high');
    const one = fc.record({
      key: fc.constantFrom('a', 'b', 'c', 'd'),
      severity,
      isDestructive: fc.boolean(),
    });
    fc.assert(
      fc.property(
        fc.array(fc.array(one, { maxLength: 6 }), { maxLength: 12 }),
        fc.integer({ min: 0, max: 3 }),
        (ticks, max) => {
          const throttle = new Throttle(
            { severityMin: 'medium', cooldownS: 25, maxCallsPerTick: max },
            undefined,
          );
          const last = new Map<string, number>();
          ticks.forEach((candidates, tick) => {
            const now = tick * 10;
            throttle.onTick(tick);
            const allowed = throttle
              .admit(candidates, now)
              .flatMap((refusal, index) => (refusal === null ? [candidates[index]] : []));
            expect(allowed.length).toBeLessThanOrEqual(max);
            for (const given of allowed) {
              if (!given) throw new Error('a verdict without a candidate');
              expect(given.severity).not.toBe('low');
              expect(now - (last.get(given.key) ?? -1000)).toBeGreaterThanOrEqual(25);
              last.set(given.key, now);
              throttle.record(given.key, now);
            }
          });
        },
      ),
    );
  });
});

describe('the severity floor', () => {
  it.each([
    ['low', 'low'],
    [' INFO ', 'low'],
    ['observe', 'low'],
    ['medium', 'medium'],
    ['Warn', 'medium'],
    ['warning', 'medium'],
    ['high', 'high'],
    ['', 'high'],
    ['critical', 'high'],
  ])('%j is %s', (word, severity) => {
    expect(severityFloor(word)).toBe(severity);
  });
});
