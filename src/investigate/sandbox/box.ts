/** One command in a fresh sandbox; nothing of it is left afterwards. */
export interface BoxCommand {
  /** Argument list, never a line for a shell. */
  readonly argv: readonly string[];
  /** Files in the working directory, by plain name. */
  readonly files: Readonly<Record<string, string>>;
  /** Directory shown read-only as `/box/src`; null for none. */
  readonly source: string | null;
  readonly wallMs: number;
  readonly signal: AbortSignal;
}

/** How a command ended; `exit` as a shell would give it, 128 and the signal's number for a killed one. */
export type BoxRun = {
  readonly stdout: string;
  readonly stderr: string;
} & (
  | { readonly ended: 'exit'; readonly exit: number }
  /** Ended by us: out of time, too much output, or nobody waits any more. */
  | { readonly ended: 'wall' | 'output' | 'aborted'; readonly exit: null }
  | { readonly ended: 'failed'; readonly exit: null; readonly problem: string }
);

const FILE_NAME = /^[A-Za-z0-9_][A-Za-z0-9_.-]{0,63}$/;
const MAX_FILES = 16;

/** A run that did not begin or did not end by itself. */
export function failedRun(problem: string): BoxRun {
  return { stdout: '', stderr: '', ended: 'failed', exit: null, problem };
}

/** What a command ends with before it begins; null when it may. */
export function refusedRun({ files, signal, wallMs }: BoxCommand): BoxRun | null {
  const names = Object.keys(files);
  if (names.length > MAX_FILES || names.some((name) => !FILE_NAME.test(name) || name === 'src')) {
    return failedRun(`at most ${MAX_FILES} files with plain names are handed in`);
  }
  if (signal.aborted) return { stdout: '', stderr: '', ended: 'aborted', exit: null };
  return wallMs <= 0 ? { stdout: '', stderr: '', ended: 'wall', exit: null } : null;
}

/** A way to run foreign code where it can reach nothing. */
export interface SandboxDriver {
  readonly name: 'bwrap' | 'e2b';
  run(command: BoxCommand): Promise<BoxRun>;
}

export type DriverReading =
  | { readonly ok: true; readonly driver: SandboxDriver }
  | { readonly ok: false; readonly reason: string };

/** Where the prepared tree is seen inside. */
export const SOURCE_IN_BOX = '/box/src';
