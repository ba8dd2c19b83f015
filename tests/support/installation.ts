import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { cleanEnv } from './cli.js';

/** What a build needs of the repository; a test packs a copy, because packing builds and others use the build. */
export const PACKED_FROM = [
  'package.json',
  'tsconfig.json',
  'tsconfig.api.json',
  'LICENSE',
  'README.md',
  'CHANGELOG.md',
  'src',
  'scripts',
  'bridge',
  'packaging',
  'schemas',
  'docs',
];
const BINDING = 'better-sqlite3/build/Release/better_sqlite3.node';
const QUIET = ['--prefer-offline', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];

/** The tarball that would be published, installed where nothing else is. */
export class Installation {
  readonly #parent = mkdtempSync(join(tmpdir(), 'ra-package-'));
  /** The empty directory that it was installed into. */
  readonly directory = join(this.#parent, 'empty');
  readonly tarball: string;
  readonly bin = join(this.directory, 'node_modules/.bin/robustness-agent');
  readonly package = join(this.directory, 'node_modules/robustness-agent');

  constructor() {
    this.tarball = this.#pack();
    mkdirSync(this.directory);
    writeFileSync(join(this.directory, 'package.json'), '{ "private": true, "type": "module" }\n');
    npm(['install', ...QUIET, this.tarball], this.directory);
  }

  #pack(): string {
    const copy = join(this.#parent, 'copy');
    mkdirSync(copy);
    const present = new Set(readdirSync('.'));
    for (const name of PACKED_FROM.filter((entry) => present.has(entry)))
      cpSync(name, join(copy, name), { recursive: true });
    symlinkSync(resolve('node_modules'), join(copy, 'node_modules'));
    npm(['pack', '--loglevel=error', '--pack-destination', this.#parent], copy);
    const [tarball = ''] = readdirSync(this.#parent).filter((name) => name.endsWith('.tgz'));
    return join(this.#parent, tarball);
  }

  /** Installs for all users of a prefix and returns the program. */
  installGlobally(): string {
    const prefix = join(this.#parent, 'prefix');
    npm(['install', '--global', '--prefix', prefix, ...QUIET, this.tarball], this.#parent);
    return join(prefix, 'bin/robustness-agent');
  }

  /** Puts the repository's SQLite binding where its install script, which did not run, puts a prebuilt one. */
  addBinding(): void {
    this.#placeBinding((path) => cpSync(join('node_modules', BINDING), path));
  }

  damageBinding(): void {
    this.#placeBinding((path) => writeFileSync(path, '\u007fELF of another machine'));
  }

  #placeBinding(place: (path: string) => void): void {
    const path = join(this.directory, 'node_modules', BINDING);
    mkdirSync(join(path, '..'), { recursive: true });
    place(path);
  }

  remove(): void {
    rmSync(this.#parent, { recursive: true, force: true });
  }
}

/** Runs npm as a user would: without what an npm that runs the tests passes on. */
function npm(args: readonly string[], cwd: string): void {
  const own = Object.entries(cleanEnv()).filter(([name]) => !/^npm_/i.test(name));
  execFileSync('npm', args, { cwd, env: Object.fromEntries(own), stdio: ['ignore', 'ignore', 'inherit'] });
}
