/** Why `ray status` failed: no head is there, it gives no answer, the command itself is broken, or nobody knows. */
export interface RayFailure {
  readonly kind: 'head_down' | 'no_answer' | 'broken_cli' | 'unknown';
  /** The line that decided. */
  readonly line: string;
}

const TRACEBACK = 'Traceback (most recent call last)';
const EXCEPTION_LINE = /^(?:[A-Za-z_]\w*\.)*[A-Za-z_]\w*(?:Error|Exception|Exit|Interrupt|Timeout)(?::|\s*$)/;
const HEAD_DOWN =
  /^(?:[A-Za-z_]\w*\.)*Connection(?:Refused|Reset)?Error\b|could not find any running|no running (?:ray )?instance|ray cluster is not found|(?:failed|unable) to connect to (?:the )?gcs|connection refused|failed to connect to all addresses/i;
const NO_ANSWER = /\bdeadline[ _]?exceeded\b|\btimed out\b/i;
const BROKEN_CLI =
  /^(?:[A-Za-z_]\w*\.)*(?:ImportError|ModuleNotFoundError|AttributeError|ValueError)\b|add_command_alias/;
const MAX_LINE = 2000;
const MAX_LINES = 200;

/**
 * Judges a failed `ray` command by the last exception of its traceback (spec 02 §10.7): every one of them prints a traceback through
 * its own command line module, so the rest of the traceback says nothing.
 */
export function classifyRayFailure(stderr: string): RayFailure {
  const [line = '', ...message] = decidingLines(stderr);
  if (BROKEN_CLI.test(line)) return { kind: 'broken_cli', line };
  const said = [line, ...message];
  const down = said.find((text) => HEAD_DOWN.test(text));
  if (down !== undefined) return { kind: 'head_down', line: down };
  const late = said.find((text) => NO_ANSWER.test(text));
  return late === undefined ? { kind: 'unknown', line } : { kind: 'no_answer', line: late };
}

/** The last line that names an exception, with what its message says on the lines below; without one the last line. */
function decidingLines(stderr: string): string[] {
  const lines = stderr.slice(stderr.lastIndexOf(TRACEBACK) + 1).split('\n');
  const said = lines
    .map((line) => line.slice(0, MAX_LINE).trim())
    .filter((line) => line !== '')
    .slice(-MAX_LINES);
  const last = said.findLastIndex((line) => EXCEPTION_LINE.test(line));
  return last === -1 ? said.slice(-1) : said.slice(last);
}
