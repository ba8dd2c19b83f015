import { SOURCE_IN_BOX } from './box.js';
import type { SandboxLimits } from './limits.js';

export interface BwrapPaths {
  readonly prlimit: string;
  readonly bwrap: string;
}

/** Descriptor of the first file handed in; those before it are the standard streams. */
export const FIRST_FILE_FD = 3;

/** The unprivileged identity inside, and outside too where we are root. */
export const NOBODY = 65_534;

/** The whole command line of one run: limits, then bubblewrap, then the command (spec 07 B13). */
export function bwrapArguments(
  { prlimit, bwrap }: BwrapPaths,
  limits: SandboxLimits,
  command: {
    readonly argv: readonly string[];
    readonly fileNames: readonly string[];
    readonly source: string | null;
  },
): string[] {
  return [
    prlimit,
    `--cpu=${limits.cpuS}`,
    `--as=${limits.memoryBytes}`,
    `--fsize=${limits.fileBytes}`,
    `--nofile=${limits.openFiles}`,
    '--core=0',
    '--',
    bwrap,
    '--unshare-all',
    // `--unshare-all` only tries this one.
    '--unshare-user',
    '--disable-userns',
    '--die-with-parent',
    '--new-session',
    ...['--cap-drop', 'ALL'],
    ...['--uid', String(NOBODY), '--gid', String(NOBODY)],
    ...['--hostname', 'sandbox'],
    ...['--ro-bind', '/usr', '/usr'],
    ...['bin', 'sbin', 'lib', 'lib64'].flatMap((name) => ['--symlink', `usr/${name}`, `/${name}`]),
    ...['--proc', '/proc', '--dev', '/dev'],
    ...['--size', String(limits.temporaryBytes), '--tmpfs', '/tmp'],
    ...['--size', String(limits.scratchBytes), '--tmpfs', '/box'],
    ...(command.source === null ? [] : ['--ro-bind', command.source, SOURCE_IN_BOX]),
    ...command.fileNames.flatMap((name, index) => ['--file', String(FIRST_FILE_FD + index), `/box/${name}`]),
    // These two are made of memory as well, and nothing would bound them.
    ...['--size', String(limits.temporaryBytes), '--tmpfs', '/dev/shm'],
    ...['--remount-ro', '/dev', '--remount-ro', '/'],
    '--clearenv',
    ...['--setenv', 'PATH', '/usr/bin:/bin'],
    ...['--setenv', 'HOME', '/box'],
    ...['--setenv', 'LANG', 'C.UTF-8'],
    ...['--chdir', '/box', '--'],
    // Counted inside: outside, processes of the same user that have nothing to do with this would count too.
    ...['/usr/bin/prlimit', `--nproc=${limits.processes}`, '--'],
    ...command.argv,
  ];
}
