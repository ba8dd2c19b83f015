import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TraceEvent } from '../../../src/rx/trace/event.js';
import { loadTraces } from '../../../src/rx/trace/load.js';
import { walkOtlp } from '../../../src/rx/trace/otlp-document.js';

function walk(document: unknown): { events: TraceEvent[]; problems: string[] } {
  const events: TraceEvent[] = [];
  const problems: string[] = [];
  walkOtlp(document, {
    onEvent: (event) => events.push(event),
    onProblem: (field, reason) => problems.push(`${field}: ${reason}`),
  });
  return { events, problems };
}

const text = (key: string, stringValue: string) => ({ key, value: { stringValue } });

function request(span: Record<string, unknown>, resource: unknown[] = []): unknown {
  return { resourceSpans: [{ resource: { attributes: resource }, scopeSpans: [{ spans: [span] }] }] };
}

const workedSpan = {
  spanId: 'ab',
  name: 'step',
  startTimeUnixNano: '1700000000000000000',
  endTimeUnixNano: '1700000000120000000',
  attributes: [
    text('agent.id', 'nav'),
    text('run.id', 'r1'),
    text('turn', '3'),
    text('action.tool', 'move'),
    { key: 'action.succeeded', value: { boolValue: false } },
    text('failure.classification', 'agent_error'),
    text('divergence.fields', 'b, a,,'),
  ],
};

describe('OTLP export requests', () => {
  it('converts the worked span (06 G.11)', () => {
    expect(walk(request(workedSpan)).events).toEqual([
      {
        event_id: '187ef4436122',
        run_id: 'r1',
        turn: 3,
        agent_id: 'nav',
        tool_name: 'move',
        action_succeeded: false,
        divergence_fields: ['b', 'a'],
        failure_classification: 'agent_error',
        latency_total_ms: 120,
      },
    ]);
  });

  it('fails an action whose status says so, and fills in the defaults', () => {
    const { events } = walk(
      request({ name: 'step', status: { code: 2 }, attributes: [text('agent.id', 'nav')] }),
    );
    expect(events).toMatchObject([
      { event_id: '', run_id: 'otlp-default', turn: 0, tool_name: 'step', action_succeeded: false },
    ]);
  });

  it('prefers the span over its resource', () => {
    const { events } = walk(request(workedSpan, [text('agent.id', 'other'), text('tool_name', 'unused')]));
    expect(events[0]?.agent_id).toBe('nav');
  });

  it('takes from the resource what the span lacks', () => {
    expect(walk(request({ attributes: null }, [text('run.id', 'r9')])).events[0]?.run_id).toBe('r9');
  });

  it('reports each malformed part by its path and reads the others', () => {
    const document = {
      resourceSpans: [
        {
          scopeSpans: [
            { spans: [workedSpan, null, { attributes: 'x' }, { attributes: [text('turn', 'soon')] }] },
          ],
        },
        'no object',
        { scopeSpans: { spans: [] } },
      ],
    };
    const { events, problems } = walk(document);
    expect(events).toHaveLength(1);
    expect(problems.map((problem) => problem.split(': ')[0])).toEqual([
      'resourceSpans[0].scopeSpans[0].spans[1]',
      'resourceSpans[0].scopeSpans[0].spans[2].attributes',
      'resourceSpans[0].scopeSpans[0].spans[3].turn',
      'resourceSpans[1]',
      'resourceSpans[2].scopeSpans',
    ]);
  });

  it('accepts a numeric span id', () => {
    expect(walk(request({ ...workedSpan, spanId: 17 })).events[0]?.event_id).toHaveLength(12);
  });

  it('never throws, whatever JSON it gets', () => {
    const span = fc.dictionary(fc.constantFrom('spanId', 'status', 'attributes', 'name'), fc.jsonValue());
    fc.assert(fc.property(fc.jsonValue(), (document) => void walk(document)));
    fc.assert(fc.property(span, (value) => void walk(request(value))));
  });
});

describe('flat span files', () => {
  const flat = {
    span_id: 's1',
    trace_id: 't1',
    name: 'look',
    attributes: { agent_id: 'scout', turn: 4, divergence_fields: ['x'] },
  };

  it.each([
    ['an array', [flat]],
    ['an object with spans', { spans: [flat] }],
  ])('reads %s', (_, document) => {
    expect(walk(document).events).toMatchObject([
      {
        event_id: 's1',
        run_id: 't1',
        agent_id: 'scout',
        turn: 4,
        tool_name: 'look',
        divergence_fields: ['x'],
      },
    ]);
  });

  it.each([
    ['OK', true],
    ['UNSET', true],
    ['STATUS_CODE_OK', true],
    [1, true],
    ['ERROR', false],
    ['STATUS_CODE_ERROR', false],
    [2, false],
  ])('reads status %s as success %s', (code, expected) => {
    expect(walk([{ ...flat, status: { code } }]).events[0]?.action_succeeded).toBe(expected);
  });

  it('honours action.succeeded beside an unset status', () => {
    const span = { ...flat, attributes: { ...flat.attributes, 'action.succeeded': false } };
    expect(walk([span]).events[0]?.action_succeeded).toBe(false);
  });

  it.each([[{}], [3], [null], ['spans']])('reports a document that holds no spans: %j', (document) => {
    expect(walk(document).problems).toHaveLength(1);
  });
});

describe('OTLP files', () => {
  let dir: string;
  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), 'rx-otlp-'));
  });
  afterAll(() => rm(dir, { recursive: true, force: true }));

  it.each([
    ['one line', JSON.stringify(request(workedSpan))],
    ['a pretty-printed document', JSON.stringify(request(workedSpan), null, 2)],
    [
      'a request per line',
      `${JSON.stringify(request(workedSpan))}\n${JSON.stringify({ resourceSpans: [] })}\n`,
    ],
  ])('reads %s', async (_, content) => {
    const path = join(dir, 'export.JSON');
    await writeFile(path, content);
    const { table, problems } = await loadTraces([path]);
    expect([table.size, problems.total]).toEqual([1, 0]);
  });

  it('reports a broken document once', async () => {
    const path = join(dir, 'broken.json');
    await writeFile(path, '{\n "resourceSpans": [\n');
    expect((await loadTraces([path])).problems).toMatchObject({ total: 1, listed: [{ line: 1 }] });
  });
});
