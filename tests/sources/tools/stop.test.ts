import { describe, expect, it } from 'vitest';
import { abortSignal, LazyStop } from '../../../src/sources/tools/stop.js';

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
