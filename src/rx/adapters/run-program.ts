import { type ChildProcess, spawn } from 'node:child_process';
import { stat } from 'node:fs/promises';

/** Bounds of one started program. */
export interface ProgramLimits {
  readonly timeoutMs: number;
  /** Bytes that the watched file may grow to. */
  readonly maxOutputBytes: number;
}

/** How a program ended. */
export type ProgramEnd =
  | { readonly kind: 'exited'; readonly code: number; readonly stderr: string }
  | { readonly kind: 'signalled'; readonly signal: string; readonly stderr: string }
  | { readonly kind: 'timed_out' }
  | { readonly kind: 'too_much_output' }
  | { readonly kind: 'aborted' }
  | { readonly kind: 'not_started'; readonly message: string };

/** What to start, and which file to watch. */
export interface ProgramRequest {
  /** A command line for the shell. */
  readonly command: string;
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  readonly watchedFile: string;
  readonly limits: ProgramLimits;
  readonly signal?: AbortSignal;
}

const STDERR_TAIL = 2000;
const STDERR_GRACE_MS = 200;
const WATCH_EVERY_MS = 200;
const GRACE_MS = 2000;

/**
 * Runs a command line in a process group of its own, so that a time-out ends all that it started. Resolves once the
 * program has exited; its standard output is discarded, of its standard error the end is kept.
 */
export function runProgram(request: ProgramRequest): Promise<ProgramEnd> {
  if (request.signal?.aborted) return Promise.resolve({ kind: 'aborted' });
  return new Promise((resolve) => {
    const child = spawn(request.command, {
      cwd: request.cwd,
      env: request.env,
      shell: true,
      detached: true,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    let stderr = '';
    child.stderr?.setEncoding('utf8').on('data', (chunk: string) => {
      stderr = (stderr + chunk).slice(-STDERR_TAIL);
    });
    let stopped: ProgramEnd | null = null;
    const stop = (end: ProgramEnd): void => {
      if (stopped !== null) return;
      stopped = end;
      endGroup(child);
    };
    const release = watch(request, stop);
    const finish = (end: ProgramEnd): void => {
      release();
      child.stderr?.destroy();
      resolve(stopped ?? end);
    };
    child.once('error', (error) => finish({ kind: 'not_started', message: error.message }));
    child.once('exit', (code, signal) => {
      const conclude = (): void => {
        if (code === null) finish({ kind: 'signalled', signal: signal ?? 'unknown', stderr: stderr.trim() });
        else finish({ kind: 'exited', code, stderr: stderr.trim() });
      };
      // `close` comes when standard error is read to its end, which a grandchild may keep open for ever.
      child.once('close', conclude);
      setTimeout(conclude, STDERR_GRACE_MS);
    });
  });
}

/** Arms the time limit, the size limit and the abort; returns how to disarm them. */
function watch(request: ProgramRequest, stop: (end: ProgramEnd) => void): () => void {
  const { limits, watchedFile, signal } = request;
  const timer = setTimeout(() => stop({ kind: 'timed_out' }), limits.timeoutMs);
  const poll = setInterval(async () => {
    const size = await stat(watchedFile).then(
      (found) => found.size,
      () => 0,
    );
    if (size > limits.maxOutputBytes) stop({ kind: 'too_much_output' });
  }, WATCH_EVERY_MS);
  const abort = (): void => stop({ kind: 'aborted' });
  signal?.addEventListener('abort', abort, { once: true });
  return () => {
    clearTimeout(timer);
    clearInterval(poll);
    signal?.removeEventListener('abort', abort);
  };
}

/** Asks the whole group to end, and makes it after a grace period. */
function endGroup(child: ChildProcess): void {
  signalGroup(child, 'SIGTERM');
  setTimeout(() => signalGroup(child, 'SIGKILL'), GRACE_MS).unref();
}

function signalGroup(child: ChildProcess, signal: NodeJS.Signals): void {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, signal);
  } catch {
    // ESRCH: the group has ended by itself, which is what was wanted.
  }
}
