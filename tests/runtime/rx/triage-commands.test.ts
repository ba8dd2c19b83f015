import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { run as analyze } from '../../../src/runtime/rx/analyze.js';
import { run as compare } from '../../../src/runtime/rx/compare.js';
import { run as trace } from '../../../src/runtime/rx/trace.js';
import { run as train } from '../../../src/runtime/rx/train.js';
import { runCommand } from '../../support/command-io.js';

const seedTrace = 'tests/fixtures/rx/trace-seed.ndjson';
const recorded = 'tests/fixtures/rx/recorded-session';

let dir: string;
let env: NodeJS.ProcessEnv;
beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), 'rx-commands-'));
  env = { ROBUSTNESS_STATE_DIR: join(dir, 'state') };
});
afterAll(() => rmSync(dir, { recursive: true, force: true }));

const file = (name: string) => join(dir, name);
const json = (text: string): unknown => JSON.parse(text);

describe('rx trace', () => {
  it('writes the original trace byte for byte (06 H.1)', async () => {
    const done = await runCommand(
      trace,
      ['--streams', 'reference', '--output', file('new/dir/t.ndjson'), '--json'],
      { env },
    );
    expect(done.code).toBe(0);
    expect(json(done.stdout)).toMatchObject({
      events: 720,
      bytes: 193035,
      sha256: '92243d6fe5a0ad92f3a15c01e8d5a3a6d2283f3ebf306827757ccb148ee5b4a1',
    });
    expect(readFileSync(file('new/dir/t.ndjson')).equals(readFileSync(seedTrace))).toBe(true);
  });

  it('draws independent streams by default (06 F.1)', async () => {
    const done = await runCommand(trace, ['--output', file('own.ndjson'), '--json'], { env });
    expect(json(done.stdout)).toMatchObject({ events: 720, failures: 361 });
  });

  it('writes an empty file for no runs', async () => {
    expect((await runCommand(trace, ['--runs', '0', '--output', file('none.ndjson')], { env })).code).toBe(0);
    expect(readFileSync(file('none.ndjson'), 'utf8')).toBe('');
  });

  it.each([
    ['no output', [], /RA_USAGE.*--output/],
    ['a number that is none', ['--runs', 'x', '--output', 'o'], /RA_USAGE.*--runs/],
    [
      'more events than can be read back',
      ['--runs', '100000', '--turns', '100', '--output', 'o'],
      /RA_USAGE.*at most 2000000/,
    ],
    ['an unwritable file', ['--output', '.'], /RA_OUTPUT/],
  ])('refuses %s with 2', async (_, argv, expected) => {
    const done = await runCommand(trace, argv, { env });
    expect(done.code).toBe(2);
    expect(done.stderr).toMatch(expected);
  });
});

describe('rx analyze', () => {
  it('plans a trace without verifying anything', async () => {
    const done = await runCommand(analyze, [seedTrace, '--no-memory'], { env });
    expect(done.code).toBe(0);
    expect(done.stdout).toContain(
      '720 events of 12 runs, 4 patterns of failure, 46.7% of the actions failed.',
    );
    expect(done.stdout).toContain('Nothing here was verified');
    expect(done.stdout).toContain('no action (belongs to the environment');
  });

  it('ranks like the pretrained original (06 C.4)', async () => {
    const done = await runCommand(analyze, [seedTrace, '--pretrain', '--json'], { env });
    expect(json(done.stdout)).toMatchObject({
      regime: 'learned',
      incidents: [
        { agent_id: 'planner', action_id: 'raise_planner_consistency' },
        { agent_id: 'navigator', action_id: 'add_navigator_retry' },
        { agent_id: 'scout', action_id: 'raise_timeout' },
        { agent_id: 'navigator', action_id: null },
      ],
    });
  });

  it('says which lines it could not read and goes on', async () => {
    writeFileSync(file('half.ndjson'), `${readFileSync(seedTrace, 'utf8').split('\n')[0]}\nbroken\n`);
    const done = await runCommand(analyze, [file('half.ndjson'), '--json'], { env });
    expect(done.code).toBe(0);
    expect(done.stderr).toBe(`${file('half.ndjson')}:2: not valid JSON\n`);
    expect(json(done.stdout)).toMatchObject({ events: 1, problems: { total: 1 } });
  });

  it('writes a page that opens offline', async () => {
    const done = await runCommand(analyze, [seedTrace, '--output', file('plan.html')], { env });
    expect([done.code, done.stdout]).toEqual([0, '']);
    expect(readFileSync(file('plan.html'), 'utf8')).toMatch(/^<!doctype html>[\s\S]*<svg[\s\S]*<\/html>\n$/);
  });

  it('uses the model that rx train kept', async () => {
    const trained = await runCommand(train, ['--episodes', '20'], { env });
    expect(trained.code).toBe(0);
    const done = await runCommand(analyze, [seedTrace, '--json'], { env });
    expect(json(done.stdout)).toMatchObject({
      regime: 'learned',
      incidents: [{}, {}, {}, { action_id: null }],
    });
    expect(
      json((await runCommand(analyze, [seedTrace, '--json', '--no-memory'], { env })).stdout),
    ).toMatchObject({
      regime: 'heuristic',
    });
  });

  it('ranks the findings of sessions', async () => {
    const done = await runCommand(analyze, ['--findings', recorded, '--json'], { env });
    expect(json(done.stdout)).toMatchObject({
      feature_schema: 'findings-1',
      sessions: 1,
      findings: 11,
      labels: { helped: 0, did_not: 1, missing: 0 },
      patterns: [{ rank: 1, pattern: 'same_payload_loop {family=nonexistent_action}' }, {}, {}, {}, {}],
    });
    const text = await runCommand(analyze, ['--findings', recorded, '--top', '2'], { env });
    expect(text.stdout).toContain('11 findings of 1 session, 6 episodes');
  });

  it.each([
    ['nothing named', [], 'RA_USAGE'],
    ['both kinds of input', [seedTrace, '--findings', recorded], 'RA_USAGE'],
    ['--top 0', [seedTrace, '--top', '0'], 'RA_USAGE'],
    ['--top -1', [seedTrace, '--top', '-1'], 'RA_USAGE'],
    ['a missing path', ['absent.ndjson'], 'RA_RX_INPUT'],
    ['no events', ['package.json'], 'RA_RX_NO_EVENTS'],
    ['too many events', [seedTrace, '--max-events', '719'], 'RA_RX_LIMIT'],
    ['a directory without findings', ['--findings', 'tests/rx'], 'RA_RX_INPUT'],
  ])('refuses %s with 2', async (_, argv, code) => {
    const done = await runCommand(analyze, argv, { env });
    expect(done.code).toBe(2);
    expect(done.stderr).toContain(code);
    expect(done.stdout).toBe('');
  });
});

describe('rx compare', () => {
  it('finds nothing between a trace and itself', async () => {
    const done = await runCommand(compare, [seedTrace, seedTrace, '--fail-on-regression'], { env });
    expect(done.code).toBe(0);
    expect(done.stdout).toContain('No evidence of a change.');
  });

  it('exits with 1 on a regression when asked to, and only then', async () => {
    const lines = readFileSync(seedTrace, 'utf8').trimEnd().split('\n');
    const broken = lines.map((line, i) =>
      i % 7 === 0 ? line.replace('"action_succeeded": true', '"action_succeeded": false') : line,
    );
    writeFileSync(file('broken.ndjson'), `${broken.join('\n')}\n`);
    const asked = await runCommand(compare, [seedTrace, file('broken.ndjson'), '--fail-on-regression'], {
      env,
    });
    expect(asked.code).toBe(1);
    expect(asked.stdout).toContain('Regression: worse in total, unclassified.');
    expect((await runCommand(compare, [seedTrace, file('broken.ndjson')], { env })).code).toBe(0);
    const back = await runCommand(
      compare,
      [file('broken.ndjson'), seedTrace, '--fail-on-regression', '--json'],
      { env },
    );
    expect(back.code).toBe(0);
    expect(json(back.stdout)).toMatchObject({ rates: { regression: false, design: { kind: 'paired' } } });
  });

  it('refuses one batch alone', async () => {
    expect((await runCommand(compare, [seedTrace], { env })).code).toBe(2);
  });
});

describe('rx train', () => {
  it('prints the line of the original with --gate z (06 C.3)', async () => {
    const done = await runCommand(train, ['--gate', 'z'], { env });
    expect(done.stdout.replaceAll(/\s+/g, ' ').trim()).toBe(
      'n=240 train=168 test=72 positive=0.61 AUC learned=0.991 heuristic=0.936 Brier learned=0.038 base=0.238',
    );
  });

  it('reports unseen episodes with intervals and keeps nothing when told so', async () => {
    const done = await runCommand(train, ['--episodes', '30', '--json', '--no-memory'], { env });
    expect(json(done.stdout)).toMatchObject({ groups_train: 21, groups_test: 9, model_file: null });
  });

  it('gives no figure where the test part is too poor, and says why', async () => {
    const done = await runCommand(train, ['--episodes', '2', '--no-memory'], { env });
    expect(done.code).toBe(0);
    expect(done.stdout).toContain('at least 5 of each needed');
  });

  it.each([
    ['--episodes', '0'],
    ['--test-frac', '0'],
    ['--test-frac', '1'],
    ['--test-frac', 'x'],
  ])('refuses %s %s with 2', async (name, value) => {
    expect((await runCommand(train, [name, value], { env })).code).toBe(2);
  });
});
