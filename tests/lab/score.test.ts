import { describe, expect, it } from 'vitest';
import type { LabAlert, LabRun, LabTick } from '../../bench/lab/result.js';
import type { Fault } from '../../bench/lab/scenario.js';
import { matches, scoreRun } from '../../bench/lab/score.js';

const alert = (name: string, more: Partial<LabAlert> = {}): LabAlert => ({
  name,
  severity: 'medium',
  subject: {},
  summary: name,
  destructive: [],
  ...more,
});
/** A tick every ten minutes. */
const tick = (n: number, alerts: LabAlert[], more: Partial<LabTick> = {}): LabTick => ({
  tick: n,
  at: n * 600,
  alerts,
  present: [],
  explained: [],
  truths: [],
  intents: [],
  ...more,
});
const fault = (more: Partial<Fault> = {}): Fault => ({
  cause: 'c',
  from: 20,
  until: 60,
  visibleAfter: 10,
  right: ['x'],
  severity: 'medium',
  company: ['y'],
  destructive: [],
  ...more,
});
const run = (ticks: LabTick[], faults: Fault[] = []): LabRun => ({
  scenario: 's',
  kind: 'faulty',
  seed: 1,
  sessionDir: '/s',
  startUnix: 0,
  endUnix: 36_000,
  ticks,
  faults,
  notices: [],
});

describe('scoreRun', () => {
  it('counts the delay from the first tick at which the fault was visible', () => {
    const { faults } = scoreRun(
      run([tick(2, []), tick(3, []), tick(4, []), tick(5, [alert('x')])], [fault()]),
    );
    expect(faults[0]).toMatchObject({ couldBeSeen: true, delayTicks: 2, delayMinutes: 20 });
  });

  it('takes what comes before the fault, or long after it, for wrong', () => {
    const early = alert('x', { summary: 'early' });
    const late = alert('x', { summary: 'late' });
    const { wrong } = scoreRun(run([tick(1, [early]), tick(3, [alert('x')]), tick(16, [late])], [fault()]));
    expect(wrong.map(({ summary }) => summary)).toEqual(['early', 'late']);
  });

  it('a remark does not find a fault that deserves an alert', () => {
    const { faults } = scoreRun(run([tick(3, [alert('x', { severity: 'low' })])], [fault()]));
    expect(faults[0]?.found).toBeNull();
  });

  it('a fault between two ticks could not be seen', () => {
    const { faults } = scoreRun(run([tick(1, []), tick(9, [])], [fault()]));
    expect(faults[0]?.couldBeSeen).toBe(false);
  });

  it('company is excused and finds nothing; a stranger is wrong', () => {
    const { faults, wrong } = scoreRun(run([tick(3, [alert('y'), alert('z')])], [fault()]));
    expect(faults[0]?.found).toBeNull();
    expect(wrong.map(({ name }) => name)).toEqual(['z']);
  });

  it('a destructive intent needs a fault that allows it', () => {
    const pruned = alert('x', { severity: 'high', destructive: ['prune:a'] });
    expect(scoreRun(run([tick(3, [pruned])], [fault()])).wrongDestructive).toHaveLength(1);
    expect(
      scoreRun(run([tick(3, [pruned])], [fault({ destructive: ['prune:a'] })])).wrongDestructive,
    ).toEqual([]);
  });

  it('reminders are alerts and no news; a rise and a confirmation are both', () => {
    const ticks = [
      tick(3, [alert('x')]),
      tick(4, [alert('x')]),
      tick(5, [alert('x', { severity: 'high' })]),
      tick(6, [alert('x', { severity: 'high', destructive: ['recover'] })]),
      tick(7, [alert('x', { severity: 'high' })]),
    ];
    const { faults } = scoreRun(run(ticks, [fault({ destructive: ['recover'] })]));
    expect(faults[0]).toMatchObject({
      alertsInFirstHour: 5,
      newsInFirstHour: 3,
      confirmedDestructive: true,
    });
  });

  it('a severity that rises and is neither said nor explained is lost', () => {
    const high = { present: [{ key: 'x', severity: 'high' as const }] };
    const medium = tick(1, [alert('x')], { present: [{ key: 'x', severity: 'medium' }] });
    expect(scoreRun(run([medium, tick(2, [], high), tick(3, [], high)])).escalationsLost).toEqual(['x']);
    const said = [medium, tick(2, [alert('x', { severity: 'high' })], high), tick(3, [], high)];
    expect(scoreRun(run(said)).escalationsLost).toEqual([]);
    const explained = { ...high, explained: ['x'] };
    expect(scoreRun(run([medium, tick(2, [], explained), tick(3, [], explained)])).escalationsLost).toEqual(
      [],
    );
  });

  it('what tells the time truly is right in any session', () => {
    const { wrong } = scoreRun(run([tick(1, [alert('t')], { truths: ['t'] }), tick(2, [alert('t')])]));
    expect(wrong).toHaveLength(1);
  });
});

it('a match may name a value of the subject', () => {
  expect(matches({ name: 'x', subject: { agent: 'critic' } }, 'x:critic')).toBe(true);
  expect(matches({ name: 'x', subject: { agent: 'other' } }, 'x:critic')).toBe(false);
  expect(matches({ name: 'x', subject: {} }, 'x')).toBe(true);
});
