import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { promptInUse, type UsedCall } from '../../../src/runtime/selfedit/prompt-in-use.js';
import { PromptRegistry } from '../../../src/selfedit/registry/registry.js';
import { openStore } from '../../../src/selfedit/store/open-store.js';
import { tempDir } from '../../support/temp-dir.js';

const redact = (text: string): string => text.replaceAll('secret', '[redacted]');
const DAY_MS = 86_400_000;
const call = (output: string): UsedCall => ({
  task: 'disk_pressure',
  input: 'a secret question',
  output,
  error: null,
  model: 'm',
  usage: { inputTokens: 7, outputTokens: 3, cacheCreationInputTokens: 0, cacheReadInputTokens: 0 },
  latencyMs: 12,
});

function inUse(stateDir: string, section: object = { enabled: true }, now = () => 0) {
  return promptInUse('rca', { section, stateDir, sessionId: 's1', redact, now });
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

const database = (stateDir: string): string => join(stateDir, 'selfedit/selfedit.db');

describe('a prompt in use', () => {
  it('is the promoted one, else the built-in one; and nothing is written without an answer', async () => {
    const stateDir = await withVersion('promoted');
    expect(inUse(stateDir)).toMatchObject({ promoted: 'promoted', version: 1 });
    const empty = tempDir();
    const none = inUse(empty);
    expect(none).toMatchObject({ promoted: null, version: 0 });
    expect(none.problem).toBeUndefined();
    expect(await none.flush()).toEqual({ stored: 0, dropped: 0 });
    expect(existsSync(join(empty, 'selfedit'))).toBe(false);
  });

  it.each<[string, (pointer: string) => void]>([
    ['missing', (pointer) => rmSync(pointer)],
    ['torn', (pointer) => writeFileSync(pointer, '{"version": 1')],
    [
      'tampered with',
      (pointer) => writeFileSync(pointer, JSON.stringify({ version: 1, sha256: 'f'.repeat(64) })),
    ],
  ])('is the built-in one when the pointer is %s (spec 08 §26.10)', async (_what, spoil) => {
    const stateDir = await withVersion('promoted');
    spoil(join(stateDir, 'selfedit/registry/rca/current.json'));
    expect(inUse(stateDir)).toMatchObject({ promoted: null, version: 0, problem: expect.any(String) });
  });

  it('is the built-in one under settings that the commands refuse, and then nothing is stored', async () => {
    const stateDir = await withVersion('promoted');
    const used = inUse(stateDir, { enabled: true, magic: 1 });
    expect(used).toMatchObject({ promoted: null, problem: 'selfedit.magic is not known' });
    expect(used.note(call('x'))).toBeNull();
    expect(await used.flush()).toEqual({ stored: 0, dropped: 0 });
    expect(existsSync(database(stateDir))).toBe(false);
  });
});

describe('traces of a prompt', () => {
  it('are stored afterwards, masked, at most a hundred', async () => {
    const stateDir = await withVersion('promoted');
    const used = inUse(stateDir);
    const ids = Array.from({ length: 103 }, (_, i) => used.note(call(`answer ${i}, secret`)));
    expect(ids.filter((id) => id === null)).toHaveLength(3);
    expect(await used.flush()).toEqual({ stored: 100, dropped: 3 });
    expect(await used.flush()).toEqual({ stored: 0, dropped: 0 });
    const db = new Database(database(stateDir), { readonly: true });
    const rows = db
      .prepare(
        `SELECT trace_uid, task_id, task_input, final_output, prompt_version, session_id, expected_output, input_tokens,
         output_tokens, latency_ms FROM traces ORDER BY id`,
      )
      .all();
    db.close();
    expect(rows).toHaveLength(100);
    expect(rows[0]).toEqual({
      trace_uid: ids[0],
      task_id: 'disk_pressure',
      task_input: 'a [redacted] question',
      final_output: 'answer 0, [redacted]',
      prompt_version: 1,
      session_id: 's1',
      expected_output: null,
      input_tokens: 7,
      output_tokens: 3,
      latency_ms: 12,
    });
  });

  it('go when they are too old, a few with every flush, never those somebody works on', async () => {
    const stateDir = await withVersion('promoted');
    const add = async (days: number, count: number): Promise<void> => {
      const used = inUse(stateDir, { enabled: true, retention_days: 10 }, () => days * DAY_MS);
      for (let i = 0; i < count; i += 1) used.note(call(`day ${days}`));
      expect((await used.flush()).stored).toBe(count);
    };
    const days = (): unknown[] => {
      const db = new Database(database(stateDir));
      const rows = db.prepare('SELECT final_output AS day, COUNT(*) AS n FROM traces GROUP BY day').all();
      db.close();
      return rows;
    };
    await add(1, 70);
    await add(9, 1);
    const db = new Database(database(stateDir));
    db.exec('UPDATE traces SET lease_until = 1e12 WHERE id = 1');
    db.close();
    await add(12, 1);
    expect(days()).toEqual([
      { day: 'day 1', n: 20 },
      { day: 'day 12', n: 1 },
      { day: 'day 9', n: 1 },
    ]);
    await add(12, 1);
    expect(days()).toEqual([
      { day: 'day 1', n: 1 },
      { day: 'day 12', n: 2 },
      { day: 'day 9', n: 1 },
    ]);
  });

  it('go when they are too many: the table is bounded', async () => {
    const stateDir = await withVersion('promoted');
    const opened = await openStore(database(stateDir));
    if (!opened.ok) throw new Error(opened.problem);
    opened.db.exec(`INSERT INTO traces (id, trace_uid, prompt_id, task_id, task_input, final_output, timestamp)
      VALUES (1, 'first', 'rca', 't', 'in', 'out', '2026-01-01T00:00:00Z'),
      (200001, 'last', 'rca', 't', 'in', 'out', '2026-01-01T00:00:00Z')`);
    opened.db.close();
    const used = inUse(stateDir, { enabled: true }, () => Date.parse('2026-01-02T00:00:00Z'));
    used.note(call('new'));
    expect((await used.flush()).stored).toBe(1);
    const db = new Database(database(stateDir), { readonly: true });
    expect(db.prepare('SELECT id FROM traces ORDER BY id').pluck().all()).toEqual([200001, 200002]);
    db.close();
  });

  it.each<[string, (path: string) => () => void]>([
    [
      'is a directory',
      (path) => {
        mkdirSync(path, { recursive: true });
        return () => undefined;
      },
    ],
    [
      'is no database',
      (path) => {
        writeFileSync(path, 'x'.repeat(8192));
        return () => undefined;
      },
    ],
    [
      'is held by somebody',
      (path) => {
        const db = new Database(path);
        db.exec('BEGIN EXCLUSIVE');
        return () => db.close();
      },
    ],
  ])('are lost without harm, and said to be, when the store %s', async (_what, prepare) => {
    const stateDir = await withVersion('promoted');
    const release = prepare(database(stateDir));
    const used = inUse(stateDir);
    used.note(call('x'));
    used.note(call('y'));
    expect(await used.flush()).toEqual({ stored: 0, dropped: 2, problem: expect.any(String) });
    release();
  });
});
