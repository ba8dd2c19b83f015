import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findExecutable } from '../../sources/tools/find-executable.js';

/** What the Coordinator runs, with the bridge as its working directory (spec 01 §1.10). */
export const BRIDGE_MODULE = 'hyperloom.agents.robustness.runtime.cli';
/** The file that makes a directory an agent root for the Coordinator. */
export const ROOT_MARKER = join('runtime', 'cli.py');
/** As long as the Coordinator's own check may take, ms. */
const PROBE_TIMEOUT_MS = 90_000;

type Environment = Readonly<Record<string, string | undefined>>;

/** The bridge of this installation; undefined when the package is incomplete. */
export function bridgeDirectory(): string | undefined {
  let directory = dirname(fileURLToPath(import.meta.url));
  while (dirname(directory) !== directory) {
    directory = dirname(directory);
    const bridge = join(directory, 'bridge');
    if (existsSync(join(bridge, ROOT_MARKER))) return bridge;
  }
  return undefined;
}

/** Whether Python is told to ignore the working directory, and with it a bridge that is only that. */
export function isSafePath(env: Environment): boolean {
  return (env['PYTHONSAFEPATH'] ?? '') !== '';
}

export type BridgeProbe =
  | { readonly kind: 'works'; readonly python: string }
  | { readonly kind: 'broken'; readonly python: string; readonly reason: string }
  | { readonly kind: 'no_python'; readonly wanted: string };

/** Asks the bridge for help, as the Coordinator does before its first turn. */
export function probeBridge(bridge: string, env: Environment, wanted = 'python3'): Promise<BridgeProbe> {
  const python = findExecutable(wanted, env['PATH']);
  if (python === null) return Promise.resolve({ kind: 'no_python', wanted });
  return new Promise((resolve) => {
    const options = { cwd: bridge, env: { ...env }, timeout: PROBE_TIMEOUT_MS };
    execFile(python, ['-m', BRIDGE_MODULE, '--help'], options, (error, stdout, stderr) => {
      const [reason = ''] = stderr
        .trim()
        .split('\n')
        .slice(isTraceback(stderr) ? -1 : 0);
      if (error !== null) resolve({ kind: 'broken', python, reason: reason || error.message });
      else if (/^usage: robustness-agent\b/.test(stdout) && /\btick\b/.test(stdout))
        resolve({ kind: 'works', python });
      else resolve({ kind: 'broken', python, reason: `another program answers to ${BRIDGE_MODULE}` });
    });
  });
}

function isTraceback(stderr: string): boolean {
  return stderr.startsWith('Traceback');
}
