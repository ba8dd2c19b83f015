import { join } from 'node:path';
import { loadBundle } from './bundle.js';
import { secondCompiler } from './second-compiler.js';

type OwnCache = typeof import('./own-cache.js');

/**
 * Runs `tick` from its bundle and the compiled code beside it, and ends the process with its exit code.
 *
 * @param directory of the built program
 * @param load resolves packages, modules of Node's own and further files of the program for the bundle
 */
export function startTick(directory: string, load: NodeJS.Require): void {
  const enteredMs = process.uptime() * 1000;
  const switchSecondCompiler = secondCompiler();
  // Only needed where the compiled code that came with the program does not fit.
  let own: OwnCache | undefined;
  let shared: Readonly<Record<string, unknown>> | undefined;
  const open = (name: string) =>
    loadBundle(join(directory, name), find, (source, filename) => {
      const cache: OwnCache = own ?? load('./own-cache.js');
      own = cache;
      return cache.compileAgain(source, filename, process.env);
    }).exports;
  // Parts of the bundle lie beside it and ask it for the modules that it has (scripts/build/own-parts.mjs).
  const find = (id: string): unknown => {
    if (id.startsWith('shared:')) {
      shared ??= bundle.shared?.();
      return shared?.[id];
    }
    switchSecondCompiler(true);
    try {
      return id.startsWith('./tick.') ? open(id.slice(2)) : load(id);
    } finally {
      switchSecondCompiler(false);
    }
  };
  const bundle = open('tick.js');
  if (bundle.runAndExit === undefined) throw new Error('the bundle of tick has no command; build again');
  const done = () => {
    if (own === undefined) return;
    switchSecondCompiler(true);
    own.keepFresh();
  };
  switchSecondCompiler(false);
  bundle.runAndExit(process.argv.slice(3), { directory, enteredMs, done });
}
