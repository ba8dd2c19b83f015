import { LOG_LEVELS, type LogLevel, logLevel } from '../shared/logger.js';
import { UserError } from '../shared/user-error.js';

export interface TickArguments {
  /** A path, or `-` for standard input. */
  readonly request: string;
  /** A path, or `-` for standard output alone. */
  readonly out: string;
  readonly config: string | undefined;
  readonly record: string | undefined;
  readonly level: LogLevel;
  /** True prints on standard error where the time went. */
  readonly traceTiming: boolean;
}

export const TICK_USAGE = `usage: robustness-agent tick --request FILE|- [--out FILE|-] [OPTIONS]

Answers one turn of the Coordinator: reads its request, looks at the session
and the machine, and writes the intents.

  --request FILE   the request, JSON; - reads standard input
  --out FILE       where the answer goes, besides standard output; - for
                   standard output alone (default -)
  --config FILE    configuration file (default ROBUSTNESS_CONFIG, else
                   robustness.config.json in the session or working directory)
  --record FILE    append request and snapshot, redacted, for \`replay\`
  --log-level LEVEL  ${LOG_LEVELS.join(', ')}
                   (default ROBUSTNESS_LOG_LEVEL, else warn)
  --trace-timing   say on standard error where the time went

Exit code 0: answered. 2: not answered; the first line on standard error says
why.

Examples:
  robustness-agent tick --request request.json --out emit.json
  robustness-agent tick --request - < request.json
`;

const WITH_VALUE = ['request', 'out', 'config', 'record', 'log-level'] as const;
type WithValue = (typeof WITH_VALUE)[number];

interface Parsed {
  readonly values: { readonly [name in WithValue]?: string };
  readonly flags: ReadonlySet<string>;
}

/** @throws UserError `RA_USAGE` */
export function tickArguments(
  argv: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): TickArguments | 'help' {
  const { values, flags } = parse(argv);
  if (flags.has('help')) return 'help';
  if (values.request === undefined || values.request === '') {
    throw usageError('--request is missing', '--request FILE');
  }
  const level = values['log-level'] ?? env['ROBUSTNESS_LOG_LEVEL'] ?? 'warn';
  return {
    request: values.request,
    out: values.out ?? '-',
    config: values.config,
    record: values.record,
    level: logLevel(level) ?? 'warn',
    traceTiming: flags.has('trace-timing'),
  };
}

/** By hand: the library for command lines, and even Node's own, would cost a tick more than much of its work. */
function parse(argv: readonly string[]): Parsed {
  const values: { [name in WithValue]?: string } = {};
  const flags = new Set<string>();
  const rest = argv.values();
  for (const word of rest) {
    if (word === '-h' || word === '--help') flags.add('help');
    else if (word === '--trace-timing') flags.add('trace-timing');
    else {
      const [option, inline] = splitAtEquals(word);
      const name = WITH_VALUE.find((known) => option === `--${known}`);
      if (name === undefined) throw usageError(`${word} is no option of tick`, TAKEN);
      const value = inline ?? rest.next().value;
      // A path of a single dash is an answer, another option is a value that was forgotten.
      if (value === undefined || (inline === undefined && isOption(value)))
        throw usageError(`--${name} has no value`, `--${name} VALUE`);
      values[name] = value;
    }
  }
  return { values, flags };
}

const TAKEN = 'the options of `tick --help`';

function splitAtEquals(word: string): [option: string, value: string | undefined] {
  const at = word.indexOf('=');
  return at < 0 ? [word, undefined] : [word.slice(0, at), word.slice(at + 1)];
}

function usageError(happened: string, expected: string): UserError {
  return new UserError({ code: 'RA_USAGE', happened, expected });
}

/** `-` and `--` alone are none. */
function isOption(word: string): boolean {
  return word.startsWith('-') && word !== '-' && word !== '--' && !word.startsWith('---');
}
