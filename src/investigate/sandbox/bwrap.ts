import { findExecutable } from '../../sources/tools/find-executable.js';
import { runTool } from '../../sources/tools/run-tool.js';

/** What is visible inside beside the system's own programs. */
export interface Box {
  /** Absolute path of the prepared source tree, seen read-only at `/box/src`. */
  readonly tree: string | null;
  /** Absolute paths of single files, by the name that they have in `/box`. */
  readonly files: Readonly<Record<string, string>>;
}

export interface BoxRun {
  /** Null when it was ended from outside, for its time or its output. */
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
  readonly ms: number;
}

export interface Sandbox {
  /** Runs a command inside; arguments are passed on as they are, no shell sees them. */
  run(command: readonly string[], box: Box, wallMs: number, signal: AbortSignal): Promise<BoxRun>;
}

export type SandboxProbe =
  | { readonly ok: true; readonly sandbox: Sandbox }
  | { readonly ok: false; readonly reason: string };

const MIB = 2 ** 20;
const STREAM_LIMIT = 256 * 1024;
const PROBE_MS = 5000;
/** Of every run: processor time, address space, file size, processes, open files, no core (spec 07 B13). */
const LIMITS = ['--cpu=10', `--as=${1024 * MIB}`, `--fsize=${16 * MIB}`, '--nproc=64', '--nofile=128', '--core=0'];
const ISOLATION = [
  '--unshare-all',
  '--unshare-user',
  '--unshare-cgroup-try',
  '--die-with-parent',
  '--new-session',
  '--cap-drop',
  'ALL',
  '--uid',
  '65534',
  '--gid',
  '65534',
  '--hostname',
  'sandbox',
  '--ro-bind',
  '/usr',
  '/usr',
  '--symlink',
  'usr/bin',
  '/bin',
  '--symlink',
  'usr/lib',
  '/lib',
  '--symlink',
  'usr/lib64',
  '/lib64',
  '--symlink',
  'usr/sbin',
  '/sbin',
  '--proc',
  '/proc',
  '--dev',
  '/dev',
  '--size',
  String(64 * MIB),
  '--tmpfs',
  '/tmp',
  '--size',
  String(128 * MIB),
  '--tmpfs',
  '/box',
  '--clearenv',
  '--setenv',
  'PATH',
  '/usr/bin:/bin',
  '--setenv',
  'HOME',
  '/box',
  '--setenv',
  'LANG',
  'C.UTF-8',
  '--chdir',
  '/box',
];

/** The isolated place to run code in, or why there is none here: no program, or a kernel that forbids it. */
export async function openSandbox(path: string | undefined): Promise<SandboxProbe> {
  const [prlimit, bwrap] = [findExecutable('prlimit', path), findExecutable('bwrap', path)];
  if (prlimit === null || bwrap === null) return { ok: false, reason: 'bubblewrap or prlimit is not installed' };
  const sandbox: Sandbox = { run: (command, box, wallMs, signal) => start(prlimit, bwrap, command, box, wallMs, signal) };
  const probe = await sandbox.run(['true'], { tree: null, files: {} }, PROBE_MS, new AbortController().signal);
  if (probe.exitCode === 0) return { ok: true, sandbox };
  return { ok: false, reason: `bubblewrap does not start here: ${probe.stderr.trim().slice(0, 200)}` };
}

async function start(
  prlimit: string,
  bwrap: string,
  command: readonly string[],
  { tree, files }: Box,
  wallMs: number,
  signal: AbortSignal,
): Promise<BoxRun> {
  const mounts = [
    ...(tree === null ? [] : ['--ro-bind', tree, '/box/src']),
    ...Object.entries(files).flatMap(([name, path]) => ['--ro-bind', path, `/box/${name}`]),
  ];
  const outcome = await runTool({
    executable: prlimit,
    args: [...LIMITS, bwrap, ...ISOLATION, ...mounts, '--', ...command],
    env: {},
    timeoutMs: wallMs,
    signal,
    stdoutLimit: STREAM_LIMIT,
    stderrLimit: STREAM_LIMIT,
  });
  if (outcome.kind === 'not_started') return { exitCode: null, stdout: '', stderr: outcome.message, ms: 0 };
  const { stdout, stderr, ms } = outcome;
  return { exitCode: outcome.kind === 'exited' ? outcome.code : null, stdout, stderr, ms };
}
