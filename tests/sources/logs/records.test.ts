import { describe, expect, it } from 'vitest';
import { splitLogLines } from '../../../src/sources/logs/lines.js';
import { joinRecords } from '../../../src/sources/logs/records.js';

function records(text: string) {
  const { lines } = splitLogLines(Buffer.from(text), 0);
  return joinRecords(lines).map((record) => record.lines.map((line) => line.text));
}

const TRACE = `before
Traceback (most recent call last):
  File "/x/a.py", line 3, in run
    raise RuntimeError("NCCL error")
torch.OutOfMemoryError: HIP out of memory. Tried to allocate 2 GiB

During handling of the above exception, another exception occurred:

Traceback (most recent call last):
  File "/x/b.py", line 9, in main
    core.wait()
RuntimeError: Engine core initialization failed.
after
`;

describe('records of a log', () => {
  it('join a chained trace and leave out its frames', () => {
    expect(records(TRACE)).toEqual([
      ['before'],
      [
        'torch.OutOfMemoryError: HIP out of memory. Tried to allocate 2 GiB',
        'RuntimeError: Engine core initialization failed.',
      ],
      ['after'],
    ]);
  });

  it('join a trace whose every line carries the prefix of a logger', () => {
    const prefix = '(EngineCore_0 pid=12) ERROR 01-02 10:00:00 [core.py:700] ';
    const text = ['Traceback (most recent call last):', '  File "a.py", line 1', 'ValueError: x', 'next']
      .map((line) => `${prefix}${line}\n`)
      .join('');
    expect(records(text)).toEqual([[`${prefix}ValueError: x`], [`${prefix}next`]]);
  });

  it('keep what stands before a trace on its first line', () => {
    const text =
      'TP0 Scheduler gave up: Traceback (most recent call last):\n  File "a.py", line 1\nKeyError: x\n';
    expect(records(text)).toEqual([
      ['TP0 Scheduler gave up: Traceback (most recent call last):', 'KeyError: x'],
    ]);
  });

  it('do not join what merely follows a trace', () => {
    const text =
      'Traceback (most recent call last):\n  File "a.py", line 1\nValueError: x\n\nTraceback (most recent call last):\n  File "b.py", line 1\nKeyError: y\n';
    expect(records(text)).toEqual([['ValueError: x'], [''], ['KeyError: y']]);
  });

  it('mark a trace that is still being written', () => {
    const { lines } = splitLogLines(
      Buffer.from('x\nTraceback (most recent call last):\n  File "a.py", line 1\n'),
      0,
    );
    expect(joinRecords(lines)).toMatchObject([{ isOpen: false }, { isOpen: true, offset: 2, lines: [] }]);
  });

  it('join a kernel message that is wrapped', () => {
    const text =
      '[  123.456789] amdgpu 0000:c1:00.0: amdgpu: queue reset\n[  123.456790]   ring comp_1.0.1 timeout\n[  123.5] other\n';
    expect(records(text)).toEqual([
      ['[  123.456789] amdgpu 0000:c1:00.0: amdgpu: queue reset ring comp_1.0.1 timeout'],
      ['[  123.5] other'],
    ]);
  });
});

describe('lines of a log', () => {
  it('end at LF, CRLF and a lone CR, nowhere else', () => {
    const { lines, rest } = splitLogLines(Buffer.from('p1\rp2\r\np3\nform\ffeed\u2028and\u0085more'), 100);
    expect(lines).toEqual([
      { text: 'p1', offset: 100 },
      { text: 'p2', offset: 103 },
      { text: 'p3', offset: 107 },
    ]);
    expect(rest).toEqual({ text: 'form\ffeed\u2028and\u0085more', offset: 110 });
  });

  it('are cut at 4000 characters and decoded lossily', () => {
    const { rest } = splitLogLines(Buffer.concat([Buffer.from([0xff]), Buffer.alloc(9000, 'x')]), 0);
    expect(rest.text).toHaveLength(4000);
    expect(rest.text.startsWith('\ufffdxx')).toBe(true);
  });
});
