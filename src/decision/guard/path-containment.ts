import { isAbsolute, relative, resolve, sep } from 'node:path';
import type { Json, JsonObject } from '../../foreign/json.js';
import { lazy } from '../../foreign/lazy.js';
import type { Intent } from '../intents.js';

/** Keys whose values must lie in the session directory (spec 01 §4.2). */
const sessionPathKeys = lazy(
  (): ReadonlySet<string> =>
    new Set(
      `trace_input candidates_path patch_path target_file resolved_patch_targets config_path output_dir workspace
      workspace_path trace_dir main_trace_path report_path json_path md_path session_dir backup_root manifest_path`.split(
        /\s+/,
      ),
    ),
);

/** Keys whose values must lie in the session directory or a trusted source root; we know no such root. */
const SOURCE_PATH_KEYS: ReadonlySet<string> = new Set(['source_file', 'framework_source_root']);

/** Words that say that there is no source file. */
const NO_SOURCE: ReadonlySet<string> = new Set([
  'not found',
  'none',
  'n/a',
  'null',
  'unknown',
  'unresolved',
  'missing',
  'tbd',
  '<unresolved>',
  'aiter (vendor)',
  'triton (vendor)',
]);

export type PathRule = 'path_outside_session_dir' | 'source_file_outside_trusted_scope';

const SUFFIX = '_external';
const MAX_DEPTH = 64;

/** The rule of the host that a string under this key breaks, if any; the host does not resolve relative paths against us. */
function brokenRule(key: string, value: string, sessionDir: string): PathRule | undefined {
  const isSource = SOURCE_PATH_KEYS.has(key);
  if (!isSource && !sessionPathKeys().has(key)) return undefined;
  if (value.trim() === '' || (isSource && NO_SOURCE.has(value))) return undefined;
  if (isInside(value, sessionDir)) return undefined;
  return isSource ? 'source_file_outside_trusted_scope' : 'path_outside_session_dir';
}

function isInside(path: string, directory: string): boolean {
  if (!isAbsolute(path) || !isAbsolute(directory)) return false;
  const steps = relative(resolve(directory), resolve(path));
  return steps === '' || !(steps === '..' || steps.startsWith(`..${sep}`) || isAbsolute(steps));
}

/** The first path in the payload for which the host would deny the whole intent (spec 01 §4.2). */
export function escapingPath(
  payload: JsonObject,
  sessionDir: string,
): { key: string; rule: PathRule } | undefined {
  return findIn(payload, '', sessionDir, 0);
}

function findIn(
  value: Json | undefined,
  key: string,
  sessionDir: string,
  depth: number,
): { key: string; rule: PathRule } | undefined {
  if (typeof value === 'string') {
    const rule = brokenRule(key, value, sessionDir);
    return rule === undefined ? undefined : { key, rule };
  }
  if (typeof value !== 'object' || value === null || depth > MAX_DEPTH) return undefined;
  const parts: readonly (readonly [string, Json | undefined])[] = isList(value)
    ? value.map((item) => [key, item] as const)
    : Object.entries(value);
  for (const [name, item] of parts) {
    const found = findIn(item, name, sessionDir, depth + 1);
    if (found !== undefined) return found;
  }
  return undefined;
}

/**
 * The same intent with every path that the host would deny moved to its key with suffix `_external`, so that one such path
 * cannot silence the alert (spec 01 §4.2). A list moves as a whole.
 */
export function moveExternalPaths(intent: Intent, sessionDir: string): Intent {
  if (escapingPath(intent.payload, sessionDir) === undefined) return intent;
  return { ...intent, payload: movedInObject(intent.payload, sessionDir, 0) };
}

function movedInObject(value: JsonObject, sessionDir: string, depth: number): JsonObject {
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => {
      const escapes = ownStrings(item, 0).some((text) => brokenRule(key, text, sessionDir) !== undefined);
      return [escapes ? key + SUFFIX : key, moved(item, sessionDir, depth + 1)];
    }),
  );
}

function moved(value: Json | undefined, sessionDir: string, depth: number): Json | undefined {
  if (typeof value !== 'object' || value === null || depth > MAX_DEPTH) return value;
  if (isList(value)) return value.map((item) => moved(item, sessionDir, depth + 1) ?? null);
  return movedInObject(value, sessionDir, depth);
}

/** Strings for which the value's key is the nearest one: itself, or the items of (nested) lists. */
function ownStrings(value: Json | undefined, depth: number): string[] {
  if (typeof value === 'string') return [value];
  if (value === null || !isList(value) || depth > MAX_DEPTH) return [];
  return value.flatMap((item) => ownStrings(item, depth + 1));
}

function isList(value: Json | undefined): value is readonly Json[] {
  return Array.isArray(value);
}
