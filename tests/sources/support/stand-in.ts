import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryDirectory } from './tree.js';

/** A directory with stand-in executables, to be used as `PATH` together with {@link SYSTEM_PATH}. */
export class StandIns {
  readonly directory: string;

  constructor() {
    this.directory = temporaryDirectory();
    mkdirSync(join(this.directory, 'log'));
  }

  /** A search path that holds the stand-ins, and nothing else but the shell's own tools. */
  get path(): string {
    return `${this.directory}:/usr/bin:/bin`;
  }

  /** A shell script; it logs its arguments first. */
  add(name: string, script: string): this {
    const path = join(this.directory, name);
    const log = join(this.directory, 'log', name);
    writeFileSync(path, `#!/bin/sh\necho "$*" >>'${log}'\n${script}\n`);
    chmodSync(path, 0o755);
    return this;
  }

  /** A tool that prints a text and ends. */
  prints(name: string, output: string, exitCode = 0): this {
    const file = join(this.directory, `${name}.out`);
    writeFileSync(file, output);
    return this.add(name, `cat '${file}'\nexit ${exitCode}`);
  }

  /** A file that stands on the path and cannot be executed. */
  brokenFormat(name: string): this {
    const path = join(this.directory, name);
    writeFileSync(path, '\u007fELF not really');
    chmodSync(path, 0o755);
    return this;
  }

  /** The argument lists with which a tool was called, one line each. */
  calls(name: string): string[] {
    try {
      return readFileSync(join(this.directory, 'log', name), 'utf8')
        .trim()
        .split('\n');
    } catch {
      // It was never called.
      return [];
    }
  }
}
