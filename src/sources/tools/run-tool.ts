import type { ChildProcess } from 'node:child_process';
import { monotonicMs } from './clock.js';
import { abortSignal, type Stop } from './stop.js';
import { forgetGroup, KILL_GRACE_MS, killGroup, watchGroup } from './tool-groups.js';

const MIB = 2 ** 20;
/** How long a pipe may stay open after the tool itself has ended, ms. */
const DRAIN_MS = 50;
const PASSED_ON = ['PATH', 'HOME', 'LD_LIBRARY_PATH', 'TMPDIR', 'ROCM_PATH', 'ROCM_HOME'] as const;

export interface ToolRequest {
  /** Absolute path, as `findExecutable` gives it. */
  readonly executable: string;
  readonly args: readonly string[];
  /** Environment of the agent; only a few harmless names of it are passed on. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Further variables for the tool. */
  readonly extraEnv?: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  readonly signal: Stop;
  /** Bytes; 4 MiB unless given. */
  readonly stdoutLimit?: number;
  /** Bytes; 64 KiB unless given. */
  readonly stderrLimit?: number;
}

/** How a tool ended, as data. Output is decoded lossily and holds what had arrived by then. */
export type ToolOutcome =
  | (ToolOutput & { readonly kind: 'exited'; readonly code: number | null; readonly signal: string | null })
  | (ToolOutput & { readonly kind: 'timeout' })
  | (ToolOutput & { readonly kind: 'too_large' })
  | { readonly kind: 'not_started'; readonly permission: boolean; readonly message: string };

export interface ToolOutput {
  readonly pid: number;
  readonly stdout: string;
  readonly stderr: string;
  readonly ms: number;
}

/**
 * Runs a tool in a process group of its own, without a shell, with stdin closed, a small environment and bounded output
 * (spec 02 §10.1). At the time limit the group gets SIGTERM, half a second later SIGKILL; the answer does not wait for
 * either, nor for a child in uninterruptible sleep. Never rejects.
 */
export function runTool(request: ToolRequest): Promise<ToolOutcome> {
  if (request.signal.aborted) {
    return Promise.resolve({ kind: 'not_started', permission: false, message: 'no time left' });
  }
  const signal = abortSignal(request.signal);
  return new Promise((resolve) => {
    const started = monotonicMs();
    const child = start(request);
    if (child instanceof Error) {
      resolve(notStarted(child));
      return;
    }
    const stdout = capture(child.stdout, request.stdoutLimit ?? 4 * MIB, () => finish('too_large'));
    const stderr = capture(child.stderr, request.stderrLimit ?? MIB / 16, () => finish('too_large'));
    let drain: NodeJS.Timeout | undefined;
    let isDone = false;

    const timer = setTimeout(() => finish('timeout'), Math.max(1, request.timeoutMs));
    const onAbort = () => finish('timeout');
    signal.addEventListener('abort', onAbort, { once: true });

    function finish(kind: 'timeout' | 'too_large' | 'exited'): void {
      if (isDone || child instanceof Error) return;
      isDone = true;
      clearTimeout(timer);
      clearTimeout(drain);
      signal.removeEventListener('abort', onAbort);
      const output = {
        pid: child.pid ?? 0,
        stdout: stdout(),
        stderr: stderr(),
        ms: monotonicMs() - started,
      };
      child.stdout?.destroy();
      child.stderr?.destroy();
      child.unref();
      if (kind === 'exited') resolve({ kind, ...output, code: child.exitCode, signal: child.signalCode });
      else {
        if (child.pid !== undefined) killGroup(child.pid, KILL_GRACE_MS);
        resolve({ kind, ...output });
      }
    }

    child.once('error', (error) => {
      if (child.pid !== undefined) return;
      isDone = true;
      clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
      resolve(notStarted(error));
    });
    child.once('exit', () => {
      // What the tool has left behind in its group would outlive us, and may hold the pipes.
      if (child.pid !== undefined) forgetGroup(child.pid);
      drain = setTimeout(() => finish('exited'), DRAIN_MS);
    });
    child.once('close', () => finish('exited'));
  });
}

function start(request: ToolRequest): ChildProcess | Error {
  const env: Record<string, string> = { LC_ALL: 'C.UTF-8' };
  for (const name of PASSED_ON) {
    const value = request.env[name];
    if (value !== undefined) env[name] = value;
  }
  try {
    // Most ticks start no tool, and this module is a tenth of a bare start of Node.
    const { spawn } = process.getBuiltinModule('node:child_process');
    const child = spawn(request.executable, [...request.args], {
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...env, ...request.extraEnv },
    });
    if (child.pid !== undefined) watchGroup(child.pid);
    return child;
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

function capture(stream: ChildProcess['stdout'], limit: number, onOverflow: () => void): () => string {
  const chunks: Buffer[] = [];
  let size = 0;
  stream?.on('data', (chunk: Buffer) => {
    const room = limit - size;
    chunks.push(chunk.length > room ? chunk.subarray(0, Math.max(0, room)) : chunk);
    size += chunk.length;
    if (size > limit) onOverflow();
  });
  // A pipe that breaks while the group is being killed is no news.
  stream?.on('error', () => undefined);
  return () => Buffer.concat(chunks).toString('utf8');
}

function notStarted(error: Error): ToolOutcome {
  const code = 'code' in error ? String(error.code) : error.name;
  return {
    kind: 'not_started',
    permission: code === 'EACCES' || code === 'EPERM',
    message: `${code}: ${error.message}`,
  };
}
