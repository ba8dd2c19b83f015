import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { DEFAULT_CONFIG } from '../../../src/investigate/config.js';
import { createDispatcher } from '../../../src/investigate/ledger/dispatcher.js';
import { createRedactor, Secret } from '../../../src/investigate/safety/redactor.js';
import { openServices, type Services } from '../../../src/investigate/tools/service-tools.js';
import { type Fake, serve } from '../fakes/servers.js';

const NOW = 1_780_000_000;
const REPO = 'example-org/shop';
const CALLS: readonly (readonly [string, object])[] = [
  ['list_trace_services', {}],
  ['query_traces', { service: 'a' }],
  ['get_trace', { trace_id: 'ab' }],
  ['extract_error_spans', { trace_ids: ['ab', 'cd'] }],
  ['list_log_services', {}],
  ['query_logs', { service: 'a' }],
  ['get_log_context', { service: 'a', timestamp: '1780000000' }],
  ['search_code', { q: 'x' }],
  ['find_files', { name: 'x.py' }],
  ['get_file_contents', { path: 'x.py' }],
  ['get_file_slice', { path: 'x.py', around_line: 3 }],
  ['list_commits', {}],
];
const STATUSES = ['ok', 'empty', 'error', 'denied'];

let open: (Fake | Services)[] = [];
afterEach(async () => {
  for (const one of open.reverse()) await one.close();
  open = [];
});

/** All service tools over one server that gives the same answer to everything. */
async function dispatcherOver(body: () => unknown, raw = false) {
  const fake = await serve((url) =>
    url.pathname === `/repos/${REPO}` ? { body: { full_name: REPO } } : { body: body(), raw },
  );
  const services = await openServices({
    config: { ...DEFAULT_CONFIG, jaegerUrl: fake.url, lokiUrl: fake.url, githubApiUrl: fake.url },
    secrets: { githubToken: new Secret('ghp_0123456789abcdef') },
    repo: REPO,
    signal: new AbortController().signal,
  });
  open.push(fake, services);
  return () =>
    createDispatcher({
      tools: services.tools,
      redactor: createRedactor([]),
      sink: { receipt: () => undefined, payload: () => undefined },
      now: () => NOW,
      signal: new AbortController().signal,
    });
}

describe('answers that are not what they should be', () => {
  it.each<[string, unknown]>([
    ['null', null],
    ['a list', []],
    ['a number', 5],
    ['no data', { data: null }],
    ['data of another kind', { data: 'x', result: 3, tree: {} }],
    ['traces without anything', { data: [{}, null, 1, { spans: null }, { spans: [null, {}, 5] }] }],
    [
      'tags that are lists, references to nothing',
      {
        data: [
          {
            traceID: 'ab',
            processes: { p: null },
            spans: [
              {
                spanID: 7,
                startTime: 'soon',
                duration: null,
                processID: 'p',
                tags: [{ key: 'error', value: [true] }, { key: 5 }, { value: 1 }, null],
                references: [{ spanID: null }, null, 'x'],
                logs: [{ fields: { event: 'x' } }, null, { fields: [{ key: 'error', value: {} }] }],
              },
            ],
          },
        ],
      },
    ],
    [
      'log values of three elements, and none',
      { data: { result: [{ stream: null, values: [['1', 'a', {}], ['x', 'b'], [1, 2], null, []] }, null] } },
    ],
  ])('%s: every tool has an answer', async (_what, body) => {
    const dispatcher = (await dispatcherOver(() => body))();
    for (const [name, args] of CALLS) {
      const answer = await dispatcher.call(name, args);
      expect([name, STATUSES.includes(answer.receipt?.status ?? '')]).toEqual([name, true]);
      expect(answer.receipt?.note ?? '').not.toContain('the tool failed');
    }
  });

  it.each(['', 'null', '{"data": [', '<html>', '\u0000', '[[[[[[[['])(
    '%j as a body is an error or a text',
    async (body) => {
      const dispatcher = (await dispatcherOver(() => body, true))();
      for (const [name, args] of CALLS) {
        const answer = await dispatcher.call(name, args);
        expect(answer.receipt?.note ?? '').not.toContain('the tool failed');
        expect(answer.receipt?.signal === true && answer.receipt.evidence_class !== 'source').toBe(false);
      }
    },
  );

  it('any JSON at all does no harm', async () => {
    let body: unknown = null;
    const fresh = await dispatcherOver(() => body);
    const key = fc.constantFrom(
      'data',
      'result',
      'spans',
      'tags',
      'logs',
      'fields',
      'values',
      'stream',
      'key',
      'value',
      'processes',
      'references',
      'tree',
      'items',
      'path',
      'error',
      'spanID',
      'traceID',
      'startTime',
    );
    const json = fc.letrec((tie) => ({
      node: fc.oneof(
        { maxDepth: 6, depthSize: 'small' },
        fc.constantFrom(null, true, 0, -1, 1e300, '', 'error', '1780000000000000000', 'IndexError: x'),
        fc.array(tie('node'), { maxLength: 4 }),
        fc.dictionary(key, tie('node'), { maxKeys: 5 }),
      ),
    })).node;
    await fc.assert(
      fc.asyncProperty(json, async (value) => {
        body = value;
        const dispatcher = fresh();
        for (const [name, args] of CALLS) {
          const answer = await dispatcher.call(name, args);
          expect(answer.receipt?.note ?? '').not.toContain('the tool failed');
          const numbers = [
            answer.receipt?.first_ts_unix,
            answer.receipt?.last_ts_unix,
            answer.receipt?.count,
          ];
          for (const one of numbers) expect(Number.isFinite(one ?? 0)).toBe(true);
        }
      }),
      { numRuns: 60, seed: 9 },
    );
  }, 60_000);
});
