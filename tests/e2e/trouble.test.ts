import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { describe, expect, it, onTestFinished } from 'vitest';
import { parseFinding } from '../../src/reactor/findings/parse-finding.js';
import { runCli } from '../support/cli.js';
import { CoordinatorDb } from '../support/coordinator-db.js';
import { tempDir } from '../support/temp-dir.js';
import { type RequestParts, requestFiles } from '../support/tick-request.js';

const findingsFile = (sessionDir: string) => join(sessionDir, 'agents/robustness/findings/s.jsonl');
const stateFile = (sessionDir: string) => join(sessionDir, 'agents/robustness/detector_state.json');

async function tick(parts: RequestParts, files = requestFiles(parts.sessionDir, parts)) {
  const run = await runCli(['tick', '--request', files.request, '--out', files.out]);
  return { ...run, emit: existsSync(files.out) ? JSON.parse(readFileSync(files.out, 'utf8')) : undefined };
}

/** Ticks of the findings that can be read, and how many lines cannot. */
function findingTicks(sessionDir: string): { ticks: number[]; torn: number } {
  const lines = existsSync(findingsFile(sessionDir))
    ? readFileSync(findingsFile(sessionDir), 'utf8').split('\n')
    : [];
  const readings = lines.filter((line) => line !== '').map(parseFinding);
  return {
    ticks: readings.flatMap((reading) => (reading.ok ? [reading.finding.tick_index] : [])),
    torn: readings.filter((reading) => !reading.ok).length,
  };
}

function isValidEnvelope(emit: unknown): boolean {
  const text = JSON.stringify(emit);
  return typeof text === 'string' && /"intents":\[\{"intent_type":/.test(text);
}

/** Fires on every tick, so that each tick has a finding to lose. */
const LOUD = { cooldown_ticks: 0 };

describe('a tick that is killed', () => {
  it('at any moment costs itself alone: the next one works, and no written finding is lost', async () => {
    const sessionDir = tempDir();
    const startedAt = performance.now();
    await tick({ sessionDir, tick: 1, options: LOUD });
    const duration = performance.now() - startedAt;
    for (let round = 0; round < 14; round += 1) {
      const before = findingTicks(sessionDir);
      const number = 2 + round * 2;
      const files = requestFiles(sessionDir, { sessionDir, tick: number, options: LOUD });
      await runCli(['tick', '--request', files.request, '--out', files.out], {
        onSpawn: (child) => setTimeout(() => child.kill('SIGKILL'), (duration * (round + 1)) / 14),
      });
      if (existsSync(files.out))
        expect(isValidEnvelope(JSON.parse(readFileSync(files.out, 'utf8')))).toBe(true);
      const next = await tick({ sessionDir, tick: number + 1, options: LOUD });
      expect(next.code).toBe(0);
      expect(isValidEnvelope(next.emit)).toBe(true);
      const after = findingTicks(sessionDir);
      expect(after.ticks.slice(0, before.ticks.length)).toEqual(before.ticks);
      expect(after.ticks.at(-1)).toBe(number + 1);
      expect(JSON.parse(readFileSync(stateFile(sessionDir), 'utf8'))._meta.schema).toBe(1);
    }
    const leftovers = readdirSync(join(sessionDir, 'agents/robustness')).filter((name) =>
      name.includes('tmp'),
    );
    expect(leftovers).toEqual([]);
  });
});

describe('two ticks at once', () => {
  it('both answer, and leave whole files', async () => {
    const sessionDir = tempDir();
    const numbers = [1, 2, 3, 4];
    const runs = await Promise.all(
      numbers.map((number) => tick({ sessionDir, tick: number, options: LOUD })),
    );
    for (const run of runs) {
      expect(run.code).toBe(0);
      expect(isValidEnvelope(run.emit)).toBe(true);
    }
    expect(findingTicks(sessionDir)).toEqual({ ticks: expect.arrayContaining(numbers), torn: 0 });
    expect(JSON.parse(readFileSync(stateFile(sessionDir), 'utf8'))).toHaveProperty('action_ladder');
    expect(existsSync(join(sessionDir, 'agents/robustness/detector_state.lock'))).toBe(false);
  });

  it('go on without saving state when another process keeps the lock', async () => {
    const sessionDir = tempDir();
    await tick({ sessionDir, tick: 1 });
    const before = readFileSync(stateFile(sessionDir), 'utf8');
    const owner = spawn('sleep', ['60']);
    onTestFinished(() => void owner.kill('SIGKILL'));
    await once(owner, 'spawn');
    const stat = readFileSync(`/proc/${owner.pid}/stat`, 'latin1');
    const start = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]);
    const host = execFileSync('hostname', { encoding: 'utf8' }).trim();
    const lock = join(sessionDir, 'agents/robustness/detector_state.lock');
    writeFileSync(lock, JSON.stringify({ pid: owner.pid, start_time: start, host }));
    const run = await tick({ sessionDir, tick: 20 });
    expect(run).toMatchObject({ code: 0, stderr: expect.stringContaining('holds the lock') });
    expect(isValidEnvelope(run.emit)).toBe(true);
    expect(findingTicks(sessionDir).ticks).toEqual([1, 20]);
    expect(readFileSync(stateFile(sessionDir), 'utf8')).toBe(before);
  });
});

describe('damaged files of ours', () => {
  it('a corrupt state file is moved aside and said', async () => {
    const sessionDir = tempDir();
    mkdirSync(join(sessionDir, 'agents/robustness'), { recursive: true });
    writeFileSync(stateFile(sessionDir), Buffer.from([0xff, 0x00, 0x7b]));
    const run = await tick({ sessionDir });
    expect(run).toMatchObject({ code: 0, stderr: expect.stringContaining('corrupt-') });
    expect(JSON.parse(readFileSync(stateFile(sessionDir), 'utf8'))._meta.schema).toBe(1);
  });

  it('a torn last finding costs itself', async () => {
    const sessionDir = tempDir();
    for (const number of [1, 2]) await tick({ sessionDir, tick: number, options: LOUD });
    truncateSync(findingsFile(sessionDir), readFileSync(findingsFile(sessionDir)).length - 30);
    await tick({ sessionDir, tick: 3, options: LOUD });
    expect(findingTicks(sessionDir)).toEqual({ ticks: [1, 3], torn: 1 });
  });

  it('directories in place of files are survived', async () => {
    const sessionDir = tempDir();
    mkdirSync(findingsFile(sessionDir), { recursive: true });
    mkdirSync(stateFile(sessionDir), { recursive: true });
    const run = await tick({ sessionDir });
    expect(run.code).toBe(0);
    expect(isValidEnvelope(run.emit)).toBe(true);
    expect(run.stderr).toContain('findings could not be written');
  });
});

describe('the Coordinator’s database', () => {
  const withProbe = { disable_local_probe: false, ray_probe_enabled: false, external_deps_enabled: false };
  const databasePath = (sessionDir: string) => join(sessionDir, 'storage/coordinator.db');

  async function tickWith(prepare: (path: string) => void | Promise<void>) {
    const sessionDir = tempDir();
    mkdirSync(join(sessionDir, 'storage'));
    await prepare(databasePath(sessionDir));
    const run = await tick({ sessionDir, options: withProbe });
    expect(run.code).toBe(0);
    expect(isValidEnvelope(run.emit)).toBe(true);
    return { ...run, warnings: run.emit.parse_warnings.join('\n') };
  }

  it('may be missing', async () => {
    expect((await tickWith(() => undefined)).warnings).toBe('');
  });

  it('may be corrupt', async () => {
    expect((await tickWith((path) => writeFileSync(path, 'x'.repeat(8192)))).warnings).toContain('corrupt');
  });

  it('may be that of somebody else', async () => {
    const { warnings } = await tickWith((path) => {
      const db = new Database(path);
      db.exec('CREATE TABLE cats (name TEXT)');
      db.close();
    });
    expect(warnings).toContain('foreign_schema');
  });

  it('may be locked by a writer that does not let go', async () => {
    const { warnings } = await tickWith((path) => {
      const db = new CoordinatorDb(path, 'DELETE').db;
      db.exec('BEGIN EXCLUSIVE');
      onTestFinished(() => void db.close());
    });
    expect(warnings).toContain('locked');
  });

  it('is read beside its writer, rows that are only in the write-ahead log included', async () => {
    const sessionDir = tempDir();
    const writer = new CoordinatorDb(databasePath(sessionDir));
    onTestFinished(() => writer.close());
    const now = Date.now() / 1000;
    for (let i = 0; i < 4; i += 1) {
      writer.event({
        topic: 'delegated_result',
        payload: { kind: 'sweep', state: 'failed', task_id: `t${i}` },
        at: now,
      });
    }
    const { emit } = await tick({ sessionDir, crashCount: 0, options: withProbe });
    const symptoms = emit.intent_envelope.intents.map(
      (intent: { payload: { detail?: { symptom: string } } }) => intent.payload.detail?.symptom,
    );
    expect(symptoms).toContain('repeated_failure');
  });
});

describe('a session that cannot be written', () => {
  it('is answered all the same when it is read-only', async () => {
    const sessionDir = tempDir();
    const answers = tempDir();
    chmodSync(answers, 0o777);
    const { request } = requestFiles(answers, { sessionDir });
    chmodSync(sessionDir, 0o555);
    const out = join(answers, 'emit.json');
    const run = await runCli(['tick', '--request', request, '--out', out], { uid: 65534, gid: 65534 });
    expect(run.code).toBe(0);
    expect(isValidEnvelope(JSON.parse(readFileSync(out, 'utf8')))).toBe(true);
    expect(run.stderr).toMatch(/detector state will not be saved/);
    expect(readdirSync(sessionDir)).toEqual([]);
  });

  const canMount = mountTmpfs() !== undefined;
  if (!canMount) console.warn('SKIPPED: the full-disk tests need the right to mount a tmpfs');

  it.runIf(canMount)('on a full disk loses nothing that was written, and says what happened', async () => {
    const disk = mountTmpfs() ?? '';
    const sessionDir = join(disk, 'session');
    mkdirSync(sessionDir);
    const answers = tempDir();
    const next = (number: number) => requestFiles(answers, { sessionDir, tick: number, options: LOUD });
    expect((await tick({ sessionDir }, next(1))).code).toBe(0);
    fill(join(disk, 'ballast'));
    const full = await tick({ sessionDir }, next(2));
    expect(full.code).toBe(0);
    expect(isValidEnvelope(full.emit)).toBe(true);
    expect(full.stderr).toContain('ENOSPC');
    expect(findingTicks(sessionDir).ticks[0]).toBe(1);
    expect(JSON.parse(readFileSync(stateFile(sessionDir), 'utf8'))._meta.schema).toBe(1);
    rmSync(join(disk, 'ballast'));
    expect((await tick({ sessionDir }, next(3))).code).toBe(0);
    expect(findingTicks(sessionDir).ticks).toEqual(expect.arrayContaining([1, 3]));
  });

  it.runIf(canMount)(
    'whose answer has no room ends with 2, no partial file, and the alert comes next time',
    async () => {
      const disk = mountTmpfs() ?? '';
      const sessionDir = tempDir();
      const { request } = requestFiles(tempDir(), { sessionDir });
      fill(join(disk, 'ballast'));
      const out = join(disk, 'emit.json');
      const failed = await runCli(['tick', '--request', request, '--out', out]);
      expect(failed.code).toBe(2);
      expect(failed.stderr).toMatch(/^RA_EMIT_WRITE: .*ENOSPC/);
      expect(readdirSync(disk)).toEqual(['ballast']);
      rmSync(join(disk, 'ballast'));
      await runCli(['tick', '--request', request, '--out', out]);
      expect(JSON.parse(readFileSync(out, 'utf8')).intent_envelope.intents[0].intent_type).toBe('alert');
    },
  );
});

/** A file system of 256 KiB of its own, unmounted after the test; undefined where mounting is forbidden. */
function mountTmpfs(): string | undefined {
  const isInTest = expect.getState().currentTestName !== undefined;
  const path = isInTest ? tempDir() : execFileSync('mktemp', ['-d'], { encoding: 'utf8' }).trim();
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=256k', 'tmpfs', path], { stdio: 'ignore' });
  } catch {
    return undefined;
  }
  const release = () => execFileSync('umount', ['-l', path]);
  if (isInTest) onTestFinished(() => void release());
  else {
    release();
    rmSync(path, { recursive: true });
  }
  return path;
}

/** Takes all the room there is. */
function fill(path: string): void {
  const block = Buffer.alloc(4096, 'x');
  try {
    for (;;) appendFileSync(path, block);
  } catch {
    // Full, as intended; smaller pieces take the rest.
  }
  try {
    for (;;) appendFileSync(path, 'x');
  } catch {
    // Full to the last byte.
  }
}
