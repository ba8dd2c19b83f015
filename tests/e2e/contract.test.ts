import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runCli } from '../support/cli.js';
import { tempDir } from '../support/temp-dir.js';
import { requestFiles, tickRequest } from '../support/tick-request.js';

const jsonAt = (path: string) => JSON.parse(readFileSync(path, 'utf8'));

describe('a tick', () => {
  it('answers in the file and on standard output alike, and says nothing on standard error', async () => {
    const sessionDir = tempDir();
    const { request, out } = requestFiles(sessionDir, { sessionDir });
    const run = await runCli(['tick', '--request', request, '--out', out]);
    expect(run).toMatchObject({ code: 0, stderr: '' });
    expect(run.stdout).toBe(readFileSync(out, 'utf8'));
    expect(run.stdout).toMatch(/^\{\n {2}"intent_envelope"[\s\S]*\}\n$/);
    expect(Object.keys(jsonAt(out))).toEqual([
      'intent_envelope',
      'session_id',
      'tick_index',
      'parse_warnings',
    ]);
    expect(jsonAt(out)).toMatchObject({
      session_id: 's',
      tick_index: 1,
      parse_warnings: [],
      intent_envelope: { intents: [{ intent_type: 'alert', payload: { severity: 'high' } }] },
    });
  });

  it('reads standard input and writes standard output when told so', async () => {
    const sessionDir = tempDir();
    const input = JSON.stringify(tickRequest({ sessionDir, crashCount: 0 }));
    const run = await runCli(['tick', '--request', '-'], { input });
    expect(run.code).toBe(0);
    expect(JSON.parse(run.stdout).intent_envelope.intents).toMatchObject([
      { intent_type: 'send_message', payload: { topic: 'heartbeat' } },
    ]);
  });

  it('leaves findings, presence, state, a cache, a job and the two notes of the turn, and nothing else', async () => {
    const sessionDir = tempDir();
    const { request, out } = requestFiles(sessionDir, { sessionDir });
    await runCli(['tick', '--request', request, '--out', out]);
    const ours = readdirSync(join(sessionDir, 'agents/robustness')).filter(
      (name) => name !== 'sources_cache.json',
    );
    expect(ours.sort()).toEqual(['detector_state.json', 'findings', 'investigations', 'presence']);
    expect(readdirSync(join(out, '..')).sort()).toEqual([
      'action.json',
      'emit.json',
      'request.json',
      'signal.json',
    ]);
    expect(jsonAt(join(out, '../signal.json'))).toMatchObject({ signal: 'crash_count_high' });
    expect(jsonAt(join(out, '../action.json'))).toMatchObject({ action: 'alert' });
    const line = JSON.parse(readFileSync(join(sessionDir, 'agents/robustness/findings/s.jsonl'), 'utf8'));
    expect(line).toMatchObject({
      tick_index: 1,
      symptom_name: 'crash_count_high',
      subject: { agent: 'session' },
    });
  });

  it('leaves a job for investigations, unless told not to', async () => {
    const jobsWith = async (options: Record<string, unknown>) => {
      const sessionDir = tempDir();
      const { request, out } = requestFiles(sessionDir, { sessionDir, options });
      await runCli(['tick', '--request', request, '--out', out]);
      const queue = join(sessionDir, 'agents/robustness/investigations/queue');
      return existsSync(queue) ? readdirSync(queue).map((name) => jsonAt(join(queue, name))) : [];
    };
    expect(await jobsWith({})).toMatchObject([
      { symptom_name: 'crash_count_high', severity: 'high', attempts: 0 },
    ]);
    expect(await jobsWith({ investigate_mode: 'off' })).toEqual([]);
    expect(await jobsWith({ investigate_skip_symptoms: ['crash_count_high'] })).toEqual([]);
  });

  it('takes bad options as they are meant, or ignores them with a warning', async () => {
    const sessionDir = tempDir();
    const options = {
      nodes: 'x',
      progress_no_levers_min_minutes: null,
      disable_local_probe: 'yes',
      colour: 'red',
    };
    const { request, out } = requestFiles(sessionDir, { sessionDir, options });
    expect((await runCli(['tick', '--request', request, '--out', out])).code).toBe(0);
    const { parse_warnings: warnings } = jsonAt(out);
    expect(warnings).toHaveLength(3);
    expect(warnings.join('\n')).toMatch(/nodes[\s\S]*progress_no_levers_min_minutes[\s\S]*colour/);
  });

  it('obeys file, environment, options and flags in this order', async () => {
    const sessionDir = tempDir();
    const intentsWith = async (
      tick: number,
      env: Record<string, string>,
      options: Record<string, unknown>,
    ) => {
      const { request, out } = requestFiles(sessionDir, { sessionDir, crashCount: 3, tick, options });
      await runCli(['tick', '--request', request, '--out', out], { env });
      return jsonAt(out).intent_envelope.intents[0].payload.severity ?? 'heartbeat';
    };
    writeFileSync(join(sessionDir, 'robustness.config.json'), '{"crash_medium_threshold": 9}');
    expect(await intentsWith(1, {}, {})).toBe('heartbeat');
    expect(await intentsWith(2, { ROBUSTNESS_CRASH_MEDIUM_THRESHOLD: '2' }, {})).toBe('medium');
    expect(
      await intentsWith(9, { ROBUSTNESS_CRASH_MEDIUM_THRESHOLD: '2' }, { crash_medium_threshold: 9 }),
    ).toBe('heartbeat');
  });

  it('is blind in no tick because of a bad settings file', async () => {
    const sessionDir = tempDir();
    writeFileSync(join(sessionDir, 'robustness.config.json'), '{"cooldown_ticks": "five", ');
    const { request, out } = requestFiles(sessionDir, { sessionDir });
    expect((await runCli(['tick', '--request', request, '--out', out])).code).toBe(0);
    expect(jsonAt(out).parse_warnings.join()).toContain('robustness.config.json');
  });
});

describe('a request that cannot be answered', () => {
  const refused = async (content: string | undefined, args: readonly string[] = []) => {
    const directory = tempDir();
    const request = join(directory, 'request.json');
    const out = join(directory, 'emit.json');
    if (content !== undefined) writeFileSync(request, content);
    writeFileSync(out, 'answer of an earlier turn');
    const run = await runCli(['tick', '--request', request, '--out', out, ...args]);
    return { ...run, leftovers: readdirSync(directory).filter((name) => name !== 'request.json') };
  };

  it.each<[string, string | undefined, string]>([
    ['a missing file', undefined, 'RA_REQUEST_UNREADABLE'],
    ['malformed JSON', '{"kind":', 'RA_REQUEST_SYNTAX'],
    ['a blank file', '', 'RA_REQUEST_FIELD'],
    ['a foreign kind', '{"kind": "x", "session_id": "s", "raw_prompt": "p"}', 'RA_REQUEST_FIELD'],
    [
      'no session directory',
      '{"kind": "coordinator_inbox", "session_id": "s", "raw_prompt": "p"}',
      'RA_SESSION_DIR',
    ],
    [
      'a session directory that is a file',
      '{"kind": "coordinator_inbox", "session_id": "s", "raw_prompt": "p", "options": {"session_dir": "/etc/hosts"}}',
      'RA_SESSION_DIR',
    ],
  ])('gets one line for %s, exit code 2, and no file', async (_, content, code) => {
    const { code: exitCode, stdout, stderr, leftovers } = await refused(content);
    expect(exitCode).toBe(2);
    expect(stdout).toBe('');
    expect(stderr).toMatch(new RegExp(`^${code}: .*expected.*\\n$`));
    expect(stderr.length).toBeLessThan(500);
    expect(leftovers).toEqual([]);
  });

  it('gets the usage for a usage error, the cause first', async () => {
    for (const args of [['tick'], ['tick', '--request', 'x', '--colour', 'red'], ['nonsense'], []]) {
      const run = await runCli(args);
      expect(run).toMatchObject({ code: 2, stdout: '' });
      expect(run.stderr).toMatch(/^RA_USAGE: .*\n[\s\S]*usage: robustness-agent/);
    }
  });

  it('gets help on standard output when it asks', async () => {
    for (const args of [['--help'], ['tick', '--help'], ['finalize', '--help'], ['run', '--help']]) {
      const run = await runCli(args);
      expect(run).toMatchObject({ code: 0, stderr: '' });
      expect(run.stdout).toContain('robustness-agent');
      for (const line of run.stdout.split('\n')) expect(line.length).toBeLessThanOrEqual(80);
    }
    expect((await runCli(['--help'])).stdout).toContain('tick');
  });

  it('loses no alert when the answer cannot be written: the next tick says it', async () => {
    const sessionDir = tempDir();
    const { request } = requestFiles(sessionDir, { sessionDir });
    const failed = await runCli([
      'tick',
      '--request',
      request,
      '--out',
      join(sessionDir, 'missing/emit.json'),
    ]);
    expect(failed.code).toBe(2);
    expect(failed.stderr).toMatch(/^RA_EMIT_WRITE: /);
    expect(existsSync(join(sessionDir, 'agents/robustness/findings'))).toBe(false);
    const { out } = requestFiles(sessionDir, { sessionDir });
    await runCli(['tick', '--request', request, '--out', out]);
    expect(jsonAt(out).intent_envelope.intents[0].intent_type).toBe('alert');
  });
});

describe('finalize', () => {
  it('writes the report once, again for another stop reason, and keeps the earlier one', async () => {
    const sessionDir = tempDir();
    const { request, out } = requestFiles(sessionDir, { sessionDir, sessionId: 's' });
    await runCli(['tick', '--request', request, '--out', out]);
    const finalize = async (reason: string) =>
      JSON.parse(
        (
          await runCli([
            'finalize',
            '--session-dir',
            sessionDir,
            '--session-id',
            's',
            '--stop-reason',
            reason,
          ])
        ).stdout,
      );
    expect(await finalize('done')).toMatchObject({
      wrote_new_files: true,
      already_finalized: false,
      errors: [],
    });
    expect(await finalize('done')).toMatchObject({ wrote_new_files: false, already_finalized: true });
    expect(await finalize('target_reached')).toMatchObject({ wrote_new_files: true });
    expect(readdirSync(join(sessionDir, 'reports')).sort()).toEqual([
      '.robustness_finalized',
      'decision_trace.json',
      'decision_trace.json.1',
      'robustness_postmortem.md',
      'robustness_postmortem.md.1',
    ]);
  });

  it('says so, and exits with 2, when nothing can be written', async () => {
    const sessionDir = tempDir();
    writeFileSync(join(sessionDir, 'reports'), 'a file in its place');
    const run = await runCli(['finalize', '--session-dir', sessionDir]);
    expect(run.code).toBe(2);
    expect(JSON.parse(run.stdout)).toMatchObject({ wrote_new_files: false, already_finalized: false });
    expect(run.stderr).toMatch(/^RA_FINALIZE_WRITE: /);
  });

  it('happens by itself in a tick that sees a stop reason', async () => {
    const sessionDir = tempDir();
    const { request, out } = requestFiles(sessionDir, { sessionDir, stopReason: 'target_reached' });
    await runCli(['tick', '--request', request, '--out', out]);
    const report = readFileSync(join(sessionDir, 'reports/robustness_postmortem.md'), 'utf8');
    expect(report).toContain('target_reached');
    expect(report).toContain('crash_count_high');
  });
});
