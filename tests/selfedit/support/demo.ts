import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runDemo } from '../../../src/selfedit/demo/run-demo.js';
import type { RunReport } from '../../../src/selfedit/loop/report.js';
import { openStore } from '../../../src/selfedit/store/open-store.js';

/** One demo in a directory of its own, which is gone afterwards. */
export async function demo(
  seed: number,
  options: { churn?: number; tasks?: number } = {},
): Promise<RunReport> {
  const directory = mkdtempSync(join(tmpdir(), 'selfedit-'));
  const opened = await openStore(':memory:');
  if (!opened.ok) throw new Error(opened.problem);
  try {
    return await runDemo({ seed, directory, db: opened.db, ...options });
  } finally {
    opened.db.close();
    rmSync(directory, { recursive: true, force: true });
  }
}
