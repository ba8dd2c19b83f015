import { describe, expect, it } from 'vitest';
import { monotonicMs } from '../../../src/sources/tools/clock.js';
import { Deadlines } from '../../../src/sources/tools/deadlines.js';

/** Resolves when `count` deadlines have called back, with their names in order. */
function recorder(count: number): {
  readonly all: Promise<readonly string[]>;
  readonly late: (name: string) => () => void;
} {
  const names: string[] = [];
  let done: (names: readonly string[]) => void = () => undefined;
  const all = new Promise<readonly string[]>((resolve) => {
    done = resolve;
  });
  const late = (name: string) => () => {
    names.push(name);
    if (names.length === count) done(names);
  };
  return { all, late };
}

describe('many deadlines on one timer', () => {
  it('call back in the order of their times, whatever the order in which they were added', async () => {
    const { all, late } = recorder(3);
    const deadlines = new Deadlines();
    const now = monotonicMs();
    deadlines.add(now + 40, late('third'));
    deadlines.add(now + 5, late('first'));
    deadlines.add(now + 20, late('second'));
    expect(await all).toEqual(['first', 'second', 'third']);
  });

  it('take an earlier one when a later one already waits', async () => {
    const { all, late } = recorder(1);
    const deadlines = new Deadlines();
    deadlines.add(monotonicMs() + 60_000, late('far'));
    await new Promise((resolve) => setImmediate(resolve));
    deadlines.add(monotonicMs() + 5, late('near'));
    expect(await all).toEqual(['near']);
    deadlines.end();
  });

  it('are never early', async () => {
    const due = monotonicMs() + 30;
    const at = await new Promise<number>((resolve) => {
      new Deadlines().add(due, () => resolve(monotonicMs()));
    });
    expect(at).toBeGreaterThanOrEqual(due - 1);
  });

  it('do not call back once dropped', async () => {
    const { all, late } = recorder(1);
    const deadlines = new Deadlines();
    const dropped = late('dropped');
    deadlines.add(monotonicMs() + 2, dropped);
    deadlines.add(monotonicMs() + 20, late('kept'));
    deadlines.drop(dropped);
    expect(await all).toEqual(['kept']);
  });

  it('call back all that are left at the end, and nothing twice', async () => {
    const { all, late } = recorder(2);
    const deadlines = new Deadlines();
    deadlines.add(monotonicMs() + 60_000, late('a'));
    deadlines.add(monotonicMs() + 60_000, late('b'));
    deadlines.end();
    deadlines.end();
    expect(await all).toEqual(['a', 'b']);
  });
});
