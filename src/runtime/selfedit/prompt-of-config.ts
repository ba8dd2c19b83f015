import { isObject } from '../../foreign/json.js';
import type { Redact } from '../../foreign/redact.js';
import type { PromptId } from '../../selfedit/cases/case.js';
import type { CommandIo } from '../shared/command.js';
import type { LoadedConfig } from '../shared/load-config.js';
import { stateDirOf } from '../shared/state-dir.js';
import { type PromptInUse, promptInUse } from './prompt-in-use.js';

/** A prompt as promotions have it; null where `selfedit.enabled` is not true, and then no file is touched. */
export function promptOfConfig(
  promptId: PromptId,
  { config, selfedit }: Pick<LoadedConfig, 'config' | 'selfedit'>,
  io: Pick<CommandIo, 'env' | 'cwd'>,
  about: { readonly sessionId: string | null; readonly redact: Redact },
): PromptInUse | null {
  if (!isObject(selfedit) || selfedit['enabled'] !== true) return null;
  return promptInUse(promptId, { section: selfedit, stateDir: stateDirOf(config, io), ...about });
}

/** What people are told when the promoted text is not used. */
export function builtInLine(promptId: PromptId, problem: string): string {
  return `the built-in prompt ${promptId} is used, not the promoted one: ${problem}`;
}
