import { isObject, parseJson } from '../../foreign/json.js';
import { runTool } from '../tools/run-tool.js';
import type { Stop } from '../tools/stop.js';

/** How a path answered: by itself, or not in time. */
export type MountAnswer =
  | { readonly kind: 'answered'; readonly error: string | null; readonly latencyMs: number }
  /** `pid` is that of the child that hangs, perhaps for ever. */
  | { readonly kind: 'hung'; readonly pid: number }
  | { readonly kind: 'failed'; readonly detail: string };

/**
 * Reads one directory entry, or looks at the file, and says how long that took. Attributes are cached by network file
 * systems, directories have to be asked for.
 */
const SCRIPT = `
const fs = require('node:fs');
const path = process.argv[1];
const started = process.hrtime.bigint();
let code = null;
try {
  if (fs.statSync(path).isDirectory()) {
    const directory = fs.opendirSync(path);
    directory.readSync();
    directory.closeSync();
  }
} catch (error) {
  code = String(error.code);
}
const ms = Number(process.hrtime.bigint() - started) / 1e6;
process.stdout.write(JSON.stringify({ code, ms }));
`;

/**
 * Asks a path in a child process, because a call on a dead mount never returns and takes its process with it
 * (spec 02 §10.7).
 */
export async function probeMount(
  path: string,
  options: { readonly timeoutMs: number; readonly signal: Stop; readonly env: NodeJS.ProcessEnv },
): Promise<MountAnswer> {
  const { timeoutMs, signal, env } = options;
  const args = ['-e', SCRIPT, '--', path];
  const outcome = await runTool({ executable: process.execPath, args, env, timeoutMs, signal });
  if (outcome.kind === 'timeout') return { kind: 'hung', pid: outcome.pid };
  if (outcome.kind !== 'exited') return { kind: 'failed', detail: outcome.kind };
  const parsed = parseJson(outcome.stdout);
  if (!parsed.ok || !isObject(parsed.value) || typeof parsed.value['ms'] !== 'number') {
    return { kind: 'failed', detail: `the child ended with ${outcome.code ?? outcome.signal}` };
  }
  const { code, ms } = parsed.value;
  return { kind: 'answered', error: typeof code === 'string' ? errorText(code) : null, latencyMs: ms };
}

/** The texts of spec 02 §5.18. */
function errorText(code: string): string {
  if (code === 'ENOENT') return 'not_found';
  if (code === 'EACCES' || code === 'EPERM') return `permission: ${code}`;
  return `oserror: OSError: ${code.slice(0, 40)}`;
}
