import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { LADDER_SLOT, specOf } from '../../src/reactor/decide-tick.js';
import { findingId } from '../../src/reactor/findings/finding-id.js';
import { appendFindings, appendPresence } from '../../src/reactor/findings/sink.js';
import { statePath } from '../../src/reactor/store/paths.js';
import { saveState } from '../../src/reactor/store/state-file.js';
import { run } from '../../src/runtime/explain.js';
import { run as silence } from '../../src/runtime/silence.js';
import type { Symptom } from '../../src/signals/symptom.js';
import { Session, symptom } from '../decision/ladder/ladder-run.js';
import { runCommand } from '../support/command-io.js';

const NOW = 1_790_000_000;
let dir = '';
let session = new Session();

const cli = (...argv: string[]) => runCommand(run, argv, { env: { SESSION_DIR: dir }, cwd: dir });

/** One tick of the ladder with what a real tick leaves on disk. */
function tick(at: number, symptoms: readonly Symptom[]) {
  const decision = session.at(at, symptoms, { nowUnix: NOW + at * 60, sessionDir: dir, specOf });
  const target = { sessionDir: dir, sessionId: basename(dir), mayRotate: true };
  appendFindings(target, decision.findings);
  appendPresence(target, decision.presence);
  saveState(statePath(dir), { [LADDER_SLOT]: decision.nextSlot }, NOW, 'test');
  return decision;
}

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: (NOW + 3600) * 1000 });
  dir = mkdtempSync(join(tmpdir(), 'explain-'));
  session = new Session();
});
afterEach(() => {
  vi.useRealTimers();
  rmSync(dir, { recursive: true, force: true });
});

const loop = symptom('same_payload_loop', 'high', {
  summary: 'sweep failed 3 times with one payload',
  subject: { family: 'sweep' },
  evidence: { streak: 3 },
});

describe('explain', () => {
  it('tells evidence, rule, thresholds, the next reminder and how to silence a finding', async () => {
    const [finding] = tick(10, [loop]).findings;
    const id = finding === undefined ? '' : findingId(finding);
    tick(11, []);
    const { code, stdout } = await cli(id);
    expect(code).toBe(0);
    expect(stdout).toContain(`${id} 2026-09-21T14:23:20Z HIGH`);
    expect(stdout).toContain('"streak": 3');
    expect(stdout).toContain('held back: prune of sweep (destructive_confirmations): seen at HIGH 1 of 2');
    expect(stdout).toContain('rule repeated_payload');
    expect(stdout).toContain('  repeated_payload_streak_threshold = 3');
    expect(stdout).toContain('now: gone at tick 11');
    expect(stdout).toContain('next reminder, if it stays as it is: tick 15, or after 2026-09-21T14:53:20Z');
    expect(stdout).toContain(
      `silence add same_payload_loop --subject family=sweep --for 2h --session-dir ${dir}`,
    );
    const command = stdout.split('\n').find((line) => line.includes('silence add')) ?? '';
    expect(stdout.split('\n').filter((line) => line !== command && line.length > 80)).toEqual([]);
  });

  it('says why a symptom that is there keeps quiet', async () => {
    tick(10, [loop]);
    tick(11, [loop]);
    const failure = symptom('repeated_failure', 'high', { subject: { family: 'sweep' } });
    tick(12, [loop, failure]);
    tick(13, [loop, failure]);
    const muted = await cli('same_payload_loop');
    expect(muted.stdout).toContain('now: still there at tick 13');
    expect(muted.stdout).toContain('quiet, because it was told before and has not changed');
    expect(muted.stdout).toContain('its recover or prune went out');
    const explained = await cli('repeated_failure');
    expect(explained.stdout).toContain('No finding of it is on record.');
    expect(explained.stdout).toContain('quiet, because another symptom that is present explains it');
  });

  it('names the silence in force', async () => {
    tick(10, [loop]);
    await runCommand(silence, ['add', 'same_payload_loop', '--comment', 'known, being fixed'], {
      env: { SESSION_DIR: dir },
    });
    expect((await cli('same_payload_loop')).stdout).toMatch(
      /silenced for another 2h \([0-9a-f]{6}\) known, being fixed/,
    );
  });

  it('explains each subject of a symptom, the latest first', async () => {
    const stalled = (agent: string) => symptom('agent_stall', 'medium', { subject: { agent } });
    tick(10, [stalled('critic')]);
    tick(11, [stalled('orchestration')]);
    const { stdout } = await cli('agent_stall', '--json');
    const rows = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(rows.map(({ subject }) => subject.agent)).toEqual(['orchestration', 'critic']);
    expect(rows[0]).toMatchObject({
      rule: 'stall',
      presence: 'present',
      muted_by: null,
      last_emitted_tick: 11,
      next_reminder_tick: 16,
      settings: { agent_stall_timeout_s: 300 },
    });
    expect(rows[1]).toMatchObject({ presence: 'absent', finding: { symptom_name: 'agent_stall' } });
    expect(Object.keys(rows[0])).toEqual(Object.keys(rows[1]));
  });

  it('finds the memory of a symptom whose key names more than its subject', async () => {
    const phase = symptom('phase_budget_nearly_exhausted', 'medium', {
      cooldownSubject: { phase: 'EXPLORE' },
      evidence: { phase: 'EXPLORE' },
    });
    tick(10, [phase]);
    const row = JSON.parse((await cli('phase_budget_nearly_exhausted', '--json')).stdout);
    expect(row).toMatchObject({
      key: 'phase_budget_nearly_exhausted\u001fphase=EXPLORE',
      next_reminder_tick: 15,
      presence: 'present',
    });
  });

  it('explains a symptom that was never seen, and refuses what nobody knows', async () => {
    const { code, stdout } = await cli('ray_head_dead');
    expect(code).toBe(0);
    expect(stdout).toContain('now: no evaluation is on record');
    const unknown = await cli('deadbeef');
    expect(unknown).toMatchObject({ code: 2, stdout: '' });
    expect(unknown.stderr).toMatch(/^RA_FINDING_UNKNOWN: /);
  });
});
