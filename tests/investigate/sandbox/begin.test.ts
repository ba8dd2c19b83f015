import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { HealResult } from '../../../src/investigate/model/heal-result.js';
import type { Question } from '../../../src/investigate/question.js';
import { type BeginOptions, beginInvestigation } from '../../../src/runtime/investigate/begin.js';
import { investigateSettings } from '../../../src/runtime/investigate/settings.js';
import { openRecording, openReplay } from '../../../src/runtime/investigate/tape.js';
import { type Play, type ProviderServer, startProvider } from '../../support/provider-server.js';
import { cannotRun, reading } from './bwrap-support.js';
import { BACKEND, type GitServer, makeRepository, serveGit } from './git-server.js';

const MCP_SERVER = join(import.meta.dirname, '../mcp/github-server.mjs');
const TOKEN = 'ghp_canary0123456789canary0123456789';
const BASIC = `Basic ${Buffer.from(`x-access-token:${TOKEN}`).toString('base64')}`;
const FILE = 'src/shop/prices.py';
const program = (argument: string): string =>
  `import sys\nsys.path.insert(0, "/box/src/src")\nfrom shop.prices import total\ntotal(${argument})\n`;

const STORY: readonly [string, object][] = [
  ['get_file_slice', { path: FILE, around_line: 2 }],
  ['reproduce_in_sandbox', { hypothesis: 'no item', error_type: 'index_out_of_bounds', file_path: FILE }],
  ['write_file', { name: 'repro.py', content: program('[]') }],
  ['write_file', { name: 'control.py', content: program('[{"price": 1}]') }],
  ['run', { command: ['env'] }],
  [
    'finish',
    {
      script: 'repro.py',
      control_script: 'control.py',
      expect: { exit: 'nonzero', stderr_contains: 'list index out of range' },
      explanation: 'the first of none',
    },
  ],
  [
    'submit_result',
    {
      issue_summary: 'totals fail',
      root_cause: {
        description: 'the first of no items is read',
        confidence: 0.9,
        error_type: 'index_out_of_bounds',
        file_path: FILE,
        line_number: 2,
        claims: [{ text: 'the first item is read', receipt_ids: ['r001'], quote: 'return items[0]' }],
      },
      recommended_fix: 'answer for no items',
    },
  ],
];

const QUESTION: Question = {
  text: 'totals cannot be computed',
  symptom: null,
  subject: {},
  key: null,
  serviceName: null,
  traceId: null,
  windowMinutes: 10,
  incidentUnix: 1_780_000_000,
  snapshot: null,
};

const plays = STORY.map(
  ([name, args], index): Play => ({
    body: {
      choices: [
        {
          index: 0,
          finish_reason: 'tool_calls',
          message: {
            role: 'assistant',
            content: null,
            tool_calls: [
              { id: `c${index}`, type: 'function', function: { name, arguments: JSON.stringify(args) } },
            ],
          },
        },
      ],
      usage: { prompt_tokens: 10, completion_tokens: 10, total_tokens: 20 },
    },
  }),
);

const canRun = reading.ok && existsSync(BACKEND);

describe.skipIf(!canRun)(`an investigation that clones (needs ${BACKEND}) and reproduces${cannotRun}`, () => {
  let root: string;
  let provider: ProviderServer;
  let git: GitServer;

  beforeEach(async () => {
    root = realpathSync(mkdtempSync(join(tmpdir(), 'begin-test-')));
    chmodSync(root, 0o755);
    provider = await startProvider(plays);
    const source = 'def total(items):\n    return items[0]["price"]\n';
    git = await serveGit(makeRepository(root, { [FILE]: source }), BASIC);
    vi.stubEnv('TMPDIR', root);
  });

  afterEach(async () => {
    vi.unstubAllEnvs();
    await Promise.all([provider.close(), git.close()]);
    rmSync(root, { recursive: true, force: true });
  });

  function environment(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
    return {
      PATH: process.env['PATH'],
      ROBUSTNESS_DISABLE_LOCAL_PROBE: '1',
      OPENAI_BASE_URL: `${provider.origin}/v1`,
      OPENAI_API_KEY: 'sk-canary-0123456789',
      INVESTIGATE_GITHUB_MCP_COMMAND: JSON.stringify([
        process.execPath,
        MCP_SERVER,
        'newer',
        join(root, 'calls.jsonl'),
      ]),
      INVESTIGATE_GITHUB_API_URL: git.url,
      GITHUB_TOKEN: TOKEN,
      ...env,
    };
  }

  function begin(
    env: NodeJS.ProcessEnv,
    useModel = true,
    parts: Partial<BeginOptions> = {},
  ): Promise<HealResult> {
    const all = environment(env);
    return beginInvestigation({
      sessionDir: null,
      sessionId: null,
      root: join(root, 'out'),
      question: QUESTION,
      settings: investigateSettings({ env: all, cwd: root, sessionDir: null }),
      env: all,
      repo: 'example-org/shop',
      useModel,
      signal: new AbortController().signal,
      ...parts,
    });
  }

  it('is recorded, and replayed with nobody there: no provider, server, clone or sandbox', async () => {
    const env = environment({});
    const { config, masked } = investigateSettings({ env, cwd: root, sessionDir: null });
    const path = join(root, 'tape.jsonl');
    const tape = openRecording({
      path,
      question: QUESTION,
      sessionId: null,
      repo: 'example-org/shop',
      useModel: true,
      config,
      env,
      masked,
    });
    const first = await begin({}, true, { tape });
    expect(first.action_taken).toBe('sandbox_enriched');
    expect(tape.problems()).toEqual([]);
    const file = join('out', first.investigation_id, 'result.json');
    const stored = readFileSync(join(root, file), 'utf8');
    await Promise.all([provider.close(), git.close()]);
    const cassette = readFileSync(path, 'utf8');
    for (const secret of [TOKEN, BASIC.slice(6), 'sk-canary']) expect(cassette).not.toContain(secret);
    const again: string[] = [];
    for (const out of ['again-1', 'again-2']) {
      const replay = openReplay(path, { env: {}, masked: [] });
      const result = await begin({ GITHUB_TOKEN: '', OPENAI_API_KEY: '', PATH: '/nowhere' }, true, {
        tape: replay.tape,
        replayed: replay.facts,
        question: replay.question,
        root: join(root, out),
      });
      expect(replay.tape.problems()).toEqual([]);
      again.push(readFileSync(join(root, out, result.investigation_id, 'result.json'), 'utf8'));
    }
    expect(again).toEqual([stored, stored]);
  });

  it('reads over MCP, clones with the token, reproduces, and leaves no trace of either', async () => {
    const result = await begin({});
    expect(result.warnings).toEqual([expect.stringContaining('this machine was not looked at')]);
    expect(result).toMatchObject({
      action_taken: 'sandbox_enriched',
      root_cause: { confidence_level: 'medium', file_path: FILE, line_number: 2 },
    });
    expect(git.requests.some(({ authorization }) => authorization === BASIC)).toBe(true);
    const sent = provider.requests.map(({ text }) => text).join();
    expect(sent).not.toContain('canary');
    expect(sent).not.toContain(BASIC.slice(6));
    expect(readdirSync(root).filter((name) => name.startsWith('robustness-'))).toEqual([]);
  });

  it('is HIGH to the reference, which asks no other evidence', async () => {
    const result = await begin({ INVESTIGATE_GOVERNOR_PROFILE: 'reference' });
    expect(result).toMatchObject({ supported_band: 'high', root_cause: { confidence: 0.9 } });
  });

  it('has no sandbox where none is wanted', async () => {
    const result = await begin({ INVESTIGATE_SANDBOX_DRIVER: 'none' });
    expect(result.tools_unavailable).toContain('sandbox');
    expect(result.action_taken).not.toBe('sandbox_enriched');
    expect(git.requests).toEqual([]);
  });

  it('runs nothing without a model', async () => {
    const result = await begin({}, false);
    expect(result).toMatchObject({ mode: 'deterministic', action_taken: 'fast_path' });
    expect(result.tools_unavailable).toContain('sandbox');
    expect(git.requests).toEqual([]);
  });
});
