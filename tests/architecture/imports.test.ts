import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { describe, expect, it } from 'vitest';

interface Import {
  readonly file: string;
  readonly target: string;
  readonly isTypeOnly: boolean;
}

const SOURCE = 'src';
const STATEMENT = /^(?:import|export)\s+(type\s)?[^;]*?from\s+'(\.[^']+)'/gms;
const DYNAMIC = /import\('(\.[^']+)'\)/g;

function files(directory: string): string[] {
  return readdirSync(directory, { withFileTypes: true }).flatMap((entry) => {
    const path = join(directory, entry.name);
    if (entry.isDirectory()) return files(path);
    return entry.name.endsWith('.ts') ? [path] : [];
  });
}

/** The room of the house a file lives in; `cli` for the entry. */
function room(path: string): string {
  const parts = relative(SOURCE, path).split(sep);
  return parts.length === 1 ? (parts[0] ?? '').replace(/\.ts$/, '') : (parts[0] ?? '');
}

function importsOf(file: string): Import[] {
  const text = readFileSync(file, 'utf8');
  const resolved = (target: string) => join(dirname(file), target).replace(/\.js$/, '.ts');
  return [
    ...[...text.matchAll(STATEMENT)].map(([statement, typeOnly, target = '']) => ({
      file,
      target: resolved(target),
      isTypeOnly: typeOnly !== undefined || isAllTypes(statement),
    })),
    ...[...text.matchAll(DYNAMIC)].map(([, target = '']) => ({
      file,
      target: resolved(target),
      isTypeOnly: false,
    })),
  ];
}

/** True when every name in the braces is marked as a type. */
function isAllTypes(statement: string): boolean {
  const names = /\{([^}]*)\}/s
    .exec(statement)?.[1]
    ?.split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
  return names !== undefined && names.length > 0 && names.every((name) => name.startsWith('type '));
}

/** Files whose types `signals` and the slower loops may use: what a tick sees, not how it looks. */
const SEEN_TYPES = ['src/reactor/context.ts', 'src/sources/snapshot.ts'];

/** What each room may import besides itself and `foreign`; `types:` allows types of the listed files only. */
const ALLOWED: Readonly<
  Record<string, { readonly rooms: readonly string[]; readonly types?: readonly string[] }>
> = {
  cli: { rooms: ['runtime'] },
  start: { rooms: ['runtime'] },
  index: { rooms: ['reactor'], types: ['src/sources/snapshot.ts'] },
  runtime: {
    rooms: ['reactor', 'sources', 'signals', 'decision', 'rx', 'investigate', 'selfedit', 'llm', 'stats'],
  },
  reactor: { rooms: ['sources', 'signals', 'decision'] },
  decision: { rooms: ['signals', 'llm'] },
  signals: { rooms: [], types: SEEN_TYPES },
  sources: { rooms: [] },
  rx: { rooms: ['stats', 'llm', 'reactor/findings'], types: SEEN_TYPES },
  investigate: { rooms: ['stats', 'llm', 'reactor/findings', 'sources/tools'], types: SEEN_TYPES },
  selfedit: { rooms: ['stats', 'llm', 'reactor/findings'], types: SEEN_TYPES },
  llm: { rooms: [] },
  stats: { rooms: [] },
  foreign: { rooms: [] },
};
/** Rooms that know nothing of ours, not even `foreign`. */
const LEAVES = new Set(['llm', 'stats', 'foreign']);

function isAllowed({ file, target, isTypeOnly }: Import): boolean {
  const from = room(file);
  const to = room(target);
  if (from === to) return true;
  if (to === 'foreign') return !LEAVES.has(from);
  const rule = ALLOWED[from];
  if (rule === undefined) return false;
  if (rule.rooms.some((allowed) => target.startsWith(`${SOURCE}/${allowed}/`))) return true;
  return isTypeOnly && (rule.types ?? []).includes(target);
}

describe('who may import whom', () => {
  const imports = files(SOURCE).flatMap(importsOf);

  it('finds imports to judge', () => {
    expect(imports.length).toBeGreaterThan(200);
  });

  it('follows the table of the house', () => {
    const broken = imports.filter((one) => !isAllowed(one)).map(({ file, target }) => `${file} -> ${target}`);
    expect(broken).toEqual([]);
  });

  it.each([
    ['src/signals/rules/x.ts', 'src/sources/collect.ts', false],
    ['src/signals/rules/x.ts', 'src/sources/snapshot.ts', false],
    ['src/sources/x.ts', 'src/signals/registry.ts', true],
    ['src/stats/x.ts', 'src/foreign/json.ts', true],
    ['src/reactor/x.ts', 'src/runtime/tick.ts', true],
    ['src/rx/x.ts', 'src/reactor/perform-tick.ts', true],
  ])('refuses %s -> %s', (file, target, isTypeOnly) => {
    expect(isAllowed({ file, target, isTypeOnly })).toBe(false);
  });

  it.each([
    ['src/signals/rules/x.ts', 'src/sources/snapshot.ts', true],
    ['src/rx/findings/x.ts', 'src/reactor/findings/read-findings.ts', false],
    ['src/reactor/x.ts', 'src/decision/ladder/decide.ts', false],
  ])('allows %s -> %s', (file, target, isTypeOnly) => {
    expect(isAllowed({ file, target, isTypeOnly })).toBe(true);
  });
});
