import { describe, expect, it } from 'vitest';
import { abortSignal, LazyStop, within } from '../../../src/sources/tools/stop.js';

describe('the stop of a collector', () => {
  it('is not over before it is told so', () => {
    const stop = new LazyStop();
    expect(stop.aborted).toBe(false);
    expect(() => stop.throwIfAborted()).not.toThrow();
    expect(stop.signal.aborted).toBe(false);
  });

  it('tells a signal that was handed out before, with its reason', () => {
    const stop = new LazyStop();
    const reason = new Error('out of time');
    let heard: unknown;
    stop.signal.addEventListener('abort', () => {
      heard = stop.signal.reason;
    });
    stop.abort(reason);
    expect(heard).toBe(reason);
    expect(() => stop.throwIfAborted()).toThrow(reason);
  });

  it('hands out a signal that is over when it is over already', () => {
    const stop = new LazyStop();
    stop.abort(new Error('out of time'));
    expect(stop.signal.aborted).toBe(true);
    expect(stop.signal.reason).toEqual(new Error('out of time'));
  });

  it('keeps its first reason', () => {
    const stop = new LazyStop();
    stop.abort(new Error('first'));
    stop.abort(new Error('second'));
    expect(() => stop.throwIfAborted()).toThrow('first');
  });

  it('gives one and the same signal each time, and leaves those of Node as they are', () => {
    const stop = new LazyStop();
    expect(abortSignal(stop)).toBe(abortSignal(stop));
    const { signal } = new AbortController();
    expect(abortSignal(signal)).toBe(signal);
  });
});

describe('a stop within a time', () => {
  it('is over when the one around it is', () => {
    const around = new LazyStop();
    const inner = within(around, 60_000);
    expect(inner.aborted).toBe(false);
    expect(() => inner.throwIfAborted()).not.toThrow();
    const { signal } = inner;
    around.abort(new Error('enough'));
    expect(inner.aborted).toBe(true);
    expect(signal.aborted).toBe(true);
    expect(() => inner.throwIfAborted()).toThrow('enough');
  });

  it('is over after its time, and so is its signal', async () => {
    const inner = within(new LazyStop(), 1);
    const { signal } = inner;
    await new Promise<void>((resolve) => {
      if (signal.aborted) resolve();
      else signal.addEventListener('abort', () => resolve());
    });
    await new Promise((resolve) => setTimeout(resolve, 2));
    expect(inner.aborted).toBe(true);
    expect(() => inner.throwIfAborted()).toThrow('out of time');
  });

  it('hands out one signal', () => {
    const inner = within(new LazyStop(), 60_000);
    expect(inner.signal).toBe(inner.signal);
  });
});
