import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import type { AgentConfig } from '../../reactor/config/fields.js';
import type { CommandIo } from './command.js';
import { loadConfig } from './load-config.js';

/**
 * Where learning is kept beyond a session: configuration field `state_dir`, else `ROBUSTNESS_STATE_DIR`, else
 * `$XDG_STATE_HOME/robustness-agent`, else `~/.local/state/robustness-agent` (08 §22).
 */
export function stateDir(io: Pick<CommandIo, 'env' | 'cwd'>): string {
  return stateDirOf(loadConfig({ env: io.env, cwd: io.cwd, sessionDir: null }).config, io);
}

/** As {@link stateDir}, for a configuration that is already there. */
export function stateDirOf(config: AgentConfig, io: Pick<CommandIo, 'env' | 'cwd'>): string {
  const named = [config['state_dir'], io.env['ROBUSTNESS_STATE_DIR']].find(isNonBlank);
  if (named !== undefined) return resolve(io.cwd, named);
  const base = io.env['XDG_STATE_HOME'];
  return join(isNonBlank(base) ? base : join(homedir(), '.local', 'state'), 'robustness-agent');
}

function isNonBlank(value: unknown): value is string {
  return typeof value === 'string' && value.trim() !== '';
}
