import { isAbsolute, resolve } from 'node:path';
import { realOr } from '../session/workspace.js';
import { isInside } from '../tools/paths.js';

/** How it was decided whose a process is (spec 02 §10.4). */
export type OwnedBy = 'cwd' | 'argument' | 'environment' | 'ancestor' | 'pid_file' | '';

export interface Ownership {
  /** Null = unknown. */
  readonly owned: boolean | null;
  readonly by: OwnedBy;
  /** Another session that the process names as its own. */
  readonly otherSession: string | null;
}

/** Names that the launcher of a session pins; no other variable is looked at. */
export const SESSION_VARIABLES = [
  'INFERENCE_OPTIMIZER_CURRENT_SESSION_DIR',
  'SERVER_LOG',
  'RESULT_DIR',
  'EVAL_RESULT_DIR',
  'GPU_METRICS_CSV',
] as const;

/** Arguments longer than this are code, not paths. */
const MAX_PATH = 4096;
const UNDECIDED: Ownership = { owned: null, by: '', otherSession: null };

/** The session in every form that its path may take. */
export interface SessionAnchor {
  readonly roots: readonly string[];
  readonly workspace: string | null;
}

/** The anchor of a session; links of the session directory are resolved once. */
export function anchorOf(sessionDir: string, workspace: string | null): SessionAnchor {
  const roots = [...new Set([resolve(sessionDir), realOr(sessionDir)])].filter((root) => root !== '/');
  return { roots, workspace };
}

/** What a process says about itself: where it works, what it was told, what it was started with. */
export function ownershipByItself(
  anchor: SessionAnchor,
  cwd: string,
  argv: readonly string[],
  variables: () => ReadonlyMap<string, string> | null,
): Ownership {
  const inSession = (path: string) => anchor.roots.some((root) => isInside(path, root));
  if (cwd !== '' && inSession(cwd)) return { owned: true, by: 'cwd', otherSession: null };
  if (argv.some((argument) => pathsIn(argument, cwd).some(inSession))) {
    return { owned: true, by: 'argument', otherSession: null };
  }
  return byEnvironment(anchor, variables(), inSession);
}

function byEnvironment(
  anchor: SessionAnchor,
  variables: ReadonlyMap<string, string> | null,
  inSession: (path: string) => boolean,
): Ownership {
  if (variables === null) return UNDECIDED;
  const paths = [...variables].filter(([, value]) => isAbsolute(value));
  if (paths.some(([, value]) => inSession(value)))
    return { owned: true, by: 'environment', otherSession: null };
  const named = variables.get('INFERENCE_OPTIMIZER_CURRENT_SESSION_DIR')?.trim() ?? '';
  if (isAbsolute(named)) return { owned: false, by: 'environment', otherSession: resolve(named) };
  // The other names mean something in other programs too; only beside our session do they name a sibling.
  const { workspace } = anchor;
  const isSibling = workspace !== null && paths.some(([, value]) => isInside(value, workspace));
  return isSibling ? { owned: false, by: 'environment', otherSession: null } : UNDECIDED;
}

/** The paths that an argument may stand for: itself and every part between its `=` signs, without quotes. */
function pathsIn(argument: string, cwd: string): string[] {
  if (argument.length > MAX_PATH || !argument.includes('/')) return [];
  const parts = argument.includes('=') ? [argument, ...argument.split('=')] : [argument];
  return parts.flatMap((part) => {
    const path = part.replace(/^["']|["']$/g, '');
    if (path === '' || path.startsWith('-') || !path.includes('/')) return [];
    if (isAbsolute(path)) return [resolve(path)];
    return cwd === '' ? [] : [resolve(cwd, path)];
  });
}
