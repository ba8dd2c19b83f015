import { type ChildProcess, spawn } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { describeFailure } from '../../foreign/write-file.js';
import { findExecutable } from '../../sources/tools/find-executable.js';
import { forgetGroup, watchGroup } from '../../sources/tools/tool-groups.js';
import {
  type BoxCommand,
  type BoxRun,
  type DriverReading,
  failedRun,
  refusedRun,
  type SandboxDriver,
} from './box.js';
import { type BwrapPaths, bwrapArguments, FIRST_FILE_FD, NOBODY } from './bwrap-arguments.js';
import { SANDBOX_LIMITS, type SandboxLimits } from './limits.js';

const SYSTEM_PATH = '/usr/bin:/bin:/usr/sbin:/sbin:/usr/local/bin';
const PROBE_MS = 5000;
/** How long a killed run may take to be gone. */
const GRACE_MS = 5000;

/** bubblewrap, if it can do here all that is asked of it; otherwise the reason (spec 07 B13). */
export async function openBwrap(signal: AbortSignal): Promise<DriverReading> {
  if (process.platform !== 'linux') return { ok: false, reason: 'bubblewrap needs Linux' };
  const bwrap = findExecutable('bwrap', SYSTEM_PATH);
  if (bwrap === null) return { ok: false, reason: 'bubblewrap is not installed' };
  const prlimit = findExecutable('prlimit', SYSTEM_PATH);
  if (prlimit === null) return { ok: false, reason: 'prlimit (util-linux) is not installed' };
  const driver = bwrapDriver({ bwrap, prlimit });
  const run = await driver.run({ argv: ['true'], files: {}, source: null, wallMs: PROBE_MS, signal });
  if (run.ended === 'exit' && run.exit === 0) return { ok: true, driver };
  const said = run.ended === 'failed' ? run.problem : run.stderr.trim().split('\n')[0];
  const why = said === undefined || said === '' ? `it ended by ${run.ended}` : said.slice(0, 200);
  return { ok: false, reason: `bubblewrap 0.8 with user namespaces is needed, and here: ${why}` };
}

/** True when its program is there; whether it works, only `openBwrap` knows. */
export function isInstalled(): boolean {
  return process.platform === 'linux' && findExecutable('bwrap', SYSTEM_PATH) !== null;
}

export function bwrapDriver(paths: BwrapPaths, limits: SandboxLimits = SANDBOX_LIMITS): SandboxDriver {
  return { name: 'bwrap', run: (command) => runOnce(paths, limits, command) };
}

async function runOnce(paths: BwrapPaths, limits: SandboxLimits, command: BoxCommand): Promise<BoxRun> {
  const refused = refusedRun(command);
  if (refused !== null) return refused;
  const names = Object.keys(command.files);
  const [file = '', ...args] = bwrapArguments(paths, limits, {
    argv: command.argv,
    fileNames: names,
    source: command.source,
  });
  let child: ChildProcess;
  try {
    child = spawn(file, args, {
      cwd: '/',
      env: {},
      // Its own process group, to be killed as one.
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe', ...names.map(() => 'pipe' as const)],
      // The kernel does not count processes of root, so limits would not hold for it.
      ...(process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {}),
    });
  } catch (error) {
    return failedRun(describeFailure(error).message);
  }
  for (const [index, name] of names.entries()) {
    handIn(child.stdio[FIRST_FILE_FD + index], command.files[name] ?? '');
  }
  return settle(child, limits.outputBytes, command);
}

function handIn(pipe: Readable | Writable | null | undefined, content: string): void {
  if (pipe === null || pipe === undefined || !('write' in pipe)) return;
  // A sandbox that could not start says so itself.
  pipe.on('error', () => undefined);
  pipe.end(content);
}

function settle(child: ChildProcess, maxBytes: number, { wallMs, signal }: BoxCommand): Promise<BoxRun> {
  return new Promise((resolve) => {
    let ended: 'wall' | 'output' | 'aborted' | null = null;
    let grace: NodeJS.Timeout | undefined;
    const { pid } = child;
    if (pid !== undefined) watchGroup(pid);
    const end = (why: 'wall' | 'output' | 'aborted'): void => {
      if (ended !== null) return;
      ended = why;
      // Its process namespace dies with it.
      if (pid !== undefined) forgetGroup(pid);
      grace = setTimeout(() => finish(null, null), GRACE_MS);
    };
    const stdout = collect(child.stdout, maxBytes, () => end('output'));
    const stderr = collect(child.stderr, maxBytes, () => end('output'));
    const onAbort = (): void => end('aborted');
    const wall = setTimeout(() => end('wall'), wallMs);
    signal.addEventListener('abort', onAbort, { once: true });
    const finish = (code: number | null, failure: Error | null): void => {
      clearTimeout(wall);
      clearTimeout(grace);
      signal.removeEventListener('abort', onAbort);
      if (pid !== undefined && ended === null) forgetGroup(pid);
      for (const stream of child.stdio) stream?.destroy();
      const texts = { stdout: stdout(), stderr: stderr() };
      if (ended !== null) resolve({ ...texts, ended, exit: null });
      else if (failure !== null) resolve(failedRun(describeFailure(failure).message));
      else if (code === null) resolve(failedRun('the sandbox itself was killed'));
      else resolve({ ...texts, ended: 'exit', exit: code });
    };
    child.on('error', (error) => finish(null, error));
    child.on('close', (code) => finish(code, null));
  });
}

/** Keeps the first bytes of a stream. */
function collect(stream: Readable | null, maxBytes: number, onTooMuch: () => void): () => string {
  const chunks: Buffer[] = [];
  let size = 0;
  stream?.on('data', (chunk: Buffer) => {
    const room = maxBytes - size;
    size += chunk.length;
    if (room > 0) chunks.push(chunk.subarray(0, room));
    if (size > maxBytes) onTooMuch();
  });
  return () => Buffer.concat(chunks).toString('utf8');
}
