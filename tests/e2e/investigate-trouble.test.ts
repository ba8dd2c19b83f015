import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { runCli } from '../support/cli.js';
import { startProvider } from '../support/provider-server.js';
import { sessionWithLog } from '../support/serving.js';
import { tempDir } from '../support/temp-dir.js';

const QUIET = { ROBUSTNESS_DISABLE_LOCAL_PROBE: '1' };

async function hangingProvider() {
  const provider = await startProvider(['hang']);
  onTestFinished(() => provider.close());
  const env = { ...QUIET, OPENAI_API_KEY: 'sk-test-0123456789', OPENAI_BASE_URL: `${provider.origin}/v1` };
  return { provider, env };
}

function queuedJob(session: string): string {
  const queue = join(session, 'agents/robustness/investigations/queue');
  mkdirSync(queue, { recursive: true });
  const now = Math.floor(Date.now() / 1000);
  const id = `job-${now}-0123abcd`;
  const job = {
    schema_version: 1,
    job_id: id,
    attempts: 0,
    created_unix: now,
    session_id: 'session',
    symptom_name: 'local_server_unreachable',
    severity: 'high',
    subject: {},
    evidence: {},
    summary: 'the server does not answer',
    incident_unix: now,
    snapshot: null,
  };
  writeFileSync(join(queue, `${id}.json`), JSON.stringify(job));
  return join(queue, `${id}.json`);
}

describe('investigate, interrupted', () => {
  it('ends with 130, keeps what it had found, and marks it', async () => {
    const { provider, env } = await hangingProvider();
    const session = sessionWithLog();
    const run = runCli(['investigate', 'the engine died', '--session-dir', session, '--json'], {
      env,
      onSpawn: (child) => void provider.arrived(1).then(() => child.kill('SIGINT')),
    });
    const { code, stdout } = await run;
    expect(code).toBe(130);
    expect(JSON.parse(stdout)).toMatchObject({ budget: { exhausted: 'cancelled' } });
    const root = join(session, 'agents/robustness/investigations');
    const [id = ''] = readdirSync(root).filter((name) => name.startsWith('inv-'));
    expect(readFileSync(join(root, id, 'receipts.jsonl'), 'utf8')).toContain('"r001"');
    expect(existsSync(join(root, 'index.jsonl'))).toBe(false);
  });

  it('leaves the job that it was at to the next worker, once', async () => {
    const { provider, env } = await hangingProvider();
    const session = sessionWithLog();
    const job = queuedJob(session);
    const watch = ['investigate', '--watch', '--session-dir', session];
    const interrupted = await runCli(watch, {
      env,
      onSpawn: (child) => void provider.arrived(1).then(() => child.kill('SIGTERM')),
    });
    expect(interrupted.code).toBe(130);
    expect(JSON.parse(readFileSync(job, 'utf8'))).toMatchObject({ attempts: 1 });
    const next = await runCli([...watch, '--once', '--no-llm'], { env: QUIET });
    expect(next.stdout).toMatch(/local_server_unreachable: oom/);
    expect(existsSync(job)).toBe(false);
  });
});

describe('investigate without what it was pointed to', () => {
  const ask = async (args: readonly string[], cwd = tempDir()) => {
    const { code, stdout, stderr } = await runCli(['investigate', ...args], { env: QUIET, cwd });
    return { code, stdout, stderr, cwd };
  };

  it('answers without a session that is not there, and says so', async () => {
    const { code, stdout, cwd } = await ask([
      'the shop is slow',
      '--session-dir',
      '/nowhere/at/all',
      '--json',
    ]);
    expect(code).toBe(0);
    const result = JSON.parse(stdout);
    expect(result.root_cause).toMatchObject({ error_type: 'unknown', confidence_level: 'low' });
    expect(result.warnings.join()).toContain('/nowhere/at/all is no directory');
    expect(result.recommended_fix).not.toBe('');
    expect(readdirSync(join(cwd, 'investigations'))).toContain('index.jsonl');
  });

  it('with nothing configured at all names what could be', async () => {
    const { code, stdout } = await ask(['the shop is slow', '--json']);
    const result = JSON.parse(stdout);
    expect(code).toBe(0);
    expect(result.tools_unavailable).toEqual([
      'jaeger',
      'loki',
      'github',
      'sandbox',
      'session',
      'source',
      'snapshot',
    ]);
    expect(`${result.confidence_note} ${result.recommended_fix}`).toMatch(
      /JAEGER_URL|--session-dir|configure/i,
    );
  });

  it.each([[['--finding', '1', '--session-dir', '/nowhere']], [['--watch', '--session-dir', '/nowhere']]])(
    'cannot do %j there',
    async (args) => {
      const { code, stderr } = await ask(args);
      expect(code).toBe(2);
      expect(stderr).toMatch(/^RA_SESSION_DIR: /);
    },
  );
});

describe('the machine in an investigation', () => {
  const ask = async (file: object) => {
    const session = sessionWithLog();
    writeFileSync(join(session, 'robustness.config.json'), JSON.stringify(file));
    const args = ['investigate', 'it died', '--session-dir', session, '--no-llm', '--json'];
    const { stdout } = await runCli(args, { cwd: tempDir() });
    return JSON.parse(stdout);
  };

  it('is not looked at where the configuration says so', async () => {
    const result = await ask({ disable_local_probe: true });
    expect(result.tools_used).not.toContain('system_snapshot');
    expect(result.tools_unavailable).toContain('snapshot');
    expect(result.warnings.join()).toContain('disable_local_probe is on');
  });

  it('is not looked at by a worker whose tick was told so', async () => {
    const session = sessionWithLog();
    const job = queuedJob(session);
    const stored = JSON.parse(readFileSync(job, 'utf8'));
    writeFileSync(job, JSON.stringify({ ...stored, disable_local_probe: true }));
    const args = ['investigate', '--watch', '--once', '--no-llm', '--session-dir', session];
    expect((await runCli(args, { cwd: tempDir() })).code).toBe(0);
    const root = join(session, 'agents/robustness/investigations');
    const [id = ''] = readdirSync(root).filter((name) => name.startsWith('inv-'));
    const result = JSON.parse(readFileSync(join(root, id, 'result.json'), 'utf8'));
    expect(result.tools_unavailable).toContain('snapshot');
  });

  it('is one of several, and the answer says that only it was looked at', async () => {
    const result = await ask({ nodes: 4 });
    expect(result.tools_used).toContain('system_snapshot');
    expect(result.warnings.join()).toContain('of the 4 nodes of the session only what is on this one');
  });
});

describe('doctor', () => {
  it('warns of a setting of investigations that is brought to its limit, and fails for one that is none', async () => {
    const settings = async (env: Record<string, string>) => {
      const { stdout } = await runCli(['doctor', '--session-dir', sessionWithLog(), '--json'], {
        env: { ...QUIET, ...env },
        cwd: tempDir(),
      });
      const checks: { name: string; status: string; found: string }[] = JSON.parse(stdout);
      return checks.filter(({ name }) => name === 'settings');
    };
    expect(await settings({ INVESTIGATE_KEEP: '0' })).toMatchObject([
      { status: 'warn', found: expect.stringContaining('INVESTIGATE_KEEP is out of range') },
    ]);
    expect(await settings({ INVESTIGATE_KEEP: 'all' })).toMatchObject([{ status: 'fail' }]);
  });
});
