import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type SqliteDatabase from 'better-sqlite3';

export type Sqlite = SqliteDatabase.Database;

export type Driver =
  | { readonly ok: true; readonly open: (database: string | Buffer, mode: 'readonly' | 'private') => Sqlite }
  | { readonly ok: false; readonly detail: string };

let loaded: Driver | undefined;

/**
 * The SQLite binding, loaded at first use, because most of the agent never needs it. A binding that cannot be loaded (another
 * platform, a broken installation) is an answer, not a crash.
 */
export function sqliteDriver(): Driver {
  loaded ??= load();
  return loaded;
}

/** Why the binding could not be loaded; undefined when it was, or was not needed yet. */
export function driverTrouble(): string | undefined {
  return loaded?.ok === false ? loaded.detail : undefined;
}

function load(): Driver {
  try {
    const own = createRequire(import.meta.url);
    // A bundle may have the package in it, compiled beforehand; by itself it is ten files to find and read.
    const Database: typeof SqliteDatabase =
      typeof require === 'function' ? require('better-sqlite3') : own('better-sqlite3');
    const binding = nativeBinding(own);
    // The package itself loads even where its binding does not: find that out now.
    if (binding === null) new Database(':memory:').close();
    else own(binding);
    return {
      ok: true,
      open: (database, mode) =>
        new Database(database, {
          readonly: mode === 'readonly',
          fileMustExist: typeof database === 'string',
          // Waiting inside SQLite would stop every other collector; we wait between attempts instead.
          timeout: 0,
          ...(binding === null ? {} : { nativeBinding: binding }),
        }),
    };
  } catch (error) {
    return { ok: false, detail: `better-sqlite3 cannot be loaded: ${whyNot(error)}` };
  }
}

function whyNot(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  if (message.startsWith('Could not locate the bindings file')) return 'it has no binary for this machine';
  if (message.startsWith("Cannot find module 'better-sqlite3'")) return 'it is not installed';
  return message.split('\n', 1)[0] ?? '';
}

/**
 * The binding of the installed package, not one that lies further up. Naming it spares the package its own search, a
 * millisecond per tick.
 */
function nativeBinding(require: NodeJS.Require): string | null {
  try {
    const directory = dirname(require.resolve('better-sqlite3/package.json'));
    const path = join(directory, 'build', 'Release', 'better_sqlite3.node');
    return existsSync(path) ? path : null;
  } catch {
    return null;
  }
}
