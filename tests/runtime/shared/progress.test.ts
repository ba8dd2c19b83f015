import { describe, expect, it } from 'vitest';
import { Progress } from '../../../src/runtime/shared/progress.js';

/** A stream that keeps what it gets, and a clock that one sets. */
function setUp(isTTY: boolean) {
  const written: string[] = [];
  const clock = { ms: 0 };
  const stderr = Object.assign(Object.create(process.stderr), {
    isTTY,
    write: (text: string) => written.push(text) > 0,
  });
  const progress = new Progress({ stderr }, () => clock.ms);
  const at = (ms: number, text: string): void => {
    clock.ms = ms;
    progress.update(text);
  };
  return { written, progress, at };
}

describe('progress', () => {
  it('says nothing in the first second', () => {
    const { written, at, progress } = setUp(true);
    at(0, 'one');
    at(999, 'two');
    progress.done();
    expect(written).toEqual([]);
  });

  it('rewrites one line on a terminal and clears it at the end', () => {
    const { written, at, progress } = setUp(true);
    at(1000, 'one');
    at(1001, 'x'.repeat(200));
    progress.done();
    progress.done();
    expect(written).toEqual(['\r\x1b[Kone', `\r\x1b[K${'x'.repeat(79)}`, '\r\x1b[K']);
  });

  it('writes a line every two seconds elsewhere', () => {
    const { written, at, progress } = setUp(false);
    for (let ms = 1000; ms <= 5000; ms += 500) at(ms, String(ms));
    progress.done();
    expect(written).toEqual(['1000\n', '3000\n', '5000\n']);
  });
});
