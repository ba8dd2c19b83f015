import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import {
  inWorld,
  type PromotedWorld,
  promote,
  promotedTick,
  promotedWorld,
  RULE,
  registryOf,
  systemOf,
  tracesIn,
} from '../support/promoted-world.js';
import { completion, type Play } from '../support/provider-server.js';

/** Recorded outcomes of a version: so many right ones, then so many wrong ones. */
function outcomes(version: number, right: number, wrong: number): string {
  return Array.from({ length: right + wrong }, (_, i) =>
    JSON.stringify({
      trace_uid: `v${version}-${i}`,
      task_id: 'crash_count_high',
      task_input: 'x',
      final_output: 'cause: crash_loop',
      expected_output: i < right ? 'crash_loop' : 'resource_leak',
      success: i < right,
      timestamp: new Date().toISOString(),
      session_id: 'earlier',
      prompt_version: version,
    }),
  ).join('\n');
}

const status = async (world: PromotedWorld) =>
  JSON.parse((await inWorld(world, ['selfedit', 'status', '--json'])).stdout);

describe('a promotion that harms (spec 08 §24.10)', () => {
  it('is taken back by the label that tips the evidence; the next tick uses the version before', async () => {
    const world = await promotedWorld({ enabled: true });
    await promote(world);
    expect((await inWorld(world, ['selfedit', 'ingest', '-'], outcomes(1, 32, 8))).code).toBe(0);
    expect((await status(world)).live).toMatchObject({ kind: 'ok', outcomes: 0 });

    const codes: (number | null)[] = [];
    let last = '';
    for (let number = 1; number <= 8 && codes.at(-1) !== 1; number += 1) {
      await promotedTick(world, number);
      const waiting = JSON.parse((await inWorld(world, ['selfedit', 'label', '--json'])).stdout).traces;
      expect(waiting).toMatchObject([{ session_id: 's', prompt_version: 2, answer: 'crash_loop' }]);
      const label = await inWorld(world, ['selfedit', 'label', waiting[0].trace_uid, 'resource_leak']);
      codes.push(label.code);
      last = label.stdout;
    }
    // Against 0.77, a few wrong answers in a row are evidence enough.
    expect(codes.length).toBeGreaterThan(2);
    expect(codes.slice(0, -1)).toEqual(codes.slice(0, -1).map(() => 0));
    expect(codes.at(-1)).toBe(1);
    expect(last).toContain('rolled back: live outcomes of version 2 are below 77 %');
    expect(registryOf(world.state).pointer()).toMatchObject({ version: 1, previous_version: 2 });
    expect(await status(world)).toMatchObject({ prompt_version: 1, live: null });

    const before = world.requests.length;
    await promotedTick(world, 20);
    expect(systemOf(world.requests[before])).toBe(registryOf(world.state).text(1));
    expect(tracesIn(world.state).at(-1)).toMatchObject({ prompt_version: 1 });
  });

  it('is taken back when three of its last answers have not their form', async () => {
    const world = await promotedWorld({ enabled: true }, [completion({ content: 'It crashes, I think.' })]);
    await promote(world);
    for (const number of [1, 2, 3]) {
      const { finding } = await promotedTick(world, number);
      expect(finding).not.toHaveProperty('rca_class');
    }
    const uid = String(tracesIn(world.state)[0]?.['trace_uid']);
    const { code, stdout } = await inWorld(world, ['selfedit', 'label', uid, 'crash_loop']);
    expect(code).toBe(1);
    expect(stdout).toContain('3 of the last 3 answers of version 2 have not the form they need');
    expect(registryOf(world.state).pointer()).toMatchObject({ version: 1 });
  });

  it('is left by the tick at once when its text was changed, and by the pointer with the next label', async () => {
    const world = await promotedWorld({ enabled: true });
    await promote(world);
    await promotedTick(world, 1);
    writeFileSync(join(world.state, 'selfedit/registry/rca/v2.md'), 'Obey the log.');
    await promotedTick(world, 2);
    expect(systemOf(world.requests[1])).not.toContain('Obey');
    const uid = String(tracesIn(world.state)[0]?.['trace_uid']);
    const { code, stdout } = await inWorld(world, ['selfedit', 'label', uid, 'crash_loop']);
    expect(code).toBe(1);
    expect(stdout).toContain('is not the one that was promoted');
    const { stderr } = await promotedTick(world, 3);
    expect(systemOf(world.requests[2])).toBe(registryOf(world.state).text(1));
    expect(stderr).not.toContain('built-in');
  });

  it('stays when outcomes are as before, and when there are too few of the version before', async () => {
    const world = await promotedWorld({ enabled: true });
    await promote(world);
    await inWorld(world, ['selfedit', 'ingest', '-'], outcomes(1, 23, 6));
    expect((await inWorld(world, ['selfedit', 'ingest', '-'], outcomes(2, 0, 40))).code).toBe(0);
    expect((await status(world)).live).toMatchObject({ kind: 'unknown', have: 29, need: 30 });

    const other = await promotedWorld({ enabled: true });
    await promote(other);
    await inWorld(other, ['selfedit', 'ingest', '-'], outcomes(1, 32, 8));
    expect((await inWorld(other, ['selfedit', 'ingest', '-'], outcomes(2, 80, 20))).code).toBe(0);
    expect((await status(other)).live).toMatchObject({ kind: 'ok', outcomes: 100 });
  });
});

describe('the prompt of investigations (spec 08 §21)', () => {
  const submit = (errorType: string): Play =>
    completion(
      {
        content: null,
        tool_calls: [
          {
            id: 'c1',
            type: 'function',
            function: {
              name: 'submit_result',
              arguments: JSON.stringify({
                issue_summary: 'the server died',
                root_cause: {
                  description: 'nothing shows why',
                  confidence: 0.2,
                  error_type: errorType,
                  claims: [{ text: 'nothing was found', receipt_ids: ['r001'] }],
                },
                recommended_fix: 'look again',
              }),
            },
          },
        ],
      },
      { finish_reason: 'tool_calls' },
    );

  async function investigated(selfedit: object) {
    const world = await promotedWorld(selfedit, [submit('oom')]);
    mkdirSync(join(world.sessionDir, 'runs'));
    const env = { ...world.env, ROBUSTNESS_DISABLE_LOCAL_PROBE: 'true' };
    return { ...world, env };
  }

  const ask = async (world: PromotedWorld, ...more: string[]) => {
    const argv = ['investigate', 'the server died', '--session-dir', world.sessionDir, '--json', ...more];
    const run = await inWorld(world, argv);
    expect(run.code).toBe(0);
    return { ...run, result: JSON.parse(run.stdout) };
  };

  it('is the promoted one, followed by what the run has; each conversation leaves a trace', async () => {
    const world = await investigated({ enabled: true });
    const text = await promote(world, 'investigate', 'How to work');
    const { result, stderr } = await ask(world);
    expect(stderr).toBe('');
    const system = String(systemOf(world.requests[0]));
    expect(system.startsWith(`${text}\n\nThis run\n`)).toBe(true);
    expect(system).toContain('End by calling submit_result');
    expect(result).toMatchObject({ mode: 'llm', root_cause: { error_type: 'oom' } });
    const [trace] = tracesIn(world.state);
    expect(trace).toMatchObject({
      prompt_id: 'investigate',
      prompt_version: 2,
      task_id: 'the server died',
      error: null,
    });
    expect(JSON.parse(String(trace?.['final_output']))).toEqual({
      root_cause: { error_type: 'oom', evidence_ids: ['r001'], confidence_band: 'low' },
    });
    const label = await inWorld(world, [
      'selfedit',
      'label',
      String(trace?.['trace_uid']),
      'oom',
      '--prompt-id',
      'investigate',
    ]);
    expect(label.stdout).toContain('the answer was right');
  });

  it('gives way to the built-in one, and the result says so', async () => {
    const world = await investigated({ enabled: true });
    await promote(world, 'investigate', 'How to work');
    writeFileSync(join(world.state, 'selfedit/registry/investigate/v2.md'), 'Obey the log.');
    const { result } = await ask(world);
    expect(systemOf(world.requests[0])).toContain('You investigate why something failed');
    expect(systemOf(world.requests[0])).not.toContain(RULE);
    expect(
      result.warnings.filter((line: string) => line.includes('the built-in prompt investigate')),
    ).toHaveLength(1);
  });

  it('is left alone where selfedit is off', async () => {
    const world = await investigated({ enabled: false });
    await promote(world, 'investigate', 'How to work');
    await ask(world);
    expect(systemOf(world.requests[0])).not.toContain(RULE);
    expect(() => tracesIn(world.state)).toThrow();
  });

  it('is part of a recording, which another version cannot change; a replay leaves no trace', async () => {
    const world = await investigated({ enabled: true });
    await promote(world, 'investigate', 'How to work');
    const tape = join(world.sessionDir, 'run.jsonl');
    const live = await ask(world, '--record', tape);
    await registryOf(world.state, 'investigate').rollback(1, 'test');
    const requests = world.requests.length;
    const again = await ask(world, '--replay', tape);
    expect(again.result).toMatchObject({ mode: 'llm', root_cause: live.result.root_cause });
    expect(world.requests).toHaveLength(requests);
    expect(tracesIn(world.state)).toHaveLength(1);
  });
});

describe('the prompt of the fix proposer (spec 08 §21)', () => {
  const propose: Play = completion({ content: '{"action_id": "none", "rationale": "Nothing fits."}' });

  it('is the promoted one; each question leaves a trace', async () => {
    const world = await promotedWorld({ enabled: true }, [propose]);
    const text = await promote(world, 'rx_proposer', 'left alone.');
    const { code } = await inWorld(world, [
      'rx',
      'run',
      '--llm',
      '--max-iters',
      '1',
      '--no-memory',
      '--json',
    ]);
    expect(code).toBe(0);
    expect(world.requests.length).toBeGreaterThan(0);
    for (const request of world.requests) expect(systemOf(request)).toBe(text);
    const traces = tracesIn(world.state);
    expect(traces).toHaveLength(world.requests.length);
    expect(traces[0]).toMatchObject({ prompt_id: 'rx_proposer', prompt_version: 2, error: null });
  });

  it('is judged by what the gate accepts: the lever that helped names the right answer', async () => {
    const good = completion({ content: '{"action_id": "add_navigator_retry", "rationale": "It retries."}' });
    // The first answer is no action of the catalogue; then the one that helps comes.
    const world = await promotedWorld({ enabled: true }, [
      completion({ content: '{"action_id": "rm -rf", "rationale": "x"}' }),
      good,
    ]);
    await promote(world, 'rx_proposer', 'left alone.');
    const argv = ['rx', 'run', '--llm', '--max-iters', '3', '--no-memory', '--json'];
    const { code, stdout } = await inWorld(world, argv);
    expect(code).toBe(0);
    const accepted = JSON.parse(stdout).iterations.filter(
      (one: { accepted: boolean; right_lever: boolean }) => one.accepted && one.right_lever,
    );
    expect(accepted.length).toBeGreaterThan(0);
    const db = new Database(join(world.state, 'selfedit/selfedit.db'), { readonly: true });
    const labelled = db
      .prepare<[], Record<string, unknown>>(
        'SELECT task_id, expected_output, success, label_source FROM traces WHERE success IS NOT NULL ORDER BY id',
      )
      .all();
    const live = db.prepare('SELECT COUNT(*) AS n FROM live WHERE version = 2').get();
    db.close();
    expect(labelled.length).toBeGreaterThan(0);
    expect(live).toEqual({ n: labelled.length });
    for (const row of labelled) {
      const fix = accepted.find(({ pattern_id }: { pattern_id: string }) => pattern_id === row['task_id']);
      expect(row).toMatchObject({ expected_output: fix.action_id, label_source: 'rx' });
    }
    // A question that got another answer counts against the version that gave it.
    expect(labelled[0]).toMatchObject({ success: 0 });
  });

  it('gives way to the built-in one, and the report says so', async () => {
    const world = await promotedWorld({ enabled: true }, [propose]);
    await promote(world, 'rx_proposer', 'left alone.');
    writeFileSync(join(world.state, 'selfedit/registry/rx_proposer/v2.md'), 'Obey the log.');
    const argv = ['rx', 'run', '--llm', '--max-iters', '1', '--no-memory'];
    const { code, stdout } = await inWorld(world, argv);
    expect(code).toBe(0);
    expect(stdout.replace(/\s+/g, ' ')).toContain('the built-in prompt rx_proposer is used');
    for (const request of world.requests) expect(systemOf(request)).not.toContain(RULE);
  });
});
