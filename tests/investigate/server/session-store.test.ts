import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { DEFAULT_LIMITS } from '../../../src/investigate/server/limits.js';
import { LiveRun } from '../../../src/investigate/server/live-run.js';
import { RateLimit } from '../../../src/investigate/server/rate-limit.js';
import { SessionStore } from '../../../src/investigate/server/session-store.js';

const HOUR = 3_600_000;

describe('conversations', () => {
  it('are found again by their caller alone', () => {
    const store = new SessionStore(DEFAULT_LIMITS, () => 0);
    const { id } = store.open(null, 'a');
    expect(store.open(id, 'a').id).toBe(id);
    expect(store.open(id, 'b').id).not.toBe(id);
  });

  it('end after an idle hour, but not while one runs', () => {
    let now = 0;
    const store = new SessionStore(DEFAULT_LIMITS, () => now);
    const idle = store.open(null, 'a');
    const busy = store.open(null, 'a');
    busy.running = 'inv-1-00000000';
    now = HOUR + 1;
    expect(store.open(busy.id, 'a')).toBe(busy);
    expect(store.open(idle.id, 'a').id).not.toBe(idle.id);
  });

  it('end after a day, however busy', () => {
    let now = 0;
    const store = new SessionStore(DEFAULT_LIMITS, () => now);
    const { id } = store.open(null, 'a');
    for (; now < 24 * HOUR; now += HOUR / 2) expect(store.open(id, 'a').id).toBe(id);
    now += HOUR / 2;
    expect(store.open(id, 'a').id).not.toBe(id);
  });

  it('make room for new ones: the longest unused goes, one at work last', () => {
    const store = new SessionStore({ ...DEFAULT_LIMITS, maxSessions: 3 }, () => 0);
    const [first, second, third] = [store.open(null, 'a'), store.open(null, 'a'), store.open(null, 'a')];
    first.running = 'inv-1-00000000';
    store.open(second.id, 'a');
    store.open(null, 'a');
    expect(store.size).toBe(3);
    expect(store.open(third.id, 'a').id).not.toBe(third.id);
    expect(store.open(first.id, 'a').id).toBe(first.id);
  });
});

describe('a limit per client', () => {
  it('forgets what is a minute old, and knows clients apart', () => {
    let now = 0;
    const limit = new RateLimit(2, () => now);
    expect([limit.take('a'), limit.take('a'), limit.take('b')]).toEqual([0, 0, 0]);
    now = 30_000;
    expect(limit.take('a')).toBe(30);
    now = 60_000;
    expect(limit.take('a')).toBe(0);
  });
});

describe('a run that somebody follows', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  const run = () =>
    new LiveRun({
      id: 'inv-1-00000000',
      sessionId: 's',
      issue: { description: '', service_name: null, trace_id: null, time_window_minutes: 10 },
      startedUnix: 1,
      detachMs: 5,
    });

  it('goes on as long as one listener is left, whoever came first', () => {
    const live = run();
    const leaveFirst = live.listen(0, () => undefined);
    live.listen(0, () => undefined);
    leaveFirst();
    vi.advanceTimersByTime(20);
    expect(live.signal.aborted).toBe(false);
  });

  it('goes on when somebody comes back in time', () => {
    const live = run();
    live.listen(0, () => undefined)();
    live.listen(0, () => undefined);
    vi.advanceTimersByTime(20);
    expect(live.signal.aborted).toBe(false);
  });

  it('is cancelled when nobody does', () => {
    const live = run();
    live.listen(0, () => undefined)();
    vi.advanceTimersByTime(4);
    expect(live.signal.aborted).toBe(false);
    vi.advanceTimersByTime(1);
    expect(live.signal.aborted).toBe(true);
  });

  it('says nothing after its end', () => {
    const live = run();
    const seen: unknown[] = [];
    live.listen(0, ({ event }) => seen.push(event.type));
    live.end({ type: 'error', session_id: 's', code: 'internal', message: '' });
    live.end({ type: 'error', session_id: 's', code: 'budget', message: '' });
    live.tell({ type: 'progress', phase: 'late', budget: null });
    expect(seen).toEqual(['error']);
  });
});
