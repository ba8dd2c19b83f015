import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import type { RcaCall } from '../../../src/decision/rca/rca-engine.js';
import { rcaPromptInUse } from '../../../src/runtime/selfedit/prompt-in-use.js';
import { PromptRegistry } from '../../../src/selfedit/registry/registry.js';
import { openStore } from '../../../src/selfedit/store/open-store.js';
import { tempDir } from '../../support/temp-dir.js';

const redact = (text: string): string => text.replaceAll('secret', '[redacted]');
const call = (text: string): RcaCall => ({
  symptom: 'disk_pressure',
  model: 'm',
  system: 's',
  user: 'a secret question',
  result: {
    ok: true,
    attempts: 1,
    latencyMs: 1,
    reply: {
      text,
      toolCalls: [],
      finish: 'stop',
      reasoningOnly: false,
      message: { role: 'assistant', text, toolCalls: [] },
    },
  },
});

function inUse(stateDir: string) {
  return rcaPromptInUse('built in', { stateDir, sessionId: 's1', redact, now: () => 0 });
}

async function withVersion(text: string): Promise<string> {
  const stateDir = tempDir();
  const registry = new PromptRegistry({
    directory: join(stateDir, 'selfedit/registry/rca'),
    lock: join(stateDir, 'selfedit/selfedit.lock'),
  });
  expect((await registry.initialise(text)).ok).toBe(true);
  return stateDir;
}

describe('the prompt of a tick', () => {
  it('is the promoted one, else the built-in one; and nothing is written without an answer', async () => {
    const stateDir = await withVersion('promoted');
    expect(inUse(stateDir)).toMatchObject({ system: 'promoted', version: 1 });
    const empty = tempDir();
    const none = inUse(empty);
    expect(none).toMatchObject({ system: 'built in', version: 0 });
    expect(none.problem).toBeUndefined();
    expect(await none.flush()).toEqual({ stored: 0, dropped: 0 });
    expect(existsSync(join(empty, 'selfedit'))).toBe(false);
  });

  it.each([
    ['torn', '{"version": 1'],
    ['tampered with', JSON.stringify({ version: 1, sha256: 'f'.repeat(64) })],
  ])('is the built-in one when the pointer is %s, and says so (spec 08 §26.10)', async (_what, content) => {
    const stateDir = await withVersion('promoted');
    writeFileSync(join(stateDir, 'selfedit/registry/rca/current.json'), content);
    expect(inUse(stateDir)).toMatchObject({ system: 'built in', version: 0, problem: expect.any(String) });
  });
});

describe('traces of a tick', () => {
  it('are stored afterwards, masked, at most a hundred', async () => {
    const stateDir = await withVersion('promoted');
    const used = inUse(stateDir);
    for (let i = 0; i < 103; i += 1) used.onCall(call(`answer ${i}, secret`));
    expect(await used.flush()).toEqual({ stored: 100, dropped: 3 });
    expect(await used.flush()).toEqual({ stored: 0, dropped: 0 });
    const db = new Database(join(stateDir, 'selfedit/selfedit.db'), { readonly: true });
    const rows = db
      .prepare('SELECT task_input, final_output, prompt_version, session_id, expected_output FROM traces')
      .all();
    db.close();
    expect(rows).toHaveLength(100);
    expect(rows[0]).toEqual({
      task_input: 'a [redacted] question',
      final_output: 'answer 0, [redacted]',
      prompt_version: 1,
      session_id: 's1',
      expected_output: null,
    });
  });

  it('are lost without harm when the database cannot be used', async () => {
    const stateDir = tempDir();
    mkdirSync(join(stateDir, 'selfedit/selfedit.db'), { recursive: true });
    const used = inUse(stateDir);
    used.onCall(call('x'));
    expect(await used.flush()).toMatchObject({ stored: 0, problem: expect.any(String) });
  });

  it('do not read the store: a hundred thousand rows change nothing (spec 08 §26.12)', async () => {
    const stateDir = await withVersion('promoted');
    const path = join(stateDir, 'selfedit/selfedit.db');
    const opened = await openStore(path);
    if (!opened.ok) throw new Error(opened.problem);
    opened.db.exec(`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100000)
      INSERT INTO traces (trace_uid, prompt_id, task_id, task_input, final_output, timestamp)
      SELECT 'u' || i, 'rca', 't', 'in', 'out', '2026-01-01T00:00:00Z' FROM n`);
    opened.db.close();
    const cpu = (): number => process.cpuUsage().user / 1000;
    const start = cpu();
    const used = inUse(stateDir);
    used.onCall(call('x'));
    expect(await used.flush()).toEqual({ stored: 1, dropped: 0 });
    expect(cpu() - start).toBeLessThan(200);
  });
});
