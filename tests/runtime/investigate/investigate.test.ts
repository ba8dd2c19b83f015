import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough, Writable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { spoolInvestigation } from '../../../src/reactor/investigation-spool.js';
import { run } from '../../../src/runtime/investigate.js';
import { type BuiltSession, buildSession, INCIDENT, stamp } from '../../investigate/session/build-session.js';

let session: BuiltSession;
const investigations = () => join(session.directory, 'agents/robustness/investigations');

beforeEach(() => {
  const at = Date.now() / 1000;
  session = buildSession({
    files: { 'runs/explore/t-12/server.log': `${stamp(at - 5)} HIP out of memory\n` },
    tasks: [{ id: 't-12', state: 'failed', at: at - 3 }],
    mtime: at,
  });
});
afterEach(() => session.close());

async function call(...argv: string[]): Promise<{ code: number; out: string; err: string }> {
  const texts = { out: '', err: '' };
  const sink = (name: 'out' | 'err') =>
    new Writable({
      write(chunk, _encoding, done) {
        texts[name] += String(chunk);
        done();
      },
    });
  const env = { PATH: process.env['PATH'], ROBUSTNESS_DISABLE_LOCAL_PROBE: '1' };
  const io = {
    env,
    cwd: session.directory,
    stdin: new PassThrough(),
    stdout: sink('out'),
    stderr: sink('err'),
  };
  const where = argv.includes('--session-dir') ? [] : ['--session-dir', session.directory];
  const code = await run([...argv, ...where], io);
  return { code, ...texts };
}

function spool(at = Date.now() / 1000): void {
  spoolInvestigation(
    session.directory,
    [
      {
        tick_index: 1,
        timestamp_unix: at,
        symptom_name: 'local_server_unreachable',
        severity: 'high',
        summary: 'the server does not answer',
        intents: [],
        evidence: {},
        rca_text: '',
        subject: { url: 'http://127.0.0.1:1' },
        cooldown_until_tick: 0,
      },
    ],
    { sessionId: 's', nowUnix: at, snapshot: null },
  );
}

describe('investigate', () => {
  it('answers words, ends with band, type and subject, and stores what it shows', async () => {
    const { code, out } = await call('the server died');
    expect(code).toBe(0);
    expect(out).toMatch(/MEDIUM 74 % {2}oom {2}task:t-12/);
    const id = /stored as (inv-\d+-[0-9a-f]{8})/.exec(out)?.[1] ?? '';
    const stored = JSON.parse(readFileSync(join(investigations(), id, 'result.json'), 'utf8'));
    expect(stored).toMatchObject({ mode: 'deterministic', action_taken: 'fast_path', investigation_id: id });
    expect((await call('show', id)).out).toBe(out);
    expect(JSON.parse((await call('show', id, '--json')).out)).toEqual(stored);
    expect((await call()).out).toContain(id);
    for (const line of out.split('\n')) expect(line.length).toBeLessThanOrEqual(80);
  });

  it('works off the queue: a result, an index line with its key, no job left', async () => {
    spool();
    const begun = performance.now();
    const { code, out } = await call('--watch', '--once');
    expect(performance.now() - begun).toBeLessThan(10_000);
    expect(code).toBe(0);
    expect(out).toMatch(/local_server_unreachable: oom task:t-12, medium 74 %/);
    expect(readdirSync(join(investigations(), 'queue'))).toEqual([]);
    const index = JSON.parse(readFileSync(join(investigations(), 'index.jsonl'), 'utf8'));
    expect(index).toMatchObject({
      key: 'local_server_unreachable\u001furl=http://127.0.0.1:1',
      error_type: 'oom',
    });
    expect(existsSync(join(investigations(), 'worker.lock'))).toBe(false);
    spool();
    expect((await call('--watch', '--once')).out).toBe('');
  });

  it('explains what the ticks of a recorded session found', async () => {
    const { cpSync } = await import('node:fs');
    const { findingsFiles, readFindings } = await import('../../../src/reactor/findings/read-findings.js');
    const recorded = 'tests/fixtures/rx/recorded-session';
    cpSync(join(recorded, 'agents'), join(session.directory, 'agents'), { recursive: true });
    cpSync(join(recorded, 'coordinator.db'), join(session.directory, 'storage/coordinator.db'));
    const findings = [];
    for await (const line of readFindings(findingsFiles(session.directory, 'coordinator-12'))) {
      if (line.ok) findings.push(line.finding);
    }
    const options = { sessionId: 'coordinator-12', nowUnix: Date.now() / 1000, snapshot: null };
    const { jobs } = spoolInvestigation(session.directory, findings, options);
    expect(jobs.length).toBeGreaterThan(0);
    const begun = performance.now();
    expect((await call('--watch', '--once')).out.trim().split('\n')).toHaveLength(jobs.length);
    expect(performance.now() - begun).toBeLessThan(10_000 * jobs.length);
    const [first = ''] = (await call('--json')).out.split('\n');
    expect(JSON.parse(first)).toMatchObject({
      mode: 'deterministic',
      error_type: 'unknown',
      confidence_level: 'low',
    });
  });

  it('with nothing to look at says so, and what could be configured', async () => {
    const { tmpdir } = await import('node:os');
    const { mkdtempSync, rmSync } = await import('node:fs');
    const empty = mkdtempSync(join(tmpdir(), 'nothing-'));
    try {
      const { code, out } = await call('the shop is slow', '--session-dir', empty, '--json');
      const result = JSON.parse(out);
      expect(code).toBe(0);
      expect(result.root_cause).toMatchObject({
        error_type: 'unknown',
        confidence: 0.3,
        confidence_level: 'low',
      });
      expect(result.tools_unavailable).toEqual(['jaeger', 'loki', 'github', 'sandbox', 'source', 'snapshot']);
    } finally {
      rmSync(empty, { recursive: true, force: true });
    }
  });

  it('takes a job at most twice, and throws away what is none', async () => {
    spool();
    const [name = ''] = readdirSync(join(investigations(), 'queue'));
    const path = join(investigations(), 'queue', name);
    writeFileSync(path, JSON.stringify({ ...JSON.parse(readFileSync(path, 'utf8')), attempts: 2 }));
    writeFileSync(join(investigations(), 'queue', 'job-1-00000000.json'), '{"schema_version": 7}');
    const { out } = await call('--watch', '--once');
    expect(out).toContain('it was tried 2 times');
    expect(out).toContain('it is no job of schema version 1');
    expect(readdirSync(join(investigations(), 'queue'))).toEqual(['dropped.json']);
    const dropped = JSON.parse(readFileSync(join(investigations(), 'queue/dropped.json'), 'utf8'));
    expect(dropped).toEqual({ dropped: 2, last_unix: expect.any(Number) });
  });

  it('leaves a queue to the process that works on it, unless that is gone', async () => {
    spool();
    const lock = join(investigations(), 'worker.lock');
    writeFileSync(lock, JSON.stringify({ pid: process.ppid, start_unix: 1 }));
    expect((await call('--watch', '--once')).code).toBe(0);
    const { startOf } = await import('../../../src/investigate/store/worker-lock.js');
    writeFileSync(lock, JSON.stringify({ pid: process.ppid, start_unix: startOf(process.ppid) }));
    const busy = await call('--watch', '--once');
    expect(busy.code).toBe(2);
    expect(busy.err).toMatch(/^RA_INVESTIGATE_BUSY: /);
  });

  it('is recorded, and replayed without the session', async () => {
    const tape = join(session.directory, 'tape.jsonl');
    const first = JSON.parse((await call('the server died', '--record', tape, '--json')).out);
    const { rmSync } = await import('node:fs');
    rmSync(join(session.directory, 'runs'), { recursive: true });
    rmSync(join(session.directory, 'storage'), { recursive: true });
    const again = await call('--replay', tape, '--json', '--out', join(session.directory, 'again'));
    expect(again.err.replace(/^r\d+ .*\n/gm, '')).toBe('');
    expect(JSON.parse(again.out)).toEqual(first);
    writeFileSync(tape, 'torn');
    expect((await call('--replay', tape)).err).toMatch(/^RA_CASSETTE: /);
  });

  it('files are for their owner alone', async () => {
    const { statSync } = await import('node:fs');
    await call('the server died');
    const [id = ''] = readdirSync(investigations()).filter((name) => name.startsWith('inv-'));
    expect(statSync(join(investigations(), id)).mode & 0o777).toBe(0o700);
    for (const file of ['result.json', 'receipts.jsonl']) {
      expect(statSync(join(investigations(), id, file)).mode & 0o777).toBe(0o600);
    }
  });

  it.each([
    [['--window', '0', 'x'], 'RA_USAGE'],
    [['--repo', 'nonsense', 'x'], 'RA_USAGE'],
    [['deadbeef'], 'RA_FINDING_UNKNOWN'],
    [['--symptom', 'x', '--subject', '[1]'], 'RA_USAGE'],
  ])('%j is refused with %s', async (argv, code) => {
    const { code: exit, err } = await call(...argv);
    expect([exit, err.split(':', 1)[0]]).toEqual([2, code]);
  });

  it('takes the subject of an older finding from its first intent with a detail', async () => {
    const { mkdirSync } = await import('node:fs');
    const { basename } = await import('node:path');
    const findings = join(session.directory, 'agents/robustness/findings');
    mkdirSync(findings, { recursive: true });
    const line = {
      tick_index: 3,
      timestamp_unix: Date.now() / 1000,
      symptom_name: 'local_server_unreachable',
      severity: 'high',
      summary: 'the server does not answer',
      intents: [
        { intent_type: 'delegate', payload: { action_name: 'recover' } },
        { intent_type: 'alert', payload: { detail: { subject: { url: 'http://127.0.0.1:1', odd: 7 } } } },
      ],
      evidence: {},
      rca_text: '',
    };
    writeFileSync(join(findings, `${basename(session.directory)}.jsonl`), `${JSON.stringify(line)}\n`);
    expect((await call('--finding', '1', '--no-llm')).code).toBe(0);
    const index = JSON.parse(readFileSync(join(investigations(), 'index.jsonl'), 'utf8'));
    expect(index.key).toBe('local_server_unreachable\u001furl=http://127.0.0.1:1');
  });

  it('shows a run without a result as aborted', async () => {
    const { mkdirSync } = await import('node:fs');
    mkdirSync(join(investigations(), `inv-${INCIDENT}-0badc0de`), { recursive: true });
    expect((await call()).out).toContain('aborted');
    expect((await call('show', `inv-${INCIDENT}-0badc0de`)).code).toBe(1);
  });
});
