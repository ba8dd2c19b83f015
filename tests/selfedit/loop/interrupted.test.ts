import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import Database from 'better-sqlite3';
import { beforeAll, describe, expect, it } from 'vitest';
import type { RunReport } from '../../../src/selfedit/loop/report.js';
import { PromptRegistry } from '../../../src/selfedit/registry/registry.js';
import { tempDir } from '../../support/temp-dir.js';
import { bundled } from '../support/bundle.js';
import { demo } from '../support/demo.js';

const script = bundled('demo-process.ts');
const run = promisify(execFile);

async function start(directory: string, dieAt: string): Promise<RunReport | 'SIGKILL'> {
  try {
    const { stdout } = await run(process.execPath, [script(), directory, '0', dieAt], { maxBuffer: 1 << 26 });
    return JSON.parse(stdout);
  } catch (error) {
    if (error instanceof Error && 'signal' in error && error.signal === 'SIGKILL') return 'SIGKILL';
    throw error;
  }
}

function query(directory: string, sql: string): unknown[] {
  const db = new Database(`${directory}/selfedit.db`, { readonly: true });
  try {
    return db.prepare(sql).all();
  } finally {
    db.close();
  }
}

const callsIn = (directory: string): string[] =>
  readFileSync(`${directory}/calls.log`, 'utf8').trimEnd().split('\n');

const pairsIn = (directory: string): unknown[] => query(directory, 'SELECT * FROM pairs');

function registryIn(directory: string): PromptRegistry {
  return new PromptRegistry({ directory: `${directory}/registry/rca`, lock: `${directory}/selfedit.lock` });
}

const outline = (report: RunReport) =>
  report.edits.map(({ label, verdict, screen, confirm }) => [
    label,
    verdict,
    screen,
    confirm?.wins,
    confirm?.losses,
  ]);

let whole: RunReport;
beforeAll(async () => {
  whole = await demo(0, { churn: 0 });
});

describe('a run that is killed and started again (spec 08 §26.5)', () => {
  it.each([
    ['in a later screen', 'screen:5', 2],
    ['after the level was booked', 'booked:1', 1],
    ['after a later level was booked', 'booked:3', 3],
    ['at the first call of a confirmation', 'call:1', 1],
    ['in the middle of a pair', 'call:78', 1],
    ['at a look of the first confirmation', 'look:3', 1],
    ['after the text', 'text:2', 1],
    ['after the meta', 'meta:2', 1],
    ['after the pointer', 'pointer:2', 1],
  ])('%s ends as if it had not been', async (_what, dieAt, booked) => {
    const directory = tempDir();
    expect(await start(directory, dieAt)).toBe('SIGKILL');
    const before = query(directory, 'SELECT test_no, alpha, edit_id FROM alpha_ledger ORDER BY test_no');
    expect(before).toHaveLength(booked);
    const kept = pairsIn(directory);
    const asked = callsIn(directory);
    expect(registryIn(directory).current()).not.toBeNull();
    const resumed = await start(directory, '');
    if (resumed === 'SIGKILL') throw new Error('killed again');

    expect(outline(resumed)).toEqual(outline(whole));
    expect(resumed.end_version).toBe(dieAt.startsWith('text') || dieAt.startsWith('meta') ? 5 : 4);
    const after = query(directory, 'SELECT test_no, alpha, edit_id FROM alpha_ledger ORDER BY test_no');
    expect(after.slice(0, booked)).toEqual(before);
    expect(after).toHaveLength(4);
    // What was paid for is accounted, and not paid for twice.
    expect(resumed.calls).toBe(whole.calls);
    expect(query(directory, 'SELECT COUNT(*) AS n FROM pairs')).toEqual([{ n: 950 + 3 * 180 + 60 }]);
    // No pair that was kept is made again: at most the two calls that the kill cut off are.
    expect(callsIn(directory).length).toBeLessThanOrEqual(whole.calls + whole.audit_calls + 2);
    expect(callsIn(directory).slice(0, asked.length)).toEqual(asked);
    expect(pairsIn(directory)).toEqual(expect.arrayContaining(kept));
    expect(
      registryIn(directory)
        .problems()
        .filter((problem) => !problem.includes('never current')),
    ).toEqual([]);
  });

  it('counts a test that another run left open as spent', async () => {
    const directory = tempDir();
    expect(await start(directory, 'look:2')).toBe('SIGKILL');
    const db = new Database(`${directory}/selfedit.db`);
    db.exec(
      "UPDATE runs SET run_id = 'other'; UPDATE alpha_ledger SET run_id = 'other'; UPDATE edits SET run_id = 'other'",
    );
    db.close();
    const report = await start(directory, '');
    if (report === 'SIGKILL') throw new Error('killed again');
    const rows = query(directory, 'SELECT outcome FROM alpha_ledger ORDER BY test_no');
    expect(rows[0]).toEqual({ outcome: 'not_promoted' });
    expect(rows.filter((row) => JSON.stringify(row).includes('open'))).toEqual([]);
  });
});
