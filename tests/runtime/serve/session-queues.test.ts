import { describe, expect, it } from 'vitest';
import { SessionQueues } from '../../../src/runtime/serve/session-queues.js';

/** Work that ends when it is told to. */
function gate(): { readonly opened: Promise<void>; readonly open: () => void } {
  let open: () => void = () => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}

describe('the work of a session', () => {
  it('is done one after the other, in the order in which it came', async () => {
    const queues = new SessionQueues();
    const log: string[] = [];
    const { opened, open } = gate();
    const first = queues.run('s', async () => {
      log.push('first begins');
      await opened;
      log.push('first ends');
    });
    const second = queues.run('s', async () => {
      log.push('second');
    });
    open();
    await Promise.all([first, second]);
    expect(log).toEqual(['first begins', 'first ends', 'second']);
  });

  it('does not wait for that of another session', async () => {
    const queues = new SessionQueues();
    const { opened, open } = gate();
    const slow = queues.run('a', () => opened);
    expect(await queues.run('b', async () => 'done')).toBe('done');
    open();
    await slow;
  });

  it('goes on after a failure, which its caller learns', async () => {
    const queues = new SessionQueues();
    const failing = queues.run('s', () => Promise.reject(new Error('broken')));
    const next = queues.run('s', async () => 'fine');
    await expect(failing).rejects.toThrow('broken');
    expect(await next).toBe('fine');
  });

  it('is refused when too much of it waits, and taken again later', async () => {
    const queues = new SessionQueues();
    const { opened, open } = gate();
    const taken = Array.from({ length: 16 }, () => queues.run('s', () => opened));
    expect(taken.every((work) => work !== undefined)).toBe(true);
    expect(queues.run('s', () => opened)).toBeUndefined();
    open();
    await Promise.all(taken);
    await queues.idle();
    expect(await queues.run('s', async () => 'again')).toBe('again');
  });

  it('leaves nothing behind once it is done', async () => {
    const queues = new SessionQueues();
    await Promise.all(['a', 'b', 'a'].map((session) => queues.run(session, async () => undefined)));
    await queues.idle();
    expect(queues.size).toBe(0);
  });
});
