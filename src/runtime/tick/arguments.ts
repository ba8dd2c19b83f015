import { parseArgs } from 'node:util';
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

Exit code 0: answered. 2: not answered; the first line on standard error says
why.

Examples:
  robustness-agent tick --request request.json --out emit.json
  robustness-agent tick --request - < request.json
`;

/**
 * Parsed by Node itself, because the library for command lines costs a tick more than the tick's own code.
 *
 * @throws UserError `RA_USAGE`
 */
export function tickArguments(
  argv: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): TickArguments | 'help' {
  const values = parse(argv);
  if (values.help === true) return 'help';
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
  };
}

function parse(argv: readonly string[]) {
  try {
    return parseArgs({
      args: [...argv],
      options: {
        request: { type: 'string' },
        out: { type: 'string' },
        config: { type: 'string' },
        record: { type: 'string' },
        'log-level': { type: 'string' },
        help: { type: 'boolean', short: 'h' },
      },
      allowPositionals: false,
    }).values;
  } catch (error) {
    throw usageError(error instanceof Error ? error.message : String(error), 'the options of `tick --help`');
  }
}

function usageError(happened: string, expected: string): UserError {
  return new UserError({ code: 'RA_USAGE', happened, expected });
}
