/** What a command may touch of the process around it; tests pass their own. */
export interface CommandIo {
  readonly env: NodeJS.ProcessEnv;
  readonly cwd: string;
  readonly stdin: NodeJS.ReadableStream;
  readonly stdout: NodeJS.WritableStream & { readonly isTTY?: boolean };
  readonly stderr: NodeJS.WritableStream & { readonly isTTY?: boolean };
  /** When our own code began, ms since the process started. */
  readonly enteredMs?: number;
  /** Writes to standard output and waits, in a quicker way than through the stream, where there is one. */
  readonly print?: (text: string) => Promise<void>;
}

/**
 * One command of the CLI. A command lives in `src/runtime/<name>.ts`, exports `run`, and is loaded only when it is
 * called. It writes data to stdout, everything else to stderr, and resolves to its exit code.
 *
 * @param argv the arguments after the command's name
 */
export type RunCommand = (argv: readonly string[], io: CommandIo) => Promise<number>;

/** The process's own streams and environment. */
export function processIo(): CommandIo {
  return {
    env: process.env,
    cwd: process.cwd(),
    stdin: process.stdin,
    stdout: process.stdout,
    stderr: process.stderr,
  };
}
