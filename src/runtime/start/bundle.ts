import { readFileSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { Script } from 'node:vm';
import type { RunCommand } from '../shared/command.js';

/** What a process knows of its own start. */
export interface ProcessStart {
  /** Of the built program. */
  readonly directory: string;
  /** When our own code began, ms since the process started. */
  readonly enteredMs: number;
  /** Called when the command is done, whatever its exit code, and before the process ends. */
  done(): void;
}

/** Runs a command as the process's own, and ends the process. */
export type RunAndExit = (argv: readonly string[], start: ProcessStart) => void;

/** What a bundle of the CLI may give. */
export interface BundleExports {
  readonly run?: RunCommand;
  readonly runAndExit?: RunAndExit;
  /** Modules that its parts ask it for, by id. */
  readonly shared?: () => Readonly<Record<string, unknown>>;
}

export interface LoadedBundle {
  readonly exports: BundleExports;
  /** The compiled code, of which a cache can be made. */
  readonly script: Script;
}

/**
 * Loads a CommonJS bundle, written as the function that Node would make of it, as `require` does, but with the compiled code
 * beside it if this V8 accepts it: one of its own version and flags, for a source of this length. Bundles are ASCII, so that
 * V8 can use their bytes as they are.
 *
 * This is compiled anew at every start, so it is short.
 *
 * @param find what the bundle requires
 * @param compile called when there is no compiled code beside the bundle, or V8 refuses it
 */
export function loadBundle(
  path: string,
  find: (id: string) => unknown,
  compile: (source: string, filename: string) => Script,
): LoadedBundle {
  const source = readFileSync(path).toString('latin1');
  const filename = basename(path);
  let script: Script | undefined;
  try {
    script = new Script(source, { filename, cachedData: readFileSync(`${path}.v8cache`) });
  } catch {
    // Without compiled code the program is slower to start, and nothing else.
  }
  if (script?.cachedDataRejected !== false) script = compile(source, filename);
  const module = { exports: {} };
  script.runInThisContext()(module.exports, find, module, path, dirname(path));
  return { exports: module.exports, script };
}
