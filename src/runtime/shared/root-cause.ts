import { rcaFields } from '../../decision/rca/config.js';
import { chooseEngine } from '../../decision/rca/engine-choice.js';
import { pickFields } from '../../foreign/config-field.js';
import { isObject, type Json } from '../../foreign/json.js';
import { redactorFor } from '../../foreign/redact.js';
import type { AgentConfig } from '../../reactor/config/fields.js';
import type { ExplainFindings } from '../../reactor/rca-port.js';
import { RULES } from '../../signals/registry.js';
import type { PromptInUse } from '../selfedit/prompt-in-use.js';
import type { Logger } from './logger.js';
import { SELFEDIT_SLOT, saidOnce } from './said-once.js';
import { stateDirOf } from './state-dir.js';

export interface RootCauseSetup {
  readonly config: AgentConfig;
  readonly env: NodeJS.ProcessEnv;
  readonly cwd: string;
  readonly sessionId: string;
  /** The section `selfedit` of the configuration file. */
  readonly selfedit: Json | undefined;
  readonly logger: Logger;
}

export interface RootCause {
  /** Undefined when no model is asked; then an answer is final at once. */
  readonly explain: ExplainFindings | undefined;
  /** Whether a model is asked, which one, and how to turn it off. */
  readonly line: string;
  readonly warnings: readonly string[];
  /** Stores traces of the calls, when `selfedit.enabled` wants them; called once everything else is done. Never throws. */
  afterwards(): Promise<void>;
}

/** Root-cause texts as configuration and credentials allow; the libraries are loaded with the first question. */
export function rootCause(setup: RootCauseSetup): RootCause {
  const { config, env, logger } = setup;
  const rca = pickFields(rcaFields, config);
  const { kind, line, warnings } = chooseEngine(rca, env);
  const nothing = async (): Promise<void> => undefined;
  if (kind === 'off') return { explain: undefined, line, warnings, afterwards: nothing };
  let inUse: PromptInUse | null = null;
  const explain: ExplainFindings = async (findings, slots, limit, keys) => {
    const [{ createRcaStep }, { ruleVocabulary }] = await Promise.all([
      import('../../decision/rca/step.js'),
      import('../../decision/rca/rule-vocabulary.js'),
    ]);
    const log = {
      info: (fields: object, message: string) => logger.info(message, { ...fields }),
      warn: (fields: object, message: string) => logger.warn(message, { ...fields }),
    };
    const used = await promotedPrompt(setup).catch((error: unknown) => {
      // Our own prompts getting better is worth no lost explanation.
      logger.warn('promoted prompts cannot be used', { reason: String(error) });
      return null;
    });
    inUse = used;
    const step = createRcaStep({
      config: rca,
      env,
      vocabulary: ruleVocabulary(RULES),
      log,
      ...(used !== null && {
        ...(used.promoted !== null && { system: used.promoted }),
        onCall: ({ symptom, model, user, result }) =>
          void used.note({
            task: symptom,
            input: user,
            output: result.ok ? result.reply.text : '',
            error: result.ok ? null : result.failure.reason,
            model,
            usage: result.ok ? result.reply.usage : undefined,
            latencyMs: result.latencyMs,
          }),
      }),
    });
    const result = await step(findings, slots, limit, keys);
    if (used === null) return result;
    const { slot, warning } = saidOnce(slots, 'rca', used.problem);
    return {
      ...result,
      slots: { ...result.slots, ...(slot && { [SELFEDIT_SLOT]: slot }) },
      warnings: [...result.warnings, ...(warning === undefined ? [] : [warning])],
    };
  };
  const afterwards = async (): Promise<void> => {
    const outcome = await inUse?.flush();
    inUse = null;
    if (outcome?.problem !== undefined) {
      logger.warn('traces of this tick are lost', { lost: outcome.dropped, reason: outcome.problem });
    }
  };
  return { explain, line, warnings, afterwards };
}

/** The prompt that promotions have chosen; null where `selfedit.enabled` is not true, and then no file is touched. */
async function promotedPrompt(setup: RootCauseSetup): Promise<PromptInUse | null> {
  const { config, env, cwd, sessionId, selfedit } = setup;
  if (!isObject(selfedit) || selfedit['enabled'] !== true) return null;
  const { promptInUse } = await import('../selfedit/prompt-in-use.js');
  const stateDir = stateDirOf(config, { env, cwd });
  return promptInUse('rca', { section: selfedit, stateDir, sessionId, redact: redactorFor(env) });
}
