import type { CommandIo, RunCommand } from '../shared/command.js';
import type { RunAndExit } from '../start/bundle.js';
import { print } from './print.js';
import { namePlaces } from './source-places.js';

/** Makes of `tick` what the start of the process calls: it writes to the process's streams, and ends it with its exit code. */
export function runAndExit(run: RunCommand): RunAndExit {
  return (argv, { directory, enteredMs, done }) => {
    namePlaces(directory);
    run(argv, ownIo(enteredMs)).then(
      (code) => {
        done();
        process.exit(code);
      },
      (error: unknown) => {
        const { message, stack } = error instanceof Error ? error : { message: String(error), stack: '' };
        const line = `RA_INTERNAL: ${message.replace(/\s+/g, ' ')}; this is a bug, please report it`;
        process.stderr.write(`${line}\n${stack ?? ''}\n`, () => process.exit(2));
      },
    );
  };
}

/** The process's streams are made at first use: each costs a tick a millisecond or more. */
function ownIo(enteredMs: number): CommandIo {
  return {
    enteredMs,
    env: process.env,
    cwd: process.cwd(),
    get stdin() {
      return process.stdin;
    },
    get stdout() {
      return process.stdout;
    },
    get stderr() {
      return process.stderr;
    },
    print,
  };
}
