import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { publint } from 'publint';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cleanEnv } from '../support/cli.js';
import { CoordinatorDb } from '../support/coordinator-db.js';
import { callAsHost } from '../support/host.js';
import { Installation } from '../support/installation.js';
import { tempDir } from '../support/temp-dir.js';
import { requestFiles } from '../support/tick-request.js';

let installed: Installation;

beforeAll(() => {
  installed = new Installation();
}, 240_000);
afterAll(() => installed?.remove());

function agent(args: readonly string[], program = installed.bin) {
  const { status, stdout, stderr } = spawnSync(program, args, {
    cwd: installed.directory,
    env: cleanEnv(),
    encoding: 'utf8',
  });
  return { code: status, stdout, stderr };
}

function tick(sessionDir: string, number: number) {
  const { request, out } = requestFiles(sessionDir, { sessionDir, tick: number, options: READS_THE_BUS });
  const run = agent(['tick', '--request', request, '--out', out]);
  return { ...run, emit: JSON.parse(readFileSync(out, 'utf8')) };
}

/** Collectors run, those that would look beyond the session do not. */
const READS_THE_BUS = { disable_local_probe: false, ray_probe_enabled: false };

function sessionWithBus(): string {
  const sessionDir = tempDir();
  const db = new CoordinatorDb(join(sessionDir, 'storage/coordinator.db'));
  db.event({ topic: 'event' });
  db.close();
  return sessionDir;
}

describe('the tarball', () => {
  it('holds what a user needs and nothing of how it is made', () => {
    const files = execFileSync('tar', ['tzf', installed.tarball], { encoding: 'utf8' })
      .trim()
      .split('\n')
      .map((path) => path.replace(/^package\//, ''));
    expect(files).toEqual(
      expect.arrayContaining([
        'package.json',
        'LICENSE',
        'dist/cli.js',
        'dist/api/index.js',
        'dist/api/index.d.ts',
        'bridge/runtime/cli.py',
        'bridge/launch.cjs',
        'bridge/hyperloom/__init__.py',
        'bridge/hyperloom/agents/robustness/runtime/cli.py',
        'schemas/emit.schema.json',
        'docs/errors.md',
        'docs/rules/README.md',
      ]),
    );
    const roots = new Set(files.map((path) => path.split('/')[0]));
    for (const root of ['src', 'tests', 'bench', 'scripts', 'node_modules'])
      expect(roots).not.toContain(root);
    expect(files.filter((path) => /__pycache__|\.pyc$|(?<!\.d)\.ts$|fixture/.test(path))).toEqual([]);
  });

  it('has no fault that publint finds', async () => {
    const file = readFileSync(installed.tarball);
    const tarball = file.buffer.slice(file.byteOffset, file.byteOffset + file.byteLength);
    const { messages } = await publint({ strict: true, pack: { tarball } });
    expect(messages).toEqual([]);
  });
});

describe('installed into an empty directory, where SQLite has no binary', () => {
  it('answers, and says once that the bus is not seen', () => {
    const sessionDir = sessionWithBus();
    const first = tick(sessionDir, 1);
    expect(first).toMatchObject({ code: 0, stderr: '' });
    expect(first.emit.intent_envelope.intents[0]).toMatchObject({ intent_type: 'alert' });
    expect(first.emit.parse_warnings).toEqual([
      'the Coordinator\'s database is not read: better-sqlite3 cannot be loaded: it has no binary for this machine; see "SQLite" in docs/install.md',
    ]);
    expect(tick(sessionDir, 2).emit.parse_warnings).toEqual([]);
  });

  it('has a doctor who says what to do', () => {
    const { code, stdout } = agent(['doctor', '--json', '--session-dir', sessionWithBus()]);
    expect(code).toBe(1);
    const checks: { name: string; status: string; todo?: string }[] = JSON.parse(stdout);
    expect(checks.find(({ name }) => name === 'sqlite')).toMatchObject({
      status: 'fail',
      todo: expect.stringContaining('docs/install.md'),
    });
    expect(checks.find(({ name }) => name === 'database')).toMatchObject({ todo: 'see sqlite, above' });
    expect(existsSync(join(installed.package, 'docs/install.md'))).toBe(true);
  });

  it('has a demo that says why it cannot be shown', () => {
    expect(agent(['demo'])).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringMatching(/^RA_SQLITE: /),
    });
  });

  it('answers as well when the binary is of another machine', () => {
    installed.damageBinding();
    const { code, emit } = tick(sessionWithBus(), 1);
    expect(code).toBe(0);
    expect(emit.parse_warnings).toEqual([expect.stringContaining('database is not read')]);
  });
});

describe('installed into an empty directory', () => {
  beforeAll(() => installed.addBinding());

  it('answers, and sees the bus', () => {
    const sessionDir = sessionWithBus();
    const { code, stderr, emit } = tick(sessionDir, 1);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(emit.parse_warnings).toEqual([]);
    const { stdout } = agent(['doctor', '--json', '--session-dir', sessionDir]);
    const checks: { name: string; status: string }[] = JSON.parse(stdout);
    expect(checks.filter(({ name }) => ['sqlite', 'database'].includes(name))).toMatchObject([
      { status: 'ok' },
      { status: 'ok' },
    ]);
  });

  it('shows its demo', () => {
    const { code, stdout } = agent(['demo', '--remove']);
    expect({ code, stdout }).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('All five faults were found'),
    });
  });

  it('answers the Coordinator through its own bridge', async () => {
    const { stdout } = agent(['bridge', '--json', '--check']);
    const { directory, check } = JSON.parse(stdout);
    expect(check).toMatchObject({ kind: 'works' });
    expect(directory).toBe(join(installed.package, 'bridge'));
    const sessionDir = tempDir();
    const { request, out } = requestFiles(sessionDir, { sessionDir });
    const result = await callAsHost(['tick', '--request', request, '--out', out], { root: directory });
    expect(result).toMatchObject({ code: 0, stderr: '', stdout: readFileSync(out, 'utf8') });
  });

  it('works when it is installed globally', () => {
    const program = installed.installGlobally();
    expect(agent(['--version'], program)).toMatchObject({ code: 0, stderr: '' });
    expect(agent(['bridge', '--check'], program)).toMatchObject({ code: 0 });
  });
});

const CONSUMER = `
import {
  createReactor,
  findingsFiles,
  parsePrompt,
  ReactorError,
  readFindings,
  type Finding,
  type ReactorAnswer,
} from 'robustness-agent';

export async function look(sessionDir: string): Promise<readonly Finding[]> {
  const reactor = createReactor({ sessionDir, config: { disable_local_probe: true, external_deps_enabled: false } });
  const answer: ReactorAnswer = await reactor.tick({
    session_id: 's',
    raw_prompt: '=== Shared session state ===\\ncrash_count=5\\ntick=1',
  });
  const types: readonly string[] = answer.emit.intent_envelope.intents.map((intent) => intent.intent_type);
  const crashes: number = parsePrompt('crash_count=1').shared_state.crash_count;
  for await (const line of readFindings(findingsFiles(sessionDir, 's'))) {
    const subject: string = line.ok ? line.finding.symptom_name : line.reason;
    console.log(subject, types, crashes);
  }
  await reactor.close();
  const refusal = await reactor.tick({ session_id: 's', raw_prompt: 'x' }).catch((error: unknown) => error);
  if (refusal instanceof ReactorError) console.log(refusal.code);
  return answer.findings;
}

export function misuse(): void {
  // @ts-expect-error a reactor needs a session directory
  createReactor({});
  // @ts-expect-error a request is in its wire shape
  createReactor({ sessionDir: '.' }).tick({ sessionId: 's', raw_prompt: 'x' });
}
`;

describe('the library of an installation', () => {
  beforeAll(() => writeFileSync(join(installed.directory, 'consumer.ts'), CONSUMER));

  it('has types that hold for Node, and answers', () => {
    compile(['--module', 'nodenext']);
    const run = "import { look } from './consumer.js';\nconsole.log((await look(process.argv[2])).length);\n";
    writeFileSync(join(installed.directory, 'run.mjs'), run);
    const stdout = execFileSync(process.execPath, ['run.mjs', tempDir()], {
      cwd: installed.directory,
      encoding: 'utf8',
    });
    expect(stdout).toBe("crash_count_high [ 'alert' ] 0\nRA_REACTOR_CLOSED\n1\n");
  });

  it('has types that hold for bundlers', () => {
    compile(['--noEmit', '--module', 'esnext', '--moduleResolution', 'bundler']);
  });
});

/** Compiles the consumer, the package's declarations included. */
function compile(args: readonly string[]): void {
  const tsc = resolve('node_modules/typescript/bin/tsc');
  const strict = ['--strict', '--target', 'es2022', '--lib', 'es2023,dom'];
  const options = [...strict, '--exactOptionalPropertyTypes', '--skipLibCheck', 'false'];
  const { status, stdout } = spawnSync(process.execPath, [tsc, 'consumer.ts', ...args, ...options], {
    cwd: installed.directory,
    encoding: 'utf8',
  });
  expect({ status, stdout }).toEqual({ status: 0, stdout: '' });
}
