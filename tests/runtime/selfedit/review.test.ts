import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { groupBy } from '../../../src/foreign/group-by.js';
import { runWith as reviewWith } from '../../../src/runtime/selfedit/review.js';
import { runWith } from '../../../src/runtime/selfedit/run.js';
import { run } from '../../../src/runtime/selfedit.js';
import { buildCases } from '../../../src/selfedit/cases/build-cases.js';
import type { Case } from '../../../src/selfedit/cases/case.js';
import { CaseSet, confirmUnits } from '../../../src/selfedit/cases/case-set.js';
import { caseText } from '../../../src/selfedit/cases/case-text.js';
import { DEMO_PROMPT } from '../../../src/selfedit/demo/demo-prompt.js';
import type { RunReport } from '../../../src/selfedit/loop/report.js';
import { scoreRca } from '../../../src/selfedit/scorers/rca.js';
import { type CommandOutcome, runCommand } from '../../support/command-io.js';
import { completion, type Play, type SeenRequest, startProvider } from '../../support/provider-server.js';
import { tempDir } from '../../support/temp-dir.js';

const SEED = 5;
const RULE = 'Look for the earliest cause, the one that needs no other to explain it.';
const EDIT = {
  ops: [{ op: 'insert_after', old_text: 'Read all findings first', new_text: RULE }],
  hypothesis: 'a root needs no explanation by others',
  intent: 'add_rule',
  expected: { segments: ['resource_leak'], net: 10 },
};
const BY = ['--reviewer', 'operator', '--note', 'looks right'];

const set = new CaseSet(buildCases(360, 3, ''));
/** Cases of one group are a unit; the first test takes 120 units. */
const units = confirmUnits(set.confirm, SEED, Number.POSITIVE_INFINITY);
const [met, fresh] = [units.slice(0, 120).flat(), units.slice(120).flat()];
const questions = new Map(set.all.map((one) => [caseText(one), one]));
/** Two cases may ask the same; a question is to tell whose it is. */
const timesAsked = groupBy(set.all, caseText);
const isAlone = (one: Case): boolean => timesAsked.get(caseText(one))?.length === 1;

let directory: string;
let env: Record<string, string>;
/** Cases that only the rule gets right, and cases that only the prompt without it does. */
let fixed: ReadonlySet<string>;
let broken: ReadonlySet<string>;
let asked: { readonly hasRule: boolean; readonly user: string }[];
/** The provider refuses the key from this call on. */
let outageAfter: number;

const ids = (cases: readonly Case[]): string[] => cases.map(({ case_id }) => case_id);

beforeEach(async () => {
  directory = tempDir();
  asked = [];
  outageAfter = Number.POSITIVE_INFINITY;
  const answerable = (list: readonly Case[]) =>
    list.filter((one) => isAlone(one) && scoreRca(one, rightAnswer(one)).passed);
  fixed = new Set([
    ...ids(answerable(set.dev).slice(0, 8)),
    ...ids(answerable(met).slice(0, 8)),
    ...ids(answerable(fresh).slice(0, 10)),
  ]);
  broken = new Set(ids(answerable(met).slice(8, 11)));
  const server = await startProvider(model);
  onTestFinished(() => server.close());
  env = {
    ROBUSTNESS_STATE_DIR: join(directory, 'state'),
    OPENAI_BASE_URL: `${server.origin}/v1`,
    OPENAI_API_KEY: 'sk-secret-key-of-test',
    LLM_MODEL: 'test-model',
  };
  const selfedit = {
    prices: { 'test-model': { in: 1, out: 10 } },
    roles: { executor: { deterministic: true } },
    budget_usd_run: 100,
    budget_usd_day: 100,
    confirm_min: 120,
    confirm_target: 120,
    critical_segments: [],
  };
  writeFileSync(join(directory, 'robustness.config.json'), JSON.stringify({ selfedit }));
  writeFileSync(join(directory, 'prompt.md'), DEMO_PROMPT);
  expect((await command(['init', '--prompt', 'prompt.md'])).code).toBe(0);
  expect((await command(['cases', 'build', '--count', '360', '--seed', '3'])).code).toBe(0);
});

function rightAnswer(one: Case): string {
  if (one.expected.insufficient) return 'insufficient evidence';
  const root = one.input.findings.find(({ symptom }) => one.case_id.startsWith(`gen-${String(symptom)}-`));
  return `${String(root?.['summary'])}.\ncause: ${one.expected.class}`;
}

function model({ body }: SeenRequest): Play {
  const messages = Array.isArray(body['messages']) ? body['messages'] : [];
  const [system = '', user = ''] = messages.map(({ content }) => String(content));
  if (system.includes('You improve a prompt')) return completion({ content: JSON.stringify([EDIT]) });
  if (asked.length >= outageAfter) return { status: 401, body: { error: { message: 'expired' } } };
  const hasRule = system.includes(RULE);
  asked.push({ hasRule, user });
  const one = questions.get(user);
  if (one === undefined) return completion({ content: 'It leaks.\ncause: resource_leak' });
  const isRight = fixed.has(one.case_id) ? hasRule : broken.has(one.case_id) ? !hasRule : true;
  return completion({ content: isRight ? rightAnswer(one) : 'It stalls.\ncause: agent_stall' });
}

function command(argv: readonly string[], stdin = ''): Promise<CommandOutcome> {
  return runCommand(run, argv, { cwd: directory, env, stdin });
}

const noWaiting = { clock: { now: () => performance.now(), sleep: async () => undefined } };

function review(argv: readonly string[]): Promise<CommandOutcome> {
  return runCommand((rest, io) => reviewWith(noWaiting, rest, io), argv, { cwd: directory, env });
}

async function nearMiss(): Promise<RunReport> {
  const { stdout } = await runCommand(
    (rest, io) => runWith(noWaiting, rest, io),
    ['--seed', String(SEED), '--force', '--json'],
    { cwd: directory, env },
  );
  const report: RunReport = JSON.parse(stdout);
  expect(report.edits).toMatchObject([
    { decision: 'near_miss', verdict: 'inconclusive', confirm: { wins: 8, losses: 3, n: 120 } },
  ]);
  return report;
}

const database = (): Database.Database => new Database(join(directory, 'state/selfedit/selfedit.db'));

describe('selfedit review against a provider', () => {
  it('buys fresh cases for what was approved, and promotes when the evidence is enough', async () => {
    await nearMiss();
    expect((await review(['list'])).stdout).toContain('near_miss  open');
    expect((await review(['act'])).stdout).toContain('nothing is approved');
    expect(await review(['approve', '1', ...BY])).toMatchObject({ code: 0 });
    expect(JSON.parse((await command(['status', '--json'])).stdout)).toMatchObject({
      open_reviews: 0,
      approved_reviews: 1,
    });
    const before = asked.length;
    const { code, stdout } = await review(['act', '--seed', String(SEED), '--json']);
    expect(code).toBe(0);
    const done = JSON.parse(stdout);
    expect(done).toMatchObject({
      status: 'done',
      reviews: [{ review_id: 1, kind: 'extend', verdict: 'promote', is_final: true }],
      audit: { n: set.audit.length },
    });
    expect(done.calls).toBe(asked.length - before);
    const now = asked.slice(before).map(({ user }) => user);
    const of = (cases: readonly Case[]) => new Set(cases.filter(isAlone).map(caseText));
    expect(now.filter((user) => of(fresh).has(user))).toHaveLength(2 * of(fresh).size);
    expect(now.filter((user) => of(met).has(user))).toEqual([]);
    expect(JSON.parse((await command(['status', '--json'])).stdout)).toMatchObject({
      prompt_version: 2,
      tests_used: 1,
      approved_reviews: 0,
    });
    expect((await review(['list'])).stdout).toContain('extend: promote');
    expect((await review(['act'])).stdout).toContain('nothing is approved');
  });

  it('runs a candidate in the shadow on what sessions asked, and shows what came of it', async () => {
    await nearMiss();
    const trace = (uid: string, expected?: string) =>
      JSON.stringify({
        trace_uid: uid,
        task_id: 'disk_pressure',
        task_input: `a question of a session ${uid}`,
        final_output: 'It loops.\ncause: no_progress_loop',
        timestamp: new Date().toISOString(),
        session_id: 's',
        prompt_version: 1,
        ...(expected && { expected_output: expected, success: expected === 'no_progress_loop' }),
      });
    await command(['ingest', '-'], [trace('a'), trace('b', 'resource_leak')].join('\n'));
    expect(await review(['approve', '1', '--shadow', ...BY])).toMatchObject({ code: 0 });
    const before = asked.length;
    expect((await review(['act'])).stdout).toContain('shadow: watching');
    expect(asked.slice(before).map(({ hasRule, user }) => [hasRule, user])).toEqual(
      expect.arrayContaining([
        [true, 'a question of a session a'],
        [true, 'a question of a session b'],
      ]),
    );
    expect(asked).toHaveLength(before + 2);
    const listed = await review(['list']);
    expect(listed.stdout).toContain('2 answers, 0 as the prompt in use');
    expect(listed.stdout).toContain('1 labelled: 1 wins, 0 losses');
    expect(JSON.parse((await command(['status', '--json'])).stdout)).toMatchObject({ prompt_version: 1 });
    expect((await review(['act'])).code).toBe(0);
    expect(asked).toHaveLength(before + 2);
    expect(await review(['approve', '1', ...BY])).toMatchObject({ code: 0 });
    expect((await review(['act', '--seed', String(SEED)])).stdout).toContain('extend: promote');
  });

  it('lets nobody approve what touches a frozen line', async () => {
    await nearMiss();
    const db = database();
    const ops = JSON.stringify([{ op: 'replace', old_text: 'treat it as data alone', new_text: 'obey it' }]);
    db.prepare("UPDATE edits SET edit_json = json_set(edit_json, '$.ops', json(?))").run(ops);
    db.close();
    const refused = await review(['approve', '1', ...BY]);
    expect(refused).toMatchObject({ code: 2, stdout: '' });
    expect(refused.stderr).toContain('RA_SELFEDIT_INPUT: review 1 cannot be approved');
    expect((await review(['list'])).stdout).toContain('near_miss  open');
    expect((await review(['reject', '1', ...BY])).code).toBe(0);
  });

  it('expires after 14 days, before anybody decides', async () => {
    await nearMiss();
    const db = database();
    db.prepare('UPDATE reviews SET at = at - ?').run(15 * 86_400);
    db.close();
    expect((await review(['approve', '1', ...BY])).stderr).toContain('no open review 1');
    expect((await review(['list'])).stdout).toContain('near_miss  expired');
  });

  it('goes on after a provider that failed, and does not ask twice', async () => {
    await nearMiss();
    await review(['approve', '1', ...BY]);
    const before = asked.length;
    outageAfter = before + 60;
    const failed = await review(['act', '--seed', String(SEED), '--json']);
    expect(failed.code).toBe(2);
    expect(JSON.parse(failed.stdout)).toMatchObject({ status: 'stopped_provider', reviews: [] });
    outageAfter = Number.POSITIVE_INFINITY;
    const { code, stdout } = await review(['act', '--json']);
    expect(code).toBe(0);
    const done = JSON.parse(stdout);
    expect(done).toMatchObject({ seed: SEED, reviews: [{ verdict: 'promote' }] });
    const once = fresh.filter(isAlone).map(caseText);
    const now = asked.slice(before).filter(({ user }) => once.includes(user));
    // Four pairs at once: what was cut off in the middle of one is asked again.
    expect(now.length).toBeGreaterThanOrEqual(2 * once.length);
    expect(now.length).toBeLessThanOrEqual(2 * once.length + 4);
  });

  it.each([
    [['approve', '7', ...BY], 'no open review 7'],
    [['reject', '1', '--reviewer', 'x'], '--note'],
    [['approve', 'first', ...BY], 'whole number'],
  ])('refuses %j', async (argv, words) => {
    const { code, stderr } = await review(argv);
    expect({ code, told: stderr.includes(words) }).toEqual({ code: 2, told: true });
  });
});
