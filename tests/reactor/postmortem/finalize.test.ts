import { appendFileSync, mkdirSync, readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { finalizeSession } from '../../../src/reactor/postmortem/finalize.js';
import { findingsPath } from '../../../src/reactor/store/paths.js';
import { tempDir } from '../../support/temp-dir.js';

const row = (symptom: string, severity: string, tick: unknown, changes: Record<string, unknown> = {}) => ({
  tick_index: tick,
  timestamp_unix: 1000,
  symptom_name: symptom,
  severity,
  summary: `${symptom} happened`,
  intents: [],
  evidence: {},
  rca_text: '',
  ...changes,
});

function writeFindings(sessionDir: string, lines: readonly unknown[], id = 's'): void {
  const path = findingsPath(sessionDir, id);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(
    path,
    lines.map((line) => `${typeof line === 'string' ? line : JSON.stringify(line)}\n`).join(''),
  );
}

function writeTask(sessionDir: string, action: string, task: string, result: unknown, mtime: number): void {
  const directory = join(sessionDir, 'runs', action, task);
  mkdirSync(directory, { recursive: true });
  if (result !== undefined) {
    writeFileSync(
      join(directory, 'result.json'),
      typeof result === 'string' ? result : JSON.stringify(result),
    );
  }
  utimesSync(directory, mtime, mtime);
}

const finalize = (sessionDir: string, changes: Partial<Parameters<typeof finalizeSession>[0]> = {}) =>
  finalizeSession({
    sessionDir,
    sessionId: 's',
    stopReason: 'target_reached',
    nowUnix: 1_772_442_000.7,
    reportsSubdir: 'reports',
    maxFindings: 20,
    maxTasksPerAction: 50,
    ...changes,
  });

const report = (sessionDir: string) =>
  readFileSync(join(sessionDir, 'reports/robustness_postmortem.md'), 'utf8');
const trace = (sessionDir: string) =>
  JSON.parse(readFileSync(join(sessionDir, 'reports/decision_trace.json'), 'utf8'));

describe('the postmortem', () => {
  it('tells of the session of the worked example', async () => {
    const dir = tempDir();
    writeFindings(dir, [
      row('late', 'high', 9),
      row('early', 'high', 3, {
        evidence: { b: 1, a: '```' },
        rca_text: 'because\nof that',
        intents: [{ intent_type: 'alert', payload: { severity: 'high' } }],
      }),
      row('m', 'medium', 4),
      row('l', 'low', 4),
      row('caps', 'HIGH', 1),
      'junk',
      '[1]',
    ]);
    writeTask(
      dir,
      'integrate',
      'k1',
      { decision: 'KEEP', base_tput: 0, validated_gain_pct: false, variant_name: '' },
      1,
    );
    writeTask(dir, 'integrate', 'k2', { decision: 'REVERT' }, 2);
    writeTask(dir, 'integrate', 'k3', { decision: 'keep' }, 3);
    writeTask(dir, 'integrate', 'k4', undefined, 4);
    writeTask(dir, 'integrate', 'k5', '{"decision": ', 5);
    writeTask(dir, 'integrate', 'k6', [], 6);
    writeTask(dir, 'specialist', 's1', { decision: 'partial' }, 1);

    expect(await finalize(dir)).toMatchObject({ wroteNewFiles: true, alreadyFinalized: false, errors: [] });
    const text = report(dir);
    expect(text).toContain('- stop_reason: `target_reached`');
    expect(text).toContain('- finalized_at_utc: 2026-03-02T09:00:00+00:00');
    expect(text).toContain('- findings_count: 5');
    expect(text).toContain('- tasks_count: 7');
    expect(text).toMatch(/## Flashpoint\n\n- symptom: `early`/);
    expect(text).toContain('> because\n> of that');
    expect(text).toContain('````json\n{\n  "a": "```",\n  "b": 1\n}\n````');
    expect(text).toContain('HIGH: 2, MEDIUM: 1, LOW: 1');
    expect(text.indexOf('- tick 9: `late`')).toBeLessThan(text.indexOf('- tick 3: `early`'));
    expect(text).toContain('| integrate | 6 | 2 | 1 | 0 | 3 |');
    expect(text).toContain('| specialist | 1 | 0 | 0 | 1 | 0 |');

    const { tasks_by_action: tasks, total_tasks: total } = trace(dir);
    expect(total).toBe(7);
    expect(tasks.integrate.map((task: { task_id: string }) => task.task_id)).toEqual([
      'k6',
      'k5',
      'k4',
      'k3',
      'k2',
      'k1',
    ]);
    expect(tasks.integrate.slice(0, 3).map((task: { error: string }) => task.error.split(':')[0])).toEqual([
      'result.json_not_dict',
      'result.json_parse_failed',
      'result.json_missing',
    ]);
    expect(tasks.integrate[2].result_path).toBeNull();
    expect(tasks.integrate[5]).toMatchObject({
      base_tput: 0,
      validated_gain_pct: false,
      variant_name: '',
      status: null,
    });
  });

  it('says so when there is nothing to tell', async () => {
    const dir = tempDir();
    await finalize(dir, { stopReason: '' });
    expect(report(dir)).toContain('- stop_reason: (none)');
    expect(report(dir)).toContain('No HIGH finding was recorded.');
    expect(report(dir)).toContain('No task directories were found.');
  });

  it('lists at most the newest HIGH findings', async () => {
    const dir = tempDir();
    writeFindings(
      dir,
      Array.from({ length: 200 }, (_, tick) => row('x', 'high', tick)),
    );
    await finalize(dir);
    const ticks = [...report(dir).matchAll(/^- tick (\d+):/gm)].map((match) => Number(match[1]));
    expect(ticks).toEqual(Array.from({ length: 20 }, (_, index) => 199 - index));
  });

  it('lets no foreign text become markup', async () => {
    const dir = tempDir();
    const evil = 'a\n# heading\n| cell | <script>alert(1)</script> [x](http://y) `code`';
    writeFindings(dir, [row('x`y', 'high', 1, { summary: evil, rca_text: evil })]);
    writeTask(dir, 'a|b', 't', { decision: 'KEEP' }, 1);
    await finalize(dir, { stopReason: evil });
    for (const line of report(dir).split('\n')) expect(line).not.toMatch(/^# heading|^\| cell|^<script/);
    const outsideCode = report(dir).replace(/^- stop_reason: ``.*``$/m, '');
    expect(outsideCode).not.toMatch(/[^\\]<script|[^\\]\[x/);
    expect(report(dir)).toContain('| a\\|b | 1 | 1 |');
  });

  it('counts what the limit of tasks leaves out', async () => {
    const dir = tempDir();
    for (let i = 0; i < 5; i += 1) writeTask(dir, 'sweep', `t${i}`, { decision: 'KEEP' }, i + 1);
    await finalize(dir, { maxTasksPerAction: 2 });
    expect(trace(dir)).toMatchObject({ total_tasks: 2, omitted_tasks: { sweep: 3 } });
    expect(report(dir)).toContain('| sweep | 2 (+3 older) |');
  });

  it('loses one entry to a bad byte, not the whole trace', async () => {
    const dir = tempDir();
    writeTask(dir, 'sweep', 'good', { decision: 'KEEP' }, 2);
    writeTask(dir, 'sweep', 'bad', '{"decision": "\u00ff', 1);
    writeFindings(dir, [row('a', 'high', 1)]);
    appendFileSync(findingsPath(dir, 's'), Buffer.from([0xff, 0xfe, 0x0a]));
    appendFileSync(findingsPath(dir, 's'), `${JSON.stringify(row('b', 'high', 'odd'))}\n`);
    expect((await finalize(dir)).errors).toEqual([]);
    expect(report(dir)).toContain('- findings_count: 2');
    expect(report(dir)).toContain('unreadable lines in the findings file: 1');
  });
});

describe('finalizing again', () => {
  it('does nothing when nothing is new', async () => {
    const dir = tempDir();
    await finalize(dir);
    expect(await finalize(dir)).toMatchObject({ wroteNewFiles: false, alreadyFinalized: true });
  });

  it('reports a later stop, or later findings, and keeps the earlier report', async () => {
    const dir = tempDir();
    writeFindings(dir, [row('a', 'high', 1)]);
    await finalize(dir);
    expect(await finalize(dir, { stopReason: 'budget' })).toMatchObject({ wroteNewFiles: true });
    const marker = join(dir, 'reports/.robustness_finalized');
    utimesSync(marker, 1, 1);
    expect(await finalize(dir, { stopReason: 'budget' })).toMatchObject({ wroteNewFiles: true });
    expect(readdirSync(join(dir, 'reports'))).toContain('robustness_postmortem.md.1');
  });

  it('is not marked as done when a file could not be written', async () => {
    const dir = tempDir();
    mkdirSync(join(dir, 'reports/decision_trace.json/x'), { recursive: true });
    const first = await finalize(dir);
    expect(first.errors).toHaveLength(1);
    expect(readdirSync(join(dir, 'reports'))).not.toContain('.robustness_finalized');
  });
});

describe('whose findings', () => {
  it('takes the only findings file when none has the name of the session, and says so', async () => {
    const dir = tempDir();
    writeFindings(dir, [row('a', 'high', 1)], 'other');
    const { notes } = await finalize(dir);
    expect(notes.join()).toContain('other.jsonl');
    expect(report(dir)).toContain('- findings_count: 1');
  });

  it('guesses nothing among several', async () => {
    const dir = tempDir();
    for (const id of ['a', 'b']) writeFindings(dir, [row('x', 'high', 1)], id);
    expect((await finalize(dir)).notes).toEqual([]);
    expect(report(dir)).toContain('- findings_count: 0');
  });
});
