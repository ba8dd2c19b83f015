import { spawn } from 'node:child_process';
import { appendFileSync, readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { choosePrompt } from '../../../src/llm/promoted-prompt.js';
import { appendAudit, readAuditTail } from '../../../src/selfedit/registry/audit-log.js';
import { tryLock } from '../../../src/selfedit/registry/lock.js';
import { PromptRegistry, type WriteStep } from '../../../src/selfedit/registry/registry.js';
import { tempDir } from '../../support/temp-dir.js';
import { bundled } from '../support/bundle.js';

const promoter = bundled('promote-process.ts');

function registryIn(directory: string, onStep?: (step: WriteStep) => void): PromptRegistry {
  return new PromptRegistry({
    directory: join(directory, 'registry/rca'),
    lock: join(directory, 'selfedit.lock'),
    lockWaitMs: 2_000,
    ...(onStep && { onStep }),
  });
}

async function withFirst(): Promise<{ directory: string; registry: PromptRegistry }> {
  const directory = tempDir();
  const registry = registryIn(directory);
  expect(await registry.initialise('first')).toEqual({ ok: true, version: 1 });
  return { directory, registry };
}

/** Starts a promotion in a process of its own, ready to go. */
async function promotion(directory: string, text: string, dieAt = ''): Promise<{ go(): Promise<string> }> {
  const child = spawn(process.execPath, [promoter(), directory, text, dieAt], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  let output = '';
  const closed = new Promise<string>((resolve) => {
    child.once('close', (_code, signal) => resolve(signal ?? output.replace('ready\n', '')));
  });
  await new Promise<void>((resolve) => {
    child.stdout.on('data', (chunk: Buffer) => {
      output += chunk.toString();
      if (output.startsWith('ready\n')) resolve();
    });
  });
  return {
    go() {
      child.stdin.end('go\n');
      return closed;
    },
  };
}

describe('a registry', () => {
  it('promotes, and keeps text, meta and pointer for the owner alone', async () => {
    const { directory, registry } = await withFirst();
    const base = registry.current();
    expect(base).toMatchObject({ version: 1, text: 'first' });
    if (base === null) return;
    expect(await registry.promote(base, 'second', { hypothesis: 'h', wins: 7 })).toEqual({
      ok: true,
      version: 2,
    });
    expect(registry.current()).toMatchObject({ version: 2, text: 'second' });
    expect(registry.pointer()).toMatchObject({ previous_version: 1, reason: 'h' });
    expect(registry.meta(2)).toMatchObject({ parent_version: 1, wins: 7, diff_from_previous: { total: 1 } });
    expect(registry.problems()).toEqual([]);
    const folder = join(directory, 'registry/rca');
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    for (const name of readdirSync(folder)) expect(statSync(join(folder, name)).mode & 0o777).toBe(0o600);
  });

  it('keeps what is known of a version, and reads it back', async () => {
    const { registry } = await withFirst();
    const base = registry.current();
    if (base === null) throw new Error('no base');
    const about = {
      hypothesis: 'h',
      edit_id: 'rca-1',
      run_id: 'r',
      ab_results: { winner: 'b', mean_delta: 0.1, p_value: 0.01, effect_size: 0.1, n_trials: 180 },
      gate_result: { decision: 'promote', reason: '18 wins' },
      trigger_trace_ids: ['t1', 't2'],
      model_version: 'm',
      token_cost: 12,
      changed_section: 'body',
    } as const;
    await registry.promote(base, 'second', about);
    expect(registry.meta(2)).toMatchObject(about);
  });

  it('refuses a base that is not current any more', async () => {
    const { registry } = await withFirst();
    const base = registry.current();
    if (base === null) throw new Error('no base');
    await registry.promote(base, 'second', {});
    expect(await registry.promote(base, 'third', {})).toMatchObject({ ok: false, problem: 'stale_base' });
    const sameVersion = { version: 2, sha256: base.sha256 };
    expect(await registry.promote(sameVersion, 'third', {})).toMatchObject({
      ok: false,
      problem: 'stale_base',
    });
    expect(registry.current()?.text).toBe('second');
  });

  it('rolls back by the pointer, says so in the audit, and never writes a number twice', async () => {
    const { registry } = await withFirst();
    const base = registry.current();
    if (base === null) throw new Error('no base');
    await registry.promote(base, 'second', {});
    expect(await registry.rollback(1, 'worse')).toEqual({ ok: true, version: 1 });
    expect(registry.current()?.text).toBe('first');
    expect(readAuditTail(registry.auditPath, 5).entries).toMatchObject([
      { event: 'rollback', from_version: 2, to_version: 1, reason: 'worse' },
    ]);
    expect(await registry.promote(base, 'third', {})).toEqual({ ok: true, version: 3 });
    expect(registry.text(2)).toBe('second');
  });

  it.each([
    ['a version that never was', 9],
    ['the current one', 1],
  ])('does not roll back to %s', async (_what, target) => {
    const { registry } = await withFirst();
    expect(await registry.rollback(target, 'x')).toMatchObject({ ok: false });
    expect(registry.current()?.version).toBe(1);
  });

  it.each([
    ['a changed text', 'v1.md', 'other'],
    ['a torn pointer', 'current.json', '{"version": 1, "sha'],
    ['an empty pointer', 'current.json', ''],
  ])('does not serve %s, and neither does a tick', async (_what, file, content) => {
    const { directory, registry } = await withFirst();
    writeFileSync(join(directory, 'registry/rca', file), content);
    expect(registry.current()).toBeNull();
    expect(registry.problems()).not.toEqual([]);
    expect(choosePrompt(join(directory, 'registry/rca'), 'built in')).toMatchObject({
      kind: 'built_in',
      text: 'built in',
      problem: expect.any(String),
    });
  });
});

describe('a promotion that is killed', () => {
  it.each<[WriteStep, number]>([
    ['locked', 1],
    ['text', 1],
    ['meta', 1],
    ['pointer', 2],
  ])('after %s leaves version %i whole, and the next one works', async (step, version) => {
    const { directory, registry } = await withFirst();
    const killed = await promotion(directory, 'second', step);
    expect(await killed.go()).toBe('SIGKILL');
    const current = registry.current();
    expect(current).toMatchObject({ version, text: version === 1 ? 'first' : 'second' });
    expect(choosePrompt(join(directory, 'registry/rca'), 'built in')).toMatchObject({
      kind: 'promoted',
      version,
    });

    if (current === null) throw new Error('no current version');
    const next = await registry.promote(current, 'third', {});
    expect(next).toMatchObject({ ok: true });
    expect(registry.current()?.text).toBe('third');
    for (const one of registry.versions()) expect(['first', 'second', 'third']).toContain(registry.text(one));
  });
});

describe('two processes at once', () => {
  it('one promotes, the other has a stale base; several times', async () => {
    for (let round = 0; round < 3; round += 1) {
      const { directory, registry } = await withFirst();
      const both = await Promise.all([promotion(directory, 'a'), promotion(directory, 'b')]);
      const outcomes = (await Promise.all(both.map((one) => one.go()))).map((line) => JSON.parse(line));
      expect(outcomes.filter(({ ok }) => ok)).toEqual([{ ok: true, version: 2 }]);
      expect(outcomes.filter(({ ok }) => !ok)).toMatchObject([{ problem: 'stale_base' }]);
      expect(registry.versions()).toEqual([1, 2]);
      expect(registry.problems()).toEqual([]);
    }
  });
});

describe('the lock', () => {
  it('is held once, and given up only by its holder', () => {
    const path = join(tempDir(), 'selfedit.lock');
    const first = tryLock(path);
    expect(first).not.toBeNull();
    expect(tryLock(path)).toBeNull();
    first?.release();
    const second = tryLock(path);
    expect(second).not.toBeNull();
    first?.release();
    expect(tryLock(path)).toBeNull();
    second?.release();
  });

  it('is taken over when its process is gone, or its heartbeat is old', () => {
    const path = join(tempDir(), 'selfedit.lock');
    const held = tryLock(path);
    const holder = JSON.parse(readFileSync(path, 'utf8'));
    writeFileSync(path, JSON.stringify({ ...holder, host: 'elsewhere', pid: 999_999_999 }));
    expect(tryLock(path)).toBeNull();
    writeFileSync(path, JSON.stringify({ ...holder, pid: 999_999_999 }));
    const taken = tryLock(path);
    expect(taken).not.toBeNull();
    utimesSync(path, Date.now() / 1000 - 121, Date.now() / 1000 - 121);
    const again = tryLock(path);
    expect(again).not.toBeNull();
    for (const one of [held, taken]) one?.release();
    expect(tryLock(path)).toBeNull();
    again?.release();
  });

  it('lets a promotion fail clearly when somebody keeps it', async () => {
    const { directory } = await withFirst();
    const held = tryLock(join(directory, 'selfedit.lock'));
    const registry = new PromptRegistry({
      directory: join(directory, 'registry/rca'),
      lock: join(directory, 'selfedit.lock'),
      lockWaitMs: 0,
    });
    const base = registry.current();
    if (base === null) throw new Error('no base');
    expect(await registry.promote(base, 'second', {})).toMatchObject({ ok: false, problem: 'locked' });
    held?.release();
  });
});

describe('the audit', () => {
  const entry = {
    at: '2026-01-01T00:00:00Z',
    edit_id: 'rca-1',
    run_id: 'r',
    epoch: 1,
    alpha: null,
    decision: 'reject',
    verdict: 'futile',
    reason: 'x',
    checks: [],
  } as const;

  it('survives a torn last line', () => {
    const path = join(tempDir(), 'audit.jsonl');
    appendAudit(path, entry);
    appendFileSync(path, '{"at": "20');
    appendAudit(path, { ...entry, edit_id: 'rca-2' });
    const { entries, unreadable } = readAuditTail(path, 10);
    expect(entries.map(({ edit_id }) => edit_id)).toEqual(['rca-1', 'rca-2']);
    expect(unreadable).toBe(1);
  });

  it('reads no more than its end', () => {
    const path = join(tempDir(), 'audit.jsonl');
    writeFileSync(path, `${JSON.stringify(entry)}\n`.repeat(20_000));
    expect(readAuditTail(path, 3).entries).toHaveLength(3);
    expect(readAuditTail(path, Number.MAX_SAFE_INTEGER).entries.length).toBeLessThan(20_000);
  });

  it('keeps a line below 64 KiB', () => {
    const path = join(tempDir(), 'audit.jsonl');
    const check = { name: 'leak', passed: false, value: 'x'.repeat(70_000), threshold: 'none' } as const;
    appendAudit(path, { ...entry, checks: [check] });
    expect(statSync(path).size).toBeLessThan(64 * 1024);
    expect(readAuditTail(path, 1).entries[0]).toMatchObject({ edit_id: 'rca-1', cut: true });
  });
});
