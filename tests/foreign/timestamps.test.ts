import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { unixSeconds, usableUnixSeconds } from '../../src/foreign/timestamps.js';

describe('unixSeconds', () => {
  it.each([
    ['1970-01-01T02:00:00', 7200],
    ['1970-01-01T02:00:00+00:00', 7200],
    ['1970-01-01T02:00:00.250000+00:00', 7200.25],
    ['1970-01-01T02:00:00,1234567Z', 7200.123456],
    ['1970-01-01T02', 7200],
    ['1970-01-01T02:30', 9000],
    ['1970-01-01 0230', 9000],
    ['19700101T023015', 9015],
    ['1970-01-01x02:00', 7200],
    ['1970-01-02', 86_400],
    ['19700102', 86_400],
    ['1970-W01-5', 86_400],
    ['1970W015', 86_400],
    ['1970-W01', -259_200],
    ['2020-W53-7', 1_609_632_000],
    ['1970-01-01T02:00:00+01:00', 3600],
    ['1970-01-01T02:00:00-0100', 10_800],
    ['1970-01-01T02:00:00 +01:00:30', 3570],
    ['  1970-01-01T02:00:00Z  ', 7200],
    ['1e3', 1000],
    ['-5', -5],
    ['1_000', 1000],
    ['.5', 0.5],
  ])('reads %j', (source, expected) => {
    expect(unixSeconds(source)).toBeCloseTo(expected, 6);
  });

  it.each([
    ['an empty text', ''],
    ['a word', 'yesterday'],
    ['a lower-case z', '1970-01-01T02:00:00z'],
    ['the hour 24', '1970-01-01T24:00:00'],
    ['the second 60', '1970-01-01T02:00:60'],
    ['half a set of colons', '1970-01-01T02:0030'],
    ['a day that does not exist', '1970-02-30'],
    ['a week that does not exist', '2021-W53-1'],
    ['the year 0', '0000-01-01'],
    ['a hexadecimal number', '0x10'],
    ['two underscores', '1__0'],
    ['infinity', 'inf'],
    ['a number beyond double range', '1e999'],
    ['a very long text', `1${'0'.repeat(100)}`],
  ])('refuses %s', (_what, source) => {
    expect(unixSeconds(source)).toBeUndefined();
  });

  it.each([[null], [true], [[]], [{}], [undefined], [Number.NaN], [Number.POSITIVE_INFINITY]])(
    'refuses %j, which is neither a finite number nor a text',
    (value) => {
      expect(unixSeconds(value)).toBeUndefined();
    },
  );

  it('keeps what the reference keeps: eight digits are a date', () => {
    expect(unixSeconds('20260101')).toBe(Date.UTC(2026, 0, 1) / 1000);
  });

  it('agrees with the platform on every instant that it prints, whatever the local time zone', () => {
    fc.assert(
      fc.property(fc.date({ min: new Date(0), max: new Date('9999-12-31'), noInvalidDate: true }), (date) => {
        expect(unixSeconds(date.toISOString())).toBeCloseTo(date.getTime() / 1000, 3);
      }),
    );
  });

  it('never throws and never gives a number that is not finite', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.stringMatching(/^[0-9TWZ:+. -]{0,40}$/)), (source) => {
        const unix = unixSeconds(source);
        expect(unix === undefined || Number.isFinite(unix)).toBe(true);
      }),
    );
  });
});

describe('usableUnixSeconds', () => {
  it.each([
    ['a plain stamp', 9000, 9000],
    ['zero', 0, 0],
    ['milliseconds as a number', 1_795_000_000_000, undefined],
    ['a stamp just within 300 s of the future', 10_300, 10_300],
    ['a stamp beyond that', 10_301, undefined],
    ['a negative stamp', -1, undefined],
  ])('at 10000 s, %s', (_what, value, expected) => {
    expect(usableUnixSeconds(value, 10_000)).toBe(expected);
  });

  it('divides milliseconds by 1000', () => {
    expect(usableUnixSeconds(1_795_000_000_000, 1_795_000_100)).toBe(1_795_000_000);
  });
});
