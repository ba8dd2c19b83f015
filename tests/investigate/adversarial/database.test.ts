import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, describe, expect, it } from 'vitest';
import { type BuiltSession, buildSession, stamp, INCIDENT as T } from '../session/build-session.js';

const LOG = 'runs/explore/t-12/server.log';
let session: BuiltSession | undefined;
afterEach(() => session?.close());

function begin(): BuiltSession {
  session = buildSession({
    files: { [LOG]: `${stamp(T)} ERROR HIP out of memory\n` },
    tasks: [{ id: 't-12', state: 'failed', at: T + 4 }],
  });
  return session;
}
const databaseOf = ({ directory }: BuiltSession): string => join(directory, 'storage/coordinator.db');

/** Steps that asked the database, by status. */
async function statuses(built: BuiltSession): Promise<{ asked: string[]; type: string; level: string }> {
  const { investigation_steps: steps, root_cause: cause } = await built.ask({});
  const asked = steps
    .filter(({ tool }) => tool === 'query_tasks' || tool === 'query_events')
    .map(({ result_summary: summary }) => summary.split(',')[0] ?? '');
  return { asked: [...new Set(asked)].sort(), type: cause.error_type, level: cause.confidence_level };
}

describe('a database that cannot be read', () => {
  it('is read when nothing is wrong with it', async () => {
    expect(await statuses(begin())).toEqual({ asked: ['empty', 'ok'], type: 'oom', level: 'medium' });
  });

  it('because a writer holds it for ever: an error, and the logs say what happened', async () => {
    const built = begin();
    const writer = new Database(databaseOf(built));
    writer.pragma('journal_mode = DELETE');
    writer.exec('BEGIN EXCLUSIVE');
    try {
      const begun = performance.now();
      expect(await statuses(built)).toEqual({ asked: ['error'], type: 'oom', level: 'low' });
      // Three questions, each with a busy time of 2 s.
      expect(performance.now() - begun).toBeLessThan(30_000);
    } finally {
      writer.exec('ROLLBACK');
      writer.close();
    }
  }, 40_000);

  it.each<[string, (path: string) => void]>([
    ['it is no database', (path) => writeFileSync(path, 'not a database at all')],
    ['it is empty', (path) => writeFileSync(path, '')],
    [
      'it is a directory',
      (path) => {
        rmSync(path);
        mkdirSync(path);
      },
    ],
    [
      'it is torn',
      (path) => {
        const db = new Database(path);
        db.exec('INSERT INTO events (seq, payload) VALUES (900, randomblob(200000))');
        db.close();
        writeFileSync(path, Buffer.alloc(5000, 1), { flag: 'r+' });
      },
    ],
    [
      'a column is missing',
      (path) => {
        const db = new Database(path);
        db.exec('ALTER TABLE tasks DROP COLUMN state; ALTER TABLE events DROP COLUMN payload');
        db.close();
      },
    ],
    [
      'the tables are missing',
      (path) => {
        const db = new Database(path);
        db.exec('DROP TABLE tasks; DROP TABLE events; DROP TABLE leases');
        db.close();
      },
    ],
  ])('because %s', async (_why, damage) => {
    const built = begin();
    damage(databaseOf(built));
    expect(await statuses(built)).toEqual({ asked: ['error'], type: 'oom', level: 'low' });
  });

  it('in part, because rows are not what they should be', async () => {
    const built = begin();
    const db = new Database(databaseOf(built));
    db.exec(`INSERT INTO events (seq, topic, payload, ts) VALUES
      (1, 'delegated_result', '{"task_id": ', 'yesterday'),
      (2, 'delegated_result', x'fffe00', NULL),
      (3, 'delegated_result', '{"task_id": {"a": 1}, "state": "failed", "error": [["x"]]}', ${T}),
      (4, NULL, NULL, ${T}000)`);
    db.exec(`UPDATE tasks SET history = '[{"evidence": 5}, null'`);
    db.close();
    expect(await statuses(built)).toEqual({ asked: ['empty', 'ok'], type: 'oom', level: 'medium' });
  });
});
