import type { Sandbox } from 'e2b';
import type { BoxCommand, BoxRun } from '../box.js';
import type { SandboxLimits } from '../limits.js';
import { ARCHIVE, INBOX, layOutLine, runLine } from './command-line.js';
import type { Sdk } from './sdk.js';

const LAY_OUT_MS = 60_000;
/** Whoever lays things out; the command itself is somebody else. */
const user = 'root';

/** A run that we ended, with what it had said until then. */
export function stopped(ended: 'wall' | 'output' | 'aborted', stdout = '', stderr = ''): BoxRun {
  return { stdout, stderr, ended, exit: null };
}

/** Puts the tree and the files into a sandbox; no credential is among them. */
export async function layOut(
  box: Sandbox,
  files: readonly (readonly [string, string])[],
  archive: Buffer | null,
  signal: AbortSignal,
): Promise<void> {
  const sent = [
    ...(archive === null ? [] : [{ path: ARCHIVE, data: new Blob([new Uint8Array(archive)]) }]),
    ...files.map(([name, data]) => ({ path: `${INBOX}/${name}`, data })),
  ];
  if (sent.length > 0) await box.files.write(sent, { user, signal });
  const line = layOutLine(
    files.map(([name]) => name),
    archive !== null,
  );
  await box.commands.run(line, { user, signal, timeoutMs: LAY_OUT_MS });
}

/** Runs the command; a failing one is a result, although the SDK throws it (spec 07 B13). */
export async function execute(
  sdk: Sdk,
  box: Sandbox,
  work: { readonly command: BoxCommand; readonly limits: SandboxLimits; readonly signal: AbortSignal },
): Promise<BoxRun> {
  const { command, limits, signal } = work;
  const full = new AbortController();
  const stdout = new Kept(limits.outputBytes, full);
  const stderr = new Kept(limits.outputBytes, full);
  const texts = () => ({ stdout: stdout.text, stderr: stderr.text });
  try {
    const { exitCode } = await box.commands.run(runLine(command.argv, limits), {
      user,
      signal: AbortSignal.any([signal, full.signal]),
      timeoutMs: command.wallMs,
      onStdout: (part) => stdout.add(part),
      onStderr: (part) => stderr.add(part),
    });
    return full.signal.aborted
      ? stopped('output', stdout.text, stderr.text)
      : { ...texts(), ended: 'exit', exit: exitCode };
  } catch (error) {
    if (full.signal.aborted) return stopped('output', stdout.text, stderr.text);
    if (signal.aborted) return stopped(command.signal.aborted ? 'aborted' : 'wall', stdout.text, stderr.text);
    if (error instanceof sdk.CommandExitError) return { ...texts(), ended: 'exit', exit: error.exitCode };
    if (error instanceof sdk.TimeoutError) return stopped('wall', stdout.text, stderr.text);
    throw error;
  }
}

/** The first bytes of a stream. */
class Kept {
  text = '';
  #bytes = 0;

  constructor(
    private readonly maxBytes: number,
    private readonly full: AbortController,
  ) {}

  add(part: string): void {
    this.#bytes += Buffer.byteLength(part);
    if (this.#bytes <= this.maxBytes) this.text += part;
    else this.full.abort();
  }
}
