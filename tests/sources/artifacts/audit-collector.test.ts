import { mkdirSync, symlinkSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type JsonObject, objectOr, objectsOf } from '../../../src/foreign/json.js';
import { auditCollector } from '../../../src/sources/artifacts/audit-collector.js';
import { collect, type EnvChanges } from '../support/collector-env.js';
import { temporaryDirectory, writeTree } from '../support/tree.js';

/** A workspace with one session in it. */
function workspace(files: Readonly<Record<string, string>> = {}): { root: string; sessionDir: string } {
  const root = temporaryDirectory();
  const sessionDir = join(root, 'model', 'session');
  mkdirSync(sessionDir, { recursive: true });
  writeTree(sessionDir, files);
  return { root, sessionDir };
}

async function look({ root, sessionDir }: { root: string; sessionDir: string }, changes: EnvChanges = {}) {
  const coordinator = {
    pid: null,
    alive: null,
    startedUnix: null,
    hostname: '',
    otherHost: false,
    workspaceRoot: root,
    runLog: null,
  };
  const answer = await collect(auditCollector, {
    sessionDir,
    ...changes,
    facts: { coordinator, ...changes.facts },
  });
  const slot = objectOr(answer.slots.local_decision_audit);
  return {
    answer,
    slot,
    entries: objectsOf(slot['recent_integrate']),
    attempts: objectsOf(slot['oob_attempts']),
  };
}

function result(task: string, value: JsonObject | string): Record<string, string> {
  return {
    [`runs/integrate/${task}/result.json`]: typeof value === 'string' ? value : JSON.stringify(value),
  };
}

const resultsOf = (results: Record<string, JsonObject | string>) =>
  Object.assign({}, ...Object.entries(results).map(([task, value]) => result(task, value)));

describe('integrate decisions in files', () => {
  it('carry their numbers, and nothing that is no number', async () => {
    const place = workspace(
      result('t1', {
        kernel_id: 'k1',
        task_id: 7,
        decision: 'KEEP',
        gain_pct: '1.5',
        base_tput: true,
        new_tput: 12.5,
        dispatched_count: 1.5,
      }),
    );
    expect((await look(place)).entries).toMatchObject([
      {
        kernel_id: 'k1',
        task_id: '7',
        decision: 'KEEP',
        gain_pct: 1.5,
        base_tput: null,
        new_tput: 12.5,
        dispatched_count: null,
        patch_path: '',
        patch_size_bytes: null,
        patch_exists: null,
        origin: 'file',
        result_path: join(place.sessionDir, 'runs/integrate/t1/result.json'),
      },
    ]);
  });

  it('are newest first; invalid ones do not use up the cap, and 0 means none', async () => {
    const place = workspace(
      resultsOf({ a: { decision: 'KEEP' }, b: { decision: 'REVERT' }, c: '{', d: { decision: 3 }, e: '[]' }),
    );
    for (const [index, task] of ['e', 'd', 'c', 'b', 'a'].entries()) {
      utimesSync(join(place.sessionDir, `runs/integrate/${task}/result.json`), 1000 - index, 1000 - index);
    }
    const decisions = async (max: number) =>
      (await look(place, { config: { decision_audit_max_integrate: max } })).entries.map(
        (entry) => entry['decision'],
      );
    expect(await decisions(20)).toEqual(['REVERT', 'KEEP']);
    expect(await decisions(1)).toEqual(['REVERT']);
    expect(await decisions(0)).toEqual([]);
  });

  it('look at patches inside the session and the workspace only', async () => {
    const place = workspace({ 'patches/full.diff': 'abc', 'patches/empty.diff': '' });
    writeTree(place.root, { 'shared.diff': 'ab' });
    symlinkSync('/etc', join(place.sessionDir, 'escape'));
    const patch = async (patch_path: JsonObject[string]) => {
      writeTree(place.sessionDir, result('t1', { decision: 'KEEP', patch_path: patch_path ?? null }));
      const [entry] = (await look(place)).entries;
      return [entry?.['patch_size_bytes'], entry?.['patch_exists']];
    };
    expect(await patch(join(place.sessionDir, 'patches/full.diff'))).toEqual([3, true]);
    expect(await patch(join(place.sessionDir, 'patches/empty.diff'))).toEqual([0, true]);
    expect(await patch('../../../patches/full.diff')).toEqual([3, true]);
    expect(await patch(join(place.root, 'shared.diff'))).toEqual([2, true]);
    expect(await patch(join(place.sessionDir, 'patches/gone.diff'))).toEqual([null, false]);
    expect(await patch(join(place.sessionDir, 'patches'))).toEqual([null, true]);
    expect(await patch('/etc/passwd')).toEqual([null, null]);
    expect(await patch(join(place.sessionDir, 'escape/passwd'))).toEqual([null, null]);
    expect(await patch(['a', 'list'])).toEqual([null, null]);
    expect(await patch('a\0b')).toEqual([null, null]);
  });
});

describe('integrate decisions in state.json', () => {
  const state = (attempts: readonly JsonObject[]) => ({
    kernel_integrate_attempts: { 'k1|p1': { kernel_id: 'k1', patch_path: 'patches/p1.diff', attempts } },
  });

  it('are delivered as entries of their own', async () => {
    const place = workspace({ 'patches/p1.diff': 'abcd' });
    const attempts = [
      { decision: 'KEEP', gain_pct: 3.5, new_tput: 900, ts: '2031-01-01T00:00:00+00:00' },
      { decision: 'REVERT', is_fault: true, ts: 5 },
      { status: 'running' },
    ];
    expect((await look(place, { facts: { stateJson: state(attempts) } })).entries).toEqual([
      {
        kernel_id: 'k1',
        task_id: '',
        decision: 'KEEP',
        gain_pct: 3.5,
        base_tput: null,
        new_tput: 900,
        patch_path: 'patches/p1.diff',
        patch_size_bytes: 4,
        patch_exists: true,
        dispatched_count: null,
        result_path: `${join(place.sessionDir, 'state.json')}#k1|p1`,
        mtime: 1924992000,
        origin: 'state',
      },
    ]);
  });

  it('give way to a file about the same decision within a minute', async () => {
    const place = workspace(result('t1', { kernel_id: 'k1', decision: 'KEEP' }));
    utimesSync(join(place.sessionDir, 'runs/integrate/t1/result.json'), 1000, 1000);
    const origins = async (ts: number, decision = 'KEEP') => {
      const stateJson = state([{ decision, ts }]);
      return (await look(place, { facts: { stateJson } })).entries.map((entry) => entry['origin']);
    };
    expect(await origins(1060)).toEqual(['file']);
    expect(await origins(1061)).toEqual(['state', 'file']);
    expect(await origins(900)).toEqual(['file', 'state']);
    expect(await origins(1000, 'REVERT')).toHaveLength(2);
  });

  it('that make no sense cost nothing', async () => {
    for (const value of [3, null, [], { k: 5 }, { k: { attempts: 'x' } }]) {
      const stateJson = { kernel_integrate_attempts: value };
      expect((await look(workspace(), { facts: { stateJson } })).entries).toEqual([]);
    }
  });
});

describe('kernel attempts', () => {
  const run = 'kernel-agent/runs/session';
  const jsonl = (...rows: readonly (JsonObject | string)[]) =>
    `${rows.map((row) => (typeof row === 'string' ? row : JSON.stringify(row))).join('\n')}\n`;

  it('have the reference’s keys, or the writer’s where those are absent', async () => {
    const place = workspace({
      [`${run}/optimization_attempts.jsonl`]: jsonl(
        { kernel_id: 'k1', backend: 'geak', report_text: 'r', microbench_speedup: '1.25', ts: 't' },
        '',
        'not json',
        '[1]',
        {
          attempt_id: 'forge-0a1b2c3d',
          backend: 'forge',
          status: 'timeout',
          error_type: 'Timeout',
          timed_out: true,
          returncode: -15,
          improved: false,
          stdout_tail: `${'x'.repeat(600)}got SIGTERM`,
          mean_case_speedup: 1.1,
          created_at: '2031-01-01T00:00:00+00:00',
        },
      ),
      [`${run}/results/k7.json`]: JSON.stringify({ attempts: [{ attempt_id: 'forge-0a1b2c3d' }] }),
      [`${run}/results/broken.json`]: '{',
    });
    const { attempts } = await look(place);
    expect(attempts).toMatchObject([
      {
        kernel_id: 'k1',
        backend: 'geak',
        report_text: 'r',
        microbench_speedup: 1.25,
        ts: 't',
        timed_out: null,
      },
      {
        kernel_id: 'k7',
        backend: 'forge',
        microbench_speedup: 1.1,
        ts: '2031-01-01T00:00:00+00:00',
        status: 'timeout',
        error_type: 'Timeout',
        timed_out: true,
        returncode: -15,
        improved: false,
      },
    ]);
    expect(String(attempts[1]?.['report_text'])).toMatch(/^x+got SIGTERM$/);
    expect(String(attempts[1]?.['report_text'])).toHaveLength(500);
  });

  it('of several runs are merged oldest first and cut at the cap', async () => {
    const place = workspace({
      'kernel-agent/runs/a/optimization_attempts.jsonl': jsonl(
        { backend: 'a1', ts: 10 },
        { backend: 'a2', ts: 30 },
      ),
      'kernel-agent/runs/b/optimization_attempts.jsonl': jsonl(
        { backend: 'b1', ts: 20 },
        { backend: 'b2', ts: 30 },
      ),
    });
    const backends = async (max: number) =>
      (await look(place, { config: { decision_audit_max_oob_attempts: max } })).attempts.map(
        (row) => row['backend'],
      );
    expect(await backends(50)).toEqual(['a1', 'b1', 'a2', 'b2']);
    expect(await backends(2)).toEqual(['a2', 'b2']);
    expect(await backends(0)).toEqual([]);
  });

  it('without a finished kernel have none: the directory is the session’s', async () => {
    const place = workspace({
      [`${run}/optimization_attempts.jsonl`]: jsonl({ attempt_id: 'geak-1', backend: 'geak' }),
    });
    expect((await look(place)).attempts).toMatchObject([{ kernel_id: '', attempt_id: 'geak-1' }]);
  });

  it('of a huge file are those of its end', async () => {
    const filler = jsonl({ backend: 'old', stdout_tail: 'y'.repeat(4000) }).repeat(400);
    const place = workspace({ [`${run}/optimization_attempts.jsonl`]: filler + jsonl({ backend: 'new' }) });
    const { attempts } = await look(place, { config: { decision_audit_max_oob_attempts: 2 } });
    expect(attempts.map((row) => row['backend'])).toEqual(['old', 'new']);
  });

  it('show no secrets', async () => {
    const place = workspace({
      [`${run}/optimization_attempts.jsonl`]: jsonl({
        backend: 'x',
        stdout_tail: 'api_key=abcdefgh12345678',
      }),
    });
    expect((await look(place)).attempts[0]?.['report_text']).toBe('api_key=[redacted]');
  });
});

describe('CI metrics', () => {
  it('are the first candidate that holds an object, verbatim', async () => {
    const place = workspace({
      'results/ci_metrics.json': '{',
      'ci_metrics_final.json': '{"tp": 8, "x": [1]}',
      'ci_metrics.json': '{}',
    });
    expect((await look(place)).slot).toMatchObject({
      ci_metrics: { tp: 8, x: [1] },
      ci_metrics_path: join(place.sessionDir, 'ci_metrics_final.json'),
      ci_metrics_mtime: expect.any(Number),
    });
  });

  it('are absent otherwise', async () => {
    const { answer, slot } = await look(workspace());
    expect(answer.verdicts.audit?.status).toBe('empty');
    expect(slot).toEqual({
      recent_integrate: [],
      oob_attempts: [],
      ci_metrics: {},
      ci_metrics_path: '',
      ci_metrics_mtime: null,
    });
  });
});
