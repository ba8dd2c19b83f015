import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { TraceEvent } from '../../../src/rx/trace/event.js';
import { formatTraceEvent } from '../../../src/rx/trace/format-event.js';
import { parseTraceEvent } from '../../../src/rx/trace/parse-event.js';

const lean = { run_id: 'r', turn: 1, agent_id: 'a', action_succeeded: true };

function parsed(patch: Record<string, unknown>): TraceEvent {
  const result = parseTraceEvent({ ...lean, ...patch });
  if (!result.ok) throw new Error(`${result.field}: ${result.reason}`);
  return result.value;
}

function refusedField(patch: Record<string, unknown>): string {
  const result = parseTraceEvent({ ...lean, ...patch });
  return result.ok ? 'accepted' : result.field;
}

describe('parseTraceEvent', () => {
  it('gives a lean row the defaults', () => {
    expect(parsed({})).toEqual({
      event_id: '',
      run_id: 'r',
      turn: 1,
      agent_id: 'a',
      tool_name: 'unknown',
      action_succeeded: true,
      divergence_fields: [],
      failure_classification: null,
      latency_total_ms: 0,
    });
  });

  it('reads the full row of the native schema', () => {
    const event = parsed({
      event_id: 'e',
      timestamp: null,
      action_taken: { tool_name: 'move', tool_input: { x: 1 } },
      latency_ms: { llm: 3, tool: 4, total: 9 },
      divergence_fields: ['b', 'a'],
      divergence_age: { b: 2 },
      failure_classification: 'agent_error',
      usage: { input_tokens: 3 },
    });
    expect(event).toMatchObject({ tool_name: 'move', latency_total_ms: 9, divergence_fields: ['b', 'a'] });
  });

  it.each([
    ['turn as text', { turn: '3' }, { turn: 3 }],
    ['negative turn', { turn: -2 }, { turn: -2 }],
    ['false as text in any case', { action_succeeded: 'False' }, { action_succeeded: false }],
    ['1 as true', { action_succeeded: 1 }, { action_succeeded: true }],
    ['a numeric agent', { agent_id: 7 }, { agent_id: '7' }],
    ['the text null as none', { failure_classification: 'null' }, { failure_classification: null }],
    ['the empty text as none', { failure_classification: '' }, { failure_classification: null }],
    ['a number as classification', { failure_classification: 5 }, { failure_classification: '5' }],
    ['NULL as a name', { failure_classification: 'NULL' }, { failure_classification: 'NULL' }],
    ['a bare latency', { latency_ms: 12.9 }, { latency_total_ms: 12 }],
    ['latency as text', { latency_ms: '8.7' }, { latency_total_ms: 8 }],
    ['a latency without total', { latency_ms: { llm: 4 } }, { latency_total_ms: 0 }],
    ['a null total', { latency_ms: { total: null } }, { latency_total_ms: 0 }],
    ['a null action', { action_taken: null, tool_name: 'top' }, { tool_name: 'top' }],
    ['a null tool inside an action', { action_taken: { tool_name: null } }, { tool_name: 'unknown' }],
  ])('accepts %s', (_, patch, expected) => {
    expect(parsed(patch)).toMatchObject(expected);
  });

  it.each([
    ['a null turn', { turn: null }, 'turn'],
    ['a fractional turn', { turn: 3.9 }, 'turn'],
    ['a boolean turn', { turn: true }, 'turn'],
    ['a word as turn', { turn: 'x' }, 'turn'],
    ['a turn beyond exact integers', { turn: Number.POSITIVE_INFINITY }, 'turn'],
    ['no run', { run_id: undefined }, 'run_id'],
    ['an empty agent', { agent_id: '' }, 'agent_id'],
    ['a null outcome', { action_succeeded: null }, 'action_succeeded'],
    ['another number as outcome', { action_succeeded: 2 }, 'action_succeeded'],
    ['a word as outcome', { action_succeeded: 'yes' }, 'action_succeeded'],
    ['a classification list', { failure_classification: ['a'] }, 'failure_classification'],
    ['a text as divergence list', { divergence_fields: 'abc' }, 'divergence_fields'],
    ['a number as divergence list', { divergence_fields: 3 }, 'divergence_fields'],
    ['a nested divergence list', { divergence_fields: [['a']] }, 'divergence_fields'],
    ['an action that is text', { action_taken: 'move' }, 'action_taken'],
    ['a negative latency', { latency_ms: -1 }, 'latency_ms'],
    ['an infinite latency', { latency_ms: Number.POSITIVE_INFINITY }, 'latency_ms'],
    ['a word inside the latency', { latency_ms: { llm: 'x', total: 3 } }, 'latency_ms.llm'],
    ['an object as event id', { event_id: {} }, 'event_id'],
  ])('refuses %s and names the field', (_, patch, field) => {
    expect(refusedField(patch)).toBe(field);
  });

  it.each([[null], [3], ['row'], [[lean]]])('refuses the row %j', (row) => {
    expect(parseTraceEvent(row)).toMatchObject({ ok: false, field: '' });
  });

  it('never throws, whatever JSON it gets', () => {
    const patch = fc.dictionary(
      fc.constantFrom(...Object.keys(parsed({})), 'action_taken', 'latency_ms'),
      fc.jsonValue(),
    );
    fc.assert(
      fc.property(patch, (fields) => typeof parseTraceEvent({ ...lean, ...fields }).ok === 'boolean'),
    );
  });
});

describe('formatTraceEvent', () => {
  it('writes what the parser reads back', () => {
    const event = fc.record({
      event_id: fc.string({ unit: 'binary' }),
      run_id: fc.string({ minLength: 1, unit: 'binary' }),
      turn: fc.integer(),
      agent_id: fc.string({ minLength: 1 }),
      tool_name: fc.string({ minLength: 1 }),
      action_succeeded: fc.boolean(),
      divergence_fields: fc.array(fc.string()),
      failure_classification: fc.option(fc.constantFrom('agent_error', 'größer', '"')),
      latency_total_ms: fc.nat(),
    });
    fc.assert(
      fc.property(event, (original) => {
        const line = formatTraceEvent(original);
        expect(line).toMatch(/^[\x20-\x7f]+\n$/);
        expect(parseTraceEvent(JSON.parse(line))).toEqual({ ok: true, value: original });
      }),
    );
  });
});
