import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

export const CLI = resolve('dist/cli.js');
const PEAK = fileURLToPath(new URL('./peak.cjs', import.meta.url));

/** Without what would change a tick's decisions, call a model, or make Node refuse compiled code. */
const FOREIGN =
  /^(?:ROBUSTNESS_|INFERENCE_OPTIMIZER_|SESSION_DIR$|OPENAI_|ANTHROPIC_|LLM_|DEEPSEEK_|CLAUDE_|NODE_OPTIONS$)/;
const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !FOREIGN.test(name)));

/** True when every start of Node reads a file of certificates first, which takes longer than the rest of its start. */
export const readsCertificates = (env['NODE_EXTRA_CA_CERTS'] ?? '') !== '';

/** Lets the processes to come start without reading certificates. */
export function spareCertificates() {
  delete env['NODE_EXTRA_CA_CERTS'];
}

/** Wall time of a Node process from its start until it is gone, ms; throws when it fails. */
export function wallMs(args) {
  const start = process.hrtime.bigint();
  const { status, stderr } = spawnSync(process.execPath, args, { env, stdio: ['ignore', 'ignore', 'pipe'] });
  const ms = Number(process.hrtime.bigint() - start) / 1e6;
  if (status !== 0) throw new Error(`node ${args.join(' ')} ended with ${status}: ${stderr}`);
  return ms;
}

/** What a Node process writes on standard error. */
export function stderrOf(args) {
  const { status, stderr } = spawnSync(process.execPath, args, { env, stdio: ['ignore', 'ignore', 'pipe'] });
  if (status !== 0) throw new Error(`node ${args.join(' ')} ended with ${status}: ${stderr}`);
  return stderr.toString();
}

/** Peak resident memory of a Node process, MiB. */
export function peakMib(args) {
  const [, kib] = /PEAK (\d+)/.exec(stderrOf(['--require', PEAK, ...args])) ?? [];
  if (kib === undefined) throw new Error('the process did not tell its peak memory');
  return Number(kib) / 1024;
}

/** Runs the work with a directory that is gone afterwards. */
export async function inTempDir(work) {
  const directory = mkdtempSync(join(tmpdir(), 'robustness-bench-'));
  const drop = () => rmSync(directory, { recursive: true, force: true });
  process.once('exit', drop);
  try {
    return await work(directory);
  } finally {
    drop();
    process.off('exit', drop);
  }
}

/** Arguments of a tick on a session directory; its request is written beside it. */
export function tickArgs(sessionDir, { name = 'request', prompt = QUIET_PROMPT, ...options } = {}) {
  const request = `${sessionDir}.${name}.json`;
  writeFileSync(request, JSON.stringify(tickRequest(sessionDir, prompt, options)));
  return [CLI, 'tick', '--request', request, '--out', `${sessionDir}.${name}.emit.json`];
}

export const QUIET_PROMPT = '=== Shared session state ===\ncrash_count=0\ntick=4\n';

export function tickRequest(sessionDir, prompt, options) {
  return {
    kind: 'coordinator_inbox',
    session_id: 'bench',
    raw_prompt: prompt,
    context: { tick_index: 3 },
    options: { session_dir: sessionDir, llm_rca_enabled: false, ...options },
  };
}
