import { describe, expect, it } from 'vitest';
import { buildBusLists } from '../../src/signals/build-bus-lists.js';
import type { BusRow } from '../../src/signals/bus.js';
import { contextOf, snapshotOf } from '../support/rule-tester.js';

type Inbox = NonNullable<Parameters<typeof contextOf>[0]>['inbox'];

const lists = (events: unknown[], inbox: Inbox = []) =>
  buildBusLists(contextOf({ inbox }), snapshotOf({ coordinator_events: events }));
const ids = (rows: readonly BusRow[]) =>
  rows.map(({ id, origin }) => `${origin === 'event' ? 'e' : 'i'}${id ?? '?'}`);
const result = (task_id: unknown) => ({ topic: 'delegated_result', payload: { task_id } });

describe('buildBusLists', () => {
  it('merges numbered rows of both places in ascending order', () => {
    const { inboxFirst, eventsFirst } = lists([{ id: 2 }, { id: 5 }], [{ seq: 1 }, { seq: 3 }, { seq: 9 }]);
    expect(ids(inboxFirst)).toEqual(['i1', 'e2', 'i3', 'e5', 'i9']);
    expect(eventsFirst).toBe(inboxFirst);
  });

  it('prefers the event to the inbox row of the same number, because its payload is complete', () => {
    expect(ids(lists([{ id: 2 }], [{ seq: 1 }, { seq: 2 }]).inboxFirst)).toEqual(['i1', 'e2']);
  });

  it('drops a repeated inbox number; the first stays', () => {
    const { inboxFirst } = lists(
      [],
      [
        { seq: 4, topic: 'a' },
        { seq: 4, topic: 'b' },
      ],
    );
    expect(inboxFirst.map(({ row }) => row['topic'])).toEqual(['a']);
  });

  it('compares rows without number by their message ids', () => {
    expect(
      ids(
        lists(
          [{ msg_id: 'm1' }],
          [
            { seq: 7, msg_id: 'm1' },
            { seq: 8, msg_id: 'm2' },
          ],
        ).inboxFirst,
      ),
    ).toEqual(['i8', 'e?']);
    expect(ids(lists([{ id: 3, msg_id: 'm1' }], [{ msg_id: 'm1' }]).inboxFirst)).toEqual(['e3']);
  });

  it('does not take two numbered rows, or two without any identity, for one', () => {
    expect(ids(lists([{ id: 3, msg_id: 'm' }], [{ seq: 4, msg_id: 'm' }]).inboxFirst)).toEqual(['e3', 'i4']);
    expect(ids(lists([{}], [{}, {}]).inboxFirst)).toEqual(['i?', 'i?', 'e?']);
  });

  it.each([
    ['newest first', [{ id: 5 }, { id: 2 }]],
    ['one without number', [{ id: 2 }, {}]],
    ['numbers that repeat', [{ id: 2 }, { id: 2 }]],
  ])('concatenates the places when the events are %s', (_what, events) => {
    const { inboxFirst, eventsFirst } = lists(events, [{ seq: 1 }]);
    expect(ids(inboxFirst)[0]).toBe('i1');
    expect(ids(eventsFirst).at(-1)).toBe('i1');
    expect(inboxFirst).toHaveLength(events.length + 1);
  });

  it('keeps the last result of a task, in the order of each list', () => {
    const { inboxFirst, eventsFirst } = lists([{ ...result('t1') }, result('t2')], [{ ...result(' t1 ') }]);
    expect(ids(inboxFirst)).toEqual(['e?', 'e?']);
    expect(ids(eventsFirst)).toEqual(['e?', 'i?']);
  });

  it('compares task ids as text, and never blank or odd ones', () => {
    expect(lists([result(7), result('7')]).inboxFirst).toHaveLength(1);
    expect(
      lists([result(' '), result(' '), result(null), result(null), result(1.5), result(1.5)]).inboxFirst,
    ).toHaveLength(6);
    expect(lists([{ topic: 'event', payload: { task_id: 't' } }, result('t')]).inboxFirst).toHaveLength(2);
  });

  it('skips rows that are no objects and numbers that are none', () => {
    expect(ids(lists(['x', null, 7, [], { id: 0 }, { id: 1.5 }, { id: '3' }]).inboxFirst)).toEqual([
      'e?',
      'e?',
      'e?',
    ]);
  });
});
