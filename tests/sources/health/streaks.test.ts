import { describe, expect, it } from 'vitest';
import { nextStreak } from '../../../src/sources/health/streaks.js';

const failed = (nowUnix: number) => ({ isFailing: true, pid: 7, nowUnix });

describe('the streak of a health target', () => {
  it('goes on from look to look', () => {
    const first = nextStreak(undefined, failed(1000));
    const second = nextStreak(first, failed(4600));
    expect([first.fail_streak, second.fail_streak, second.first_seen_unix]).toEqual([1, 2, 1000]);
  });

  it('begins anew after an hour in which nobody looked: a suspended node fails no probes', () => {
    const before = nextStreak(nextStreak(undefined, failed(1000)), failed(1100));
    expect(nextStreak(before, failed(4701))).toMatchObject({ fail_streak: 1, first_seen_unix: 4701 });
  });

  it('begins anew when the clock was set back', () => {
    const before = nextStreak(undefined, failed(5000));
    expect(nextStreak(before, failed(4000)).fail_streak).toBe(1);
  });

  it('belongs to one process', () => {
    const before = nextStreak(nextStreak(undefined, failed(1000)), failed(1100));
    expect(nextStreak(before, { ...failed(1200), pid: 8 }).fail_streak).toBe(1);
  });
});
