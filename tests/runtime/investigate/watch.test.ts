import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { CANCELLED, type HealResult } from '../../../src/investigate/model/heal-result.js';
import { investigate } from '../../../src/investigate/run.js';
import { investigationsDirectory } from '../../../src/investigate/store/paths.js';
import type { Finding } from '../../../src/reactor/findings/finding.js';
import { spoolInvestigation } from '../../../src/reactor/investigation-spool.js';
import { type WatchOptions, watchQueue } from '../../../src/runtime/investigate/watch.js';
import { openWorld, setupOf } from '../../investigate/fakes/run-case.js';
import { tempDir } from '../../support/temp-dir.js';

let session: string;
const queue = () => join(investigationsDirectory(session), 'queue');
const jobs = () => readdirSync(queue()).filter((name) => name.startsWith('job-'));

beforeEach(() => {
  session = tempDir();
  const findings = ['a', 'b'].map(
    (name): Finding => ({
      tick_index: 1,
      timestamp_unix: 1,
      symptom_name: name,
      severity: 'high',
      summary: '',
      intents: [],
      evidence: {},
      rca_text: '',
      subject: {},
      cooldown_until_tick: 0,
    }),
  );
  for (const [at, finding] of findings.entries())
    spoolInvestigation(session, [finding], { sessionId: 's', nowUnix: 1_780_000_000 + at, snapshot: null });
});

/** A result as some investigation elsewhere gives it. */
async function anyResult(): Promise<HealResult> {
  const world = await openWorld('paymentFailure', false);
  try {
    return await investigate(setupOf(world));
  } finally {
    await world.close();
  }
}

async function work(run: WatchOptions['run']): Promise<string[]> {
  const said: string[] = [];
  const say = async (line: string) => void said.push(line);
  const signal = new AbortController().signal;
  expect(await watchQueue({ sessionDir: session, run, say, signal, once: true })).toBe(true);
  return said;
}

describe('a worker', () => {
  it('tries a job that breaks twice, drops and counts it, and goes on with the next', async () => {
    const tried: string[] = [];
    const said = await work(async ({ symptom }) => {
      tried.push(symptom ?? '');
      throw new Error('no luck');
    });
    expect(tried).toEqual(['a', 'a', 'b', 'b']);
    expect(said.filter((line) => line.includes('no luck'))).toHaveLength(4);
    expect(said.filter((line) => line.includes('dropped: it was tried 2 times'))).toHaveLength(2);
    expect(jobs()).toEqual([]);
    expect(JSON.parse(readFileSync(join(queue(), 'dropped.json'), 'utf8'))).toMatchObject({ dropped: 2 });
  });

  it('takes no result for one that lies nowhere', async () => {
    const result = await anyResult();
    const said = await work(async () => result);
    expect(said.filter((line) => line.includes('could not be stored'))).toHaveLength(4);
    expect(jobs()).toEqual([]);
  });

  it.each<[string, (path: string) => void, string]>([
    ['a FIFO', (path) => execFileSync('mkfifo', [path]), 'not a regular file'],
    ['a directory', (path) => mkdirSync(path), 'not a regular file'],
    ['a link that leads elsewhere', (path) => symlinkSync('/etc/hostname', path), 'leaves the session'],
    ['a file that is too large', (path) => writeFileSync(path, ' '.repeat(300 * 1024)), 'limit 262144'],
    ['no JSON', (path) => writeFileSync(path, '{"torn'), 'it is no job'],
    [
      'a job of another name',
      (path) => writeFileSync(path, '{"schema_version":1,"job_id":"x"}'),
      'it is no job',
    ],
  ])('drops %s in the queue, and goes on', async (_what, make, why) => {
    const path = join(queue(), 'job-1-00000000.json');
    make(path);
    const result = await anyResult();
    const said = await work(async () => result);
    expect(said[0]).toContain(`job job-1-00000000.json was dropped: `);
    expect(said[0]).toContain(why);
    expect(jobs()).toEqual([]);
  });

  it('leaves a job whose run was cancelled', async () => {
    const result = await anyResult();
    const cancelled: HealResult = { ...result, budget: { ...result.budget, exhausted: CANCELLED } };
    expect(await work(async () => cancelled)).toEqual([]);
    expect(jobs()).toHaveLength(2);
    for (const name of jobs())
      expect(JSON.parse(readFileSync(join(queue(), name), 'utf8'))).toMatchObject({ attempts: 1 });
    expect(existsSync(join(investigationsDirectory(session), 'worker.lock'))).toBe(false);
  });
});
