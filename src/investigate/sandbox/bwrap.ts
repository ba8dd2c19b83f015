import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { findExecutable } from '../../sources/tools/find-executable.js';
import { forgetGroup, KILL_GRACE_MS, killGroup, watchGroup } from '../../sources/tools/tool-groups.js';
import type { BoxCommand, BoxRun, DriverReading } from './box.js';
import { type BwrapPaths, bwrapArguments, NOBODY } from './bwrap-arguments.js';
import { SANDBOX_LIMITS, type SandboxLimits } from './limits.js';

const SYSTEM_PATH = '/usr/bin:/bin';
const PROBE_MS = 5000;
const PLAIN_NAME = /^(?!src$)[A-Za-z0-9_][A-Za-z0-9_.-]{0,63}$/;

/** The sandbox of this machine, or why there is none: no program, or a kernel that forbids it (spec 07 B13). */
export async function openBwrap(signal: AbortSignal, limits: SandboxLimits = SANDBOX_LIMITS): Promise<DriverReading> {
  const prlimit = findExecutable('prlimit', SYSTEM_PATH);
  const bwrap = findExecutable('bwrap', SYSTEM_PATH);
  if (prlimit === null || bwrap === null) return { ok: false, reason: 'bubblewrap or prlimit is not installed' };
  const paths = { prlimit, bwrap };
  const probe = await runInBox(paths, limits, { argv: ['true'], files: {}, source: null, wallMs: PROBE_MS, signal });
  if (probe.ended === 'exit' && probe.exit === 0) {
    return { ok: true, driver: { name: 'bwrap', run: (command) => runInBox(paths, limits, command) } };
  }
  const why = probe.ended === 'failed' ? probe.problem : probe.stderr.trim().slice(0, 200) || probe.ended;
  return { ok: false, reason: `bubblewrap does not start here: ${why}` };
}

function runInBox(paths: BwrapPaths, limits: SandboxLimits, command: BoxCommand): Promise<BoxRun> {
  const { argv, files, source, wallMs, signal } = command;
  const none = { stdout: '', stderr: '' };
  if (signal.aborted) return Promise.resolve({ ...none, ended: 'aborted', exit: null });
  const names = Object.keys(files);
  const odd = names.find((name) => !PLAIN_NAME.test(name));
  if (odd !== undefined) {
    const problem = `${JSON.stringify(odd.slice(0, 60))} is no plain file name`;
    return Promise.resolve({ ...none, ended: 'failed', exit: null, problem });
  }
  const [executable = '', ...args] = bwrapArguments(paths, limits, { argv, fileNames: names, source });
  return new Promise((resolve) => {
    const isRoot = process.getuid?.() === 0;
    const child = spawn(executable, args, {
      detached: true,
      env: {},
      stdio: ['ignore', 'pipe', 'pipe', ...names.map(() => 'pipe' as const)],
      ...(isRoot ? { uid: NOBODY, gid: NOBODY } : {}),
    });
    let cause: 'wall' | 'output' | 'aborted' | null = null;
    const { pid } = child;
    if (pid !== undefined) watchGroup(pid);
    const stop = (why: 'wall' | 'output' | 'aborted'): void => {
      cause ??= why;
      if (pid !== undefined) killGroup(pid, why === 'output' ? 0 : KILL_GRACE_MS / 10);
    };
    const timer = setTimeout(() => stop('wall'), Math.max(1, wallMs));
    const onAbort = (): void => stop('aborted');
    signal.addEventListener('abort', onAbort, { once: true });
    const texts = [1, 2].map((fd) => {
      const chunks: Buffer[] = [];
      let size = 0;
      const stream = child.stdio[fd];
      if (stream !== null && stream !== undefined && 'read' in stream) {
        stream.on('data', (chunk: Buffer) => {
          const room = limits.outputBytes - size;
          size += chunk.length;
          if (room > 0) chunks.push(chunk.subarray(0, room));
          if (size > limits.outputBytes) stop('output');
        });
      }
      return () => Buffer.concat(chunks).toString('utf8');
    });
    for (const [index, name] of names.entries()) {
      const pipe = child.stdio[3 + index];
      if (pipe === null || pipe === undefined || !('write' in pipe)) continue;
      // Bubblewrap may end before it has read them all.
      pipe.on('error', () => undefined);
      pipe.end(files[name] ?? '');
    }
    const settle = (result: BoxRun): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
      if (pid !== undefined) forgetGroup(pid);
      resolve(result);
    };
    child.on('error', (error) => settle({ ...none, ended: 'failed', exit: null, problem: error.message }));
    child.on('close', (code, killedBy) => {
      const streams = { stdout: texts[0]?.() ?? '', stderr: texts[1]?.() ?? '' };
      if (cause !== null) settle({ ...streams, ended: cause, exit: null });
      else settle({ ...streams, ended: 'exit', exit: code ?? 128 + (killedBy === null ? 0 : constants.signals[killedBy]) });
    });
  });
}
