import { rcaFields } from '../../decision/rca/config.js';
import { chooseEngine } from '../../decision/rca/engine-choice.js';
import { pickFields } from '../../foreign/config-field.js';
import type { AgentConfig } from '../../reactor/config/fields.js';
import type { ExplainFindings } from '../../reactor/rca-port.js';
import { RULES } from '../../signals/registry.js';
import type { Logger } from './logger.js';

export interface RootCause {
  /** Undefined when no model is asked; then an answer is final at once. */
  readonly explain: ExplainFindings | undefined;
  /** Whether a model is asked, which one, and how to turn it off. */
  readonly line: string;
  readonly warnings: readonly string[];
}

/** Root-cause texts as configuration and credentials allow; the libraries are loaded with the first question. */
export function rootCause(config: AgentConfig, env: NodeJS.ProcessEnv, logger: Logger): RootCause {
  const rca = pickFields(rcaFields, config);
  const { kind, line, warnings } = chooseEngine(rca, env);
  if (kind === 'off') return { explain: undefined, line, warnings };
  const explain: ExplainFindings = async (findings, slots, limit, keys) => {
    const [{ createRcaStep }, { ruleVocabulary }] = await Promise.all([
      import('../../decision/rca/step.js'),
      import('../../decision/rca/rule-vocabulary.js'),
    ]);
    const log = {
      info: (fields: object, message: string) => logger.info(message, { ...fields }),
      warn: (fields: object, message: string) => logger.warn(message, { ...fields }),
    };
    return createRcaStep({ config: rca, env, vocabulary: ruleVocabulary(RULES), log })(
      findings,
      slots,
      limit,
      keys,
    );
  };
  return { explain, line, warnings };
}
