import { join } from 'node:path';
import type { CommandIo, RunCommand } from '../shared/command.js';
import { loadBundle } from './bundle.js';
import { keepCompiled, ownCachePath } from './own-cache.js';
import { print } from './print.js';

/**
 * Runs `tick` from its bundle and the compiled code beside it, and ends the process with its exit code.
 *
 * @param directory of the built program
 * @param load resolves packages and modules of Node's own for the bundle
 */
export function startTick(directory: string, load: NodeJS.Require): void {
  const enteredMs = process.uptime() * 1000;
  let own: string | undefined;
  const bundle = loadBundle(join(directory, 'tick.js'), load, [
    () => join(directory, 'tick.v8cache'),
    (source) => {
      own = ownCachePath(source, process.env);
      return own;
    },
  ]);
  command(bundle.exports)(process.argv.slice(3), tickIo(enteredMs)).then(
    (code) => {
      if (own !== undefined && bundle.cache === undefined) keepCompiled(own, bundle.compiled());
      process.exit(code);
    },
    (error: unknown) => {
      const { message, stack } = error instanceof Error ? error : { message: String(error), stack: '' };
      const line = `RA_INTERNAL: ${message.replace(/\s+/g, ' ')}; this is a bug, please report it`;
      process.stderr.write(`${line}\n${stack ?? ''}\n`, () => process.exit(2));
    },
  );
}

function command({ run }: { readonly run?: RunCommand }): RunCommand {
  if (run === undefined) throw new Error('the bundle of tick has no command; build again');
  return run;
}

/** The process's streams are made at first use: each costs a tick a millisecond or more. */
function tickIo(enteredMs: number): CommandIo {
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
