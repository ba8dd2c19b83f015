import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseSilences, silenceOf } from '../../../src/decision/ladder/silences.js';

describe('the silences file', () => {
  it('may be written by hand', () => {
    const raw = [
      { symptom: ' disk_pressure ', expires_unix: 100 },
      { symptom: 'fd_pressure', subject: { pid: 7 }, expires_unix: 100, comment: 5 },
    ];
    const silences = parseSilences(raw);
    expect(silences).toEqual([
      { id: '', symptom: 'disk_pressure', subject: {}, created_unix: 0, expires_unix: 100, comment: '' },
      {
        id: '',
        symptom: 'fd_pressure',
        subject: { pid: '7' },
        created_unix: 0,
        expires_unix: 100,
        comment: '',
      },
    ]);
    expect(silenceOf({ name: 'fd_pressure', subject: { pid: '7' } }, silences, 99)).toBe(silences[1]);
    expect(silenceOf({ name: 'fd_pressure', subject: { pid: '8' } }, silences, 99)).toBeUndefined();
  });

  it('silences nothing where it names nothing or has no end', () => {
    expect(
      parseSilences([
        { symptom: '', expires_unix: 1 },
        { symptom: 'x' },
        { symptom: 'x', expires_unix: null },
        7,
        null,
      ]),
    ).toEqual([]);
    expect(parseSilences({ symptom: 'x', expires_unix: 1 })).toEqual([]);
    expect(parseSilences(null)).toEqual([]);
  });

  it('never costs a tick', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        for (const silence of parseSilences(JSON.parse(JSON.stringify(value))))
          expect(silence.symptom).not.toBe('');
      }),
    );
  });
});
