import { type ChildProcess, spawn } from 'node:child_process';
import { resolve } from 'node:path';
import { cleanEnv } from './cli.js';

export const BRIDGE = resolve('bridge');
export const PYTHON = '/usr/bin/python3';
const MODULE = 'hyperloom.agents.robustness.runtime.cli';
/** How long the Coordinator waits for a turn, ms. */
const TURN_LIMIT_MS = 30_000;

export interface HostCall {
  /** Agent root; the repository's bridge unless given. */
  readonly root?: string;
  /** Variables besides the machine's; an undefined one is taken away. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly onSpawn?: (child: ChildProcess) => void;
}

export interface HostResult {
  readonly pid: number | undefined;
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** What the Coordinator keeps of a failed turn (spec 01 §1.6). */
export function keptCause({ stderr }: HostResult): string {
  return stderr.trim().slice(0, 500);
}

/**
 * Runs the agent as the Coordinator does: its Python, that module, the agent root as working directory, its whole
 * environment, both streams captured, SIGKILL after 30 s (spec 01 §1.2).
 */
export function callAsHost(
  args: readonly string[],
  { root = BRIDGE, env = {}, onSpawn }: HostCall = {},
): Promise<HostResult> {
  return new Promise((done, failed) => {
    const child = spawn(PYTHON, ['-m', MODULE, ...args], {
      cwd: root,
      env: { ...cleanEnv(), ...env },
      stdio: ['inherit', 'pipe', 'pipe'],
      timeout: TURN_LIMIT_MS,
      killSignal: 'SIGKILL',
    });
    const out: Buffer[] = [];
    const err: Buffer[] = [];
    child.stdout.on('data', (chunk: Buffer) => out.push(chunk));
    child.stderr.on('data', (chunk: Buffer) => err.push(chunk));
    child.on('error', failed);
    child.on('close', (code, signal) => {
      const text = (chunks: Buffer[]) => Buffer.concat(chunks).toString('utf8');
      done({ pid: child.pid, code, signal, stdout: text(out), stderr: text(err) });
    });
    onSpawn?.(child);
  });
}
