import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { resolve } from 'node:path';

export const CLI = resolve('dist/cli.js');

export interface CliRun {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface CliOptions extends Pick<SpawnOptions, 'cwd' | 'uid' | 'gid'> {
  readonly env?: Readonly<Record<string, string>>;
  readonly input?: string;
  /** Called with the running child. */
  readonly onSpawn?: (child: ChildProcess) => void;
}

/** Environment of a test's CLI: the machine's own, without what would change decisions or call a model. */
export function cleanEnv(extra: Readonly<Record<string, string>> = {}): Record<string, string> {
  const foreign =
    /^(ROBUSTNESS_|INFERENCE_OPTIMIZER_|SESSION_DIR$|OPENAI_|ANTHROPIC_|LLM_|DEEPSEEK_|CLAUDE_)/;
  const own = Object.entries(process.env).filter(
    (entry): entry is [string, string] => entry[1] !== undefined && !foreign.test(entry[0]),
  );
  return { ...Object.fromEntries(own), ...extra };
}

/** Runs the built CLI as a process of its own. */
export function runCli(args: readonly string[], options: CliOptions = {}): Promise<CliRun> {
  const { env = {}, input, onSpawn, ...rest } = options;
  return new Promise((done, failed) => {
    const child = spawn(process.execPath, [CLI, ...args], { ...rest, env: cleanEnv(env), stdio: 'pipe' });
    const out: Buffer[] = [];
    const err: Buffer[] = [];
    child.stdout.on('data', (chunk: Buffer) => out.push(chunk));
    child.stderr.on('data', (chunk: Buffer) => err.push(chunk));
    child.on('error', failed);
    child.on('close', (code, signal) => {
      const text = (chunks: Buffer[]) => Buffer.concat(chunks).toString('utf8');
      done({ code, signal, stdout: text(out), stderr: text(err) });
    });
    child.stdin.on('error', () => undefined);
    child.stdin.end(input ?? '');
    onSpawn?.(child);
  });
}
