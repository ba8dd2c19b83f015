/** Why `ray status` failed: nobody answers, the command itself is broken, or nobody knows. */
export interface RayFailure {
  readonly kind: 'head_down' | 'broken_cli' | 'unknown';
  /** The line that decided. */
  readonly line: string;
}

const TRACEBACK = 'Traceback (most recent call last)';
const EXCEPTION_LINE = /^(?:[A-Za-z_]\w*\.)*[A-Za-z_]\w*(?:Error|Exception|Exit|Interrupt|Timeout)(?::|\s*$)/;
const HEAD_DOWN =
  /^(?:[A-Za-z_]\w*\.)*Connection(?:Refused|Reset)?Error\b|could not find any running|no running (?:ray )?instance|ray cluster is not found|(?:failed|unable) to connect to (?:the )?gcs|connection refused/i;
const BROKEN_CLI =
  /^(?:[A-Za-z_]\w*\.)*(?:ImportError|ModuleNotFoundError|AttributeError|ValueError)\b|add_command_alias/;
const MAX_LINE = 2000;

/**
 * Judges a failed `ray` command by its last traceback line (spec 02 §10.7): every one of them prints a traceback through
 * its own command line module, so the rest of the traceback says nothing.
 */
export function classifyRayFailure(stderr: string): RayFailure {
  const line = decidingLine(stderr);
  if (BROKEN_CLI.test(line)) return { kind: 'broken_cli', line };
  if (HEAD_DOWN.test(line)) return { kind: 'head_down', line };
  return { kind: 'unknown', line };
}

/** The last line that names an exception; without one the last line. */
function decidingLine(stderr: string): string {
  const lines = stderr.slice(stderr.lastIndexOf(TRACEBACK) + 1).split('\n');
  const said = lines.map((line) => line.slice(0, MAX_LINE).trimEnd()).filter((line) => line.trim() !== '');
  return (said.findLast((line) => EXCEPTION_LINE.test(line)) ?? said.at(-1) ?? '').trim();
}
