import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseSample } from '../../../src/sources/logs/engine-samples.js';
import { LogJudge } from '../../../src/sources/logs/judge-record.js';
import { splitLogLines } from '../../../src/sources/logs/lines.js';
import { joinRecords } from '../../../src/sources/logs/records.js';

const words = fc.constantFrom(
  ...[
    'Traceback (most recent call last):',
    '  File "a.py", line 1',
    'RuntimeError: x',
    '',
    'Killed',
    '0 errors',
    'NCCL error',
  ],
  ...[
    'During handling of the above exception, another exception occurred:',
    '[  1.234567] amdgpu',
    '[  1.234568]   ring',
    '\u001b[31m',
  ],
  ...['hipBLAS', 'error', 'status 3', 'no ', 'EngineCore', 'died', '[', ']', ':', '2031-01-01 10:00:00 INFO'],
);
const line = fc.oneof(
  words,
  fc.string({ maxLength: 40 }),
  fc.array(words, { maxLength: 6 }).map((parts) => parts.join(' ')),
);
const text = fc.array(line, { maxLength: 40 }).map((lines) => lines.join('\n'));

describe('whatever a log holds', () => {
  it('its lines cover every byte once, in order', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 400 }), fc.nat(1000), (bytes, base) => {
        const { lines, rest } = splitLogLines(Buffer.from(bytes), base);
        const offsets = [...lines, rest].map(({ offset }) => offset);
        expect(offsets[0]).toBe(base);
        expect([...offsets].sort((a, b) => a - b)).toEqual(offsets);
        expect(rest.offset).toBeLessThanOrEqual(base + bytes.length);
        for (const { text: content } of lines) expect(content).not.toMatch(/[\r\n]/);
      }),
    );
  });

  it('every line is in one record at most, in order, and only the last record may be open', () => {
    fc.assert(
      fc.property(text, (content) => {
        const { lines, rest } = splitLogLines(Buffer.from(content), 0);
        const records = joinRecords([...lines, rest]);
        const offsets = records.map(({ offset }) => offset);
        expect(new Set(offsets).size).toBe(offsets.length);
        expect([...offsets].sort((a, b) => a - b)).toEqual(offsets);
        for (const record of records.slice(0, -1)) expect(record.isOpen).toBe(false);
      }),
    );
  });

  it('judging gives a known identifier or nothing, and never throws', () => {
    const judge = new LogJudge(['a * b', '***', '(']);
    fc.assert(
      fc.property(text, (content) => {
        const { lines, rest } = splitLogLines(Buffer.from(content), 0);
        for (const record of joinRecords([...lines, rest])) {
          const finding = judge.judge(record);
          if (finding !== undefined)
            expect(['root', 'own', 'cascade', 'confirmation']).toContain(finding.role);
        }
        for (const { text: each } of lines) parseSample(each);
      }),
    );
  });
});
