import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { HealResult } from '../../../src/investigate/model/heal-result.js';
import type { Question } from '../../../src/investigate/question.js';
import type { RunTape } from '../../../src/investigate/replay/run-tape.js';
import { beginInvestigation } from '../../../src/runtime/investigate/begin.js';
import { investigateSettings } from '../../../src/runtime/investigate/settings.js';
import { openRecording } from '../../../src/runtime/investigate/tape.js';
import { type Play, type ProviderServer, startProvider } from '../../support/provider-server.js';
import { burst, traceOf } from '../evals/made/scene.js';
import { failureLines, SHOP } from '../evals/made/shop.js';
import type { Case } from '../fakes/corpus.js';
import { type Fake, fakeJaeger, fakeLoki, serve } from '../fakes/servers.js';
import { type BuiltSession, buildSession, healthyReading, stamp } from '../session/build-session.js';

/** What the operator configured; exact values, whatever they look like. */
const CONFIGURED = {
  GITHUB_TOKEN: 'ghp_c4n4ryc4n4ryc4n4ryc4n4ry01',
  JAEGER_AUTH: 'Basic c4n4ry+jaeger/auth==',
  LOKI_AUTH: 'Bearer c4n4ry-loki-auth',
  OPENAI_API_KEY: 'c4n4ry-openai-key',
  E2B_API_KEY: 'c4n4ry-e2b-key-0001',
  INVESTIGATE_TOKEN: 'c4n4ry-page-token-0123456789',
};
/** What others left lying about, by its shape. */
const STRAY = {
  github: 'ghp_str4yc4n4rystr4yc4n4ry0001',
  anthropic: 'sk-ant-REDACTED',
  hub: 'hf_str4yc4n4rystr4yc4n4ry',
  slack: 'xoxb-str4yc4n4ry-0123456789',
  aws: 'AKIASTR4YC4N4RY00001',
  jwt: 'eyJhbGciOiJub25lIn0.eyJzdHI0eSI6MX0.c4n4rysignature',
  password: 'hunter2str4yc4n4ry',
};
const MARKS = [
  ...Object.values(CONFIGURED).map((value) => value.replace(/^(?:Basic|Bearer) /, '')),
  ...Object.values(STRAY),
];
const KEY_LINE = 'MIIEowIBAAKCAQEAstr4yc4n4ryx7Vq9mT2kPzY0b1nq3cX5sD8eF6gH4jK2lN0';
const PEM = `-----BEGIN RSA PRIVATE KEY-----\n${KEY_LINE}\n-----END RSA PRIVATE KEY-----`;

let directory: string;
let fakes: Fake[];
let provider: ProviderServer;
let session: BuiltSession;
let now: number;

/** A repository whose files, paths and commits hold what they should not. */
function fakeRepository(): Promise<Fake> {
  const repo = 'example-org/shop';
  return serve((url) => {
    const path = decodeURIComponent(url.pathname);
    if (path === `/repos/${repo}`) return { body: { full_name: repo, token: STRAY.github } };
    if (path.includes('/git/trees/')) {
      const paths = ['src/app.py', `src/${STRAY.github}/x.py`];
      return { body: { tree: paths.map((at) => ({ path: at, type: 'blob' })) } };
    }
    if (path.endsWith('/commits')) {
      const message = `Rotate ${STRAY.hub} (was ${CONFIGURED.GITHUB_TOKEN})`;
      return { body: [{ sha: 'a1', commit: { message, committer: { date: '2026-05-01T10:00:00Z' } } }] };
    }
    if (path.includes('/contents/')) {
      const body = `KEY = "${STRAY.anthropic}"\npassword = "${STRAY.password}"\n${PEM}\nsend(item)\n`;
      return { body, raw: true, headers: { 'content-type': 'text/plain' } };
    }
    return { status: 404, body: { message: `no ${CONFIGURED.GITHUB_TOKEN}` } };
  });
}

beforeEach(async () => {
  now = Math.floor(Date.now() / 1000);
  directory = mkdtempSync(join(tmpdir(), 'canaries-'));
  for (const [path, text] of Object.entries({ ...SHOP, 'shop/keys.py': `TOKEN = "${STRAY.slack}"\n` })) {
    mkdirSync(join(directory, 'source', dirname(path)), { recursive: true });
    writeFileSync(join(directory, 'source', path), text);
  }
  const data: Case = {
    case: 'canaries',
    now_unix_ns: '0',
    calls: [],
    corpus: {
      jaeger: {
        services: ['pricing'],
        traces: [
          traceOf('fa11', [
            {
              id: 'fa11a',
              service: 'pricing',
              at: now - 100,
              error: {
                message: `IndexError: list index out of range for ${STRAY.github}`,
                stack: `IndexError: password=${STRAY.password}\n  File "/srv/app/shop/prices.py", line 14, in total`,
              },
            },
          ]),
        ],
      },
      loki: {
        label: 'compose_service',
        streams: [
          {
            stream: { compose_service: 'pricing', token: STRAY.hub },
            values: [
              ...failureLines(now - 99),
              [now - 98, `ERROR Authorization: Bearer ${CONFIGURED.LOKI_AUTH.slice(7)} refused`],
              [now - 97, `ERROR fetch https://user:${STRAY.password}@hub/x?key=${STRAY.aws} failed`],
              ...burst(now - 95, PEM.split('\n')),
              [now - 96, `ERROR session ${STRAY.jwt}; {"api_key": "${STRAY.anthropic}"}`],
            ].map(([at, text]): [string, string] => [`${Number(at) * 1000}000000`, String(text)]),
          },
        ],
      },
    },
  };
  const [span] = data.corpus.jaeger.traces[0]?.spans ?? [];
  span?.tags.push(
    { key: 'db.password', value: STRAY.password },
    { key: 'http.url', value: `https://user:${STRAY.password}@hub/x` },
    { key: 'code.filepath', value: `/srv/${STRAY.github}/prices.py` },
  );
  fakes = await Promise.all([fakeJaeger(data), fakeLoki(data), fakeRepository()]);
  session = buildSession({
    mtime: now - 30,
    files: {
      'runs/explore/t-12/server.log': `${stamp(now - 60)} ERROR HIP out of memory with ${STRAY.hub}\n${PEM}\n`,
      'runs/explore/t-12/result.json': JSON.stringify({ state: 'failed', error: `--token ${STRAY.github}` }),
      'manifest.json': JSON.stringify({ env: { HF_TOKEN: STRAY.hub }, password: STRAY.password }),
      'state.json': JSON.stringify({ secret: STRAY.slack }),
    },
    tasks: [{ id: 't-12', state: 'failed', at: now - 50, error: `password=${STRAY.password}` }],
    events: [{ taskId: 't-12', at: now - 50, state: 'failed', error: `OutOfMemoryError ${STRAY.aws}` }],
  });
});

afterEach(async () => {
  await Promise.all([...fakes.map((fake) => fake.close()), provider.close()]);
  session.close();
  rmSync(directory, { recursive: true, force: true });
});

const turn = (...calls: readonly (readonly [string, object])[]): Play => ({
  body: {
    choices: [
      {
        index: 0,
        finish_reason: 'tool_calls',
        message: {
          role: 'assistant',
          content: null,
          tool_calls: calls.map(([name, args], index) => ({
            id: `c${index}`,
            type: 'function',
            function: { name, arguments: JSON.stringify(args) },
          })),
        },
      },
    ],
    usage: { prompt_tokens: 10, completion_tokens: 10, total_tokens: 20 },
  },
});

const LOOKS: readonly Play[] = [
  turn(
    ['query_logs', { service: 'pricing', time_window_minutes: 30 }],
    ['get_trace', { trace_id: 'fa11' }],
    ['extract_error_spans', { trace_ids: ['fa11'] }],
    ['get_file_contents', { path: 'src/app.py' }],
  ),
  turn(
    ['find_files', { name: 'x.py' }],
    ['list_commits', {}],
    ['read_source_slice', { path: 'shop/keys.py', line: 1 }],
    ['read_session_json', { path: 'manifest.json' }],
  ),
  turn(
    ['read_session_json', { path: 'state.json' }],
    ['query_events', { limit: 10 }],
    ['search_session_logs', { pattern: 'PRIVATE KEY', context: 2 }],
    ['get_file_contents', { path: 'missing.py' }],
  ),
];
const SUBMIT = turn([
  'submit_result',
  {
    issue_summary: `it fails with ${STRAY.github}`,
    root_cause: {
      description: `the key ${CONFIGURED.OPENAI_API_KEY} and ${STRAY.hub} are wrong`,
      confidence: 0.6,
      error_type: 'index_out_of_bounds',
      claims: [{ text: `see ${STRAY.slack}`, receipt_ids: ['r001'], quote: `password=${STRAY.password}` }],
    },
    recommended_fix: `set password=${STRAY.password}`,
    fix_code_snippet: `key = "${STRAY.anthropic}"`,
    confidence_note: PEM,
  },
]);

/** Everything that an investigation shows to anybody. */
async function shown(useModel: boolean): Promise<{ everything: string; result: HealResult }> {
  const [jaeger, loki, github] = fakes;
  const env = {
    PATH: process.env['PATH'],
    ROBUSTNESS_DISABLE_LOCAL_PROBE: '1',
    JAEGER_URL: jaeger?.url ?? '',
    LOKI_URL: loki?.url ?? '',
    INVESTIGATE_GITHUB_API_URL: github?.url ?? '',
    INVESTIGATE_SOURCE_ROOTS: join(directory, 'source'),
    INVESTIGATE_SANDBOX_DRIVER: 'none',
    OPENAI_BASE_URL: `${provider.origin}/v1`,
    ...CONFIGURED,
  };
  const question: Question = {
    text: `prices fail since ${STRAY.github} was rotated; password: ${STRAY.password}`,
    symptom: null,
    subject: {},
    key: null,
    serviceName: 'pricing',
    traceId: null,
    windowMinutes: 10,
    incidentUnix: now,
    snapshot: healthyReading({
      taken_unix: now,
      processes: [{ pid: 7, cmdline: `serve --api-key ${STRAY.anthropic}`, cwd: '/' }],
    }),
  };
  const settings = investigateSettings({ env, cwd: directory, sessionDir: session.directory });
  const path = join(directory, 'out/tape.jsonl');
  const tape: RunTape = openRecording({
    path,
    question,
    sessionId: 's-1',
    repo: 'example-org/shop',
    useModel,
    config: settings.config,
    env,
    masked: settings.masked,
  });
  const events: unknown[] = [];
  const result = await beginInvestigation({
    sessionDir: session.directory,
    sessionId: 's-1',
    root: join(directory, 'out'),
    question,
    settings,
    env,
    repo: 'example-org/shop',
    useModel,
    signal: new AbortController().signal,
    tape,
    onReceipt: (receipt) => events.push(receipt),
    onStep: (step) => events.push(step),
    onPhase: (...phase) => events.push(phase),
  });
  const files = readdirSync(join(directory, 'out'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'utf8'));
  expect(files.length).toBeGreaterThan(10);
  const everything = [JSON.stringify(result), JSON.stringify(events), ...files].join('\n');
  return { everything, result };
}

/** A request without what the model itself said, which goes back to it unchanged. */
function sentOf({ body }: ProviderServer['requests'][number]): string {
  const { messages, ...rest } = body;
  const others = (Array.isArray(messages) ? messages : []).filter(({ role }) => role !== 'assistant');
  return JSON.stringify([rest, others]);
}

/** The canaries that a text holds, in any of the forms in which they turn up. */
function found(text: string): string[] {
  return MARKS.flatMap((mark) => {
    const forms = [mark, encodeURIComponent(mark), Buffer.from(mark).toString('base64').replace(/=+$/, '')];
    return forms.some((form) => text.includes(form)) ? [mark] : [];
  });
}

describe('secrets of any origin', () => {
  it('are in no file, event or request of an investigation with a model', async () => {
    provider = await startProvider([...LOOKS, SUBMIT]);
    const { everything, result } = await shown(true);
    expect(result.mode).toBe('llm');
    expect(new Set(result.tools_used).size).toBeGreaterThan(10);
    expect(found(everything)).toEqual([]);
    expect(everything).not.toContain(KEY_LINE);
    const sent = provider.requests.map(sentOf).join('\n');
    expect(sent.length).toBeGreaterThan(20_000);
    expect(found(sent)).toEqual([]);
    expect(sent).not.toContain(KEY_LINE);
    const keys = provider.requests.map(({ headers }) => headers['authorization']);
    expect(new Set(keys)).toEqual(new Set([`Bearer ${CONFIGURED.OPENAI_API_KEY}`]));
  });

  it('are in no file or event of one without', async () => {
    provider = await startProvider([]);
    const { everything, result } = await shown(false);
    expect(result.mode).toBe('deterministic');
    expect(found(everything)).toEqual([]);
    expect(result.warnings.join()).toContain('masked before anything was stored');
    expect(provider.requests).toEqual([]);
  });

  it('go to their own origin, and to no other', async () => {
    provider = await startProvider([...LOOKS, SUBMIT]);
    await shown(true);
    const [jaeger, loki, github] = fakes;
    const authorizations = (fake: Fake | undefined) => [
      ...new Set(fake?.headers.map(({ authorization }) => authorization)),
    ];
    expect(authorizations(jaeger)).toEqual([CONFIGURED.JAEGER_AUTH]);
    expect(authorizations(loki)).toEqual([CONFIGURED.LOKI_AUTH]);
    expect(authorizations(github)).toEqual([`Bearer ${CONFIGURED.GITHUB_TOKEN}`]);
    for (const fake of fakes) expect(found(fake.requests.join('\n'))).toEqual([]);
  });
});
