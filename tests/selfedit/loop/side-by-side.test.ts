import { execFile } from 'node:child_process';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import Database from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import type { RunReport } from '../../../src/selfedit/loop/report.js';
import { PromptRegistry } from '../../../src/selfedit/registry/registry.js';
import { tempDir } from '../../support/temp-dir.js';
import { bundled } from '../support/bundle.js';
import { effect, type Lab, ordered, reviewLab } from '../support/review-lab.js';

const script = bundled('demo-process.ts');
const run = promisify(execFile);

describe('two that would promote at once (spec 08 §26.6)', () => {
  it('the one that comes second reports a stale base, and its level is spent', async () => {
    const other = { isDone: false };
    const lab: Lab = await reviewLab(effect(ordered().slice(0, 120), 20, 0), {
      onProgress: ({ what }) => {
        if (other.isDone || !what.startsWith('confirming')) return;
        other.isDone = true;
        const registry = new PromptRegistry({
          directory: dirname(lab.parts.registry.auditPath),
          lock: `${dirname(lab.parts.registry.auditPath)}/../../selfedit.lock`,
        });
        const base = registry.current();
        if (base !== null) void registry.promote(base, `${base.text}\nMore.`, {});
      },
    });
    const { edits } = await lab.first();
    expect(edits).toMatchObject([{ verdict: 'stale_base', stage: 'promote', decision: 'reject' }]);
    expect(edits[0]?.checks.at(-1)).toMatchObject({ name: 'swap', passed: false });
    expect(lab.parts.registry.current()?.text).toContain('More.');
    expect(lab.parts.registry.versions()).toEqual([1, 2]);
    expect(lab.parts.ledger.rows()).toMatchObject([{ outcome: 'not_promoted' }]);
  });

  it('two runs as processes of their own leave a whole registry and one promotion for every version', async () => {
    const directory = tempDir();
    const reports = await Promise.all(
      ['0', '7'].map(async (seed): Promise<RunReport> => {
        const { stdout } = await run(process.execPath, [script(), directory, seed], { maxBuffer: 1 << 26 });
        return JSON.parse(stdout);
      }),
    );
    const registry = new PromptRegistry({
      directory: `${directory}/registry/rca`,
      lock: `${directory}/selfedit.lock`,
    });
    const edits = reports.flatMap((report) => report.edits);
    const promoted = edits.filter(({ verdict }) => verdict === 'promote');
    expect(promoted.length).toBeGreaterThan(0);
    expect(promoted.map(({ version }) => version).sort()).toEqual(
      registry.versions().filter((version) => version > 1),
    );
    expect(registry.problems()).toEqual([]);
    const db = new Database(`${directory}/selfedit.db`, { readonly: true });
    const outcomes = db.prepare('SELECT outcome FROM alpha_ledger ORDER BY test_no').pluck().all();
    db.close();
    expect(outcomes.length).toBeLessThanOrEqual(5);
    expect(outcomes).not.toContain('open');
    expect(outcomes.filter((outcome) => outcome === 'promoted')).toHaveLength(promoted.length);
  });
});
