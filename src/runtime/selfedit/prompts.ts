import { ERROR_TYPES } from '../../investigate/model/error-type.js';
import type { Case, PromptId } from '../../selfedit/cases/case.js';
import { caseText } from '../../selfedit/cases/case-text.js';
import { inputValues } from '../../selfedit/cases/parse-case.js';
import { RCA_CLASSES } from '../../selfedit/cases/symptom-classes.js';
import { type LeakCorpus, leakCorpus } from '../../selfedit/guards/leak-lint.js';
import { scoreInvestigate } from '../../selfedit/scorers/investigate.js';
import { scoreProposer } from '../../selfedit/scorers/proposer.js';
import { scoreRca } from '../../selfedit/scorers/rca.js';
import type { Scorer } from '../../selfedit/scorers/scorer.js';
import type { TraceRow } from '../../selfedit/store/trace-store.js';

/** Shorter ids are words of the language. */
const LEAST_ID = 3;

const SCORERS: Readonly<Record<string, Scorer>> = {
  rca: scoreRca,
  investigate: scoreInvestigate,
  rx_proposer: scoreProposer,
};

/** The scorer of a prompt (spec 08 §21). */
export function scorerOf(promptId: string): Scorer {
  return SCORERS[promptId] ?? scoreRca;
}

/** Closed list of classes of a prompt; empty where the cases themselves name them. */
export function classesOf(promptId: string): readonly string[] {
  if (promptId === 'rca') return RCA_CLASSES;
  return promptId === 'investigate' ? ERROR_TYPES : [];
}

/** The text that the agent uses without a registry; from where the agent itself takes it. */
export async function builtInPrompt(promptId: PromptId): Promise<string> {
  if (promptId === 'rx_proposer') return (await import('../../rx/proposer/prompt.js')).RX_PROPOSER_PROMPT;
  if (promptId === 'investigate')
    return (await import('../../investigate/loop/duties.js')).INVESTIGATE_PROMPT;
  const [{ systemPrompt }, { ruleVocabulary }, { RULES }] = await Promise.all([
    import('../../decision/rca/system-prompt.js'),
    import('../../decision/rca/rule-vocabulary.js'),
    import('../../signals/registry.js'),
  ]);
  return systemPrompt(ruleVocabulary(RULES));
}

/**
 * What follows the text of a prompt where it is measured, as what this run has follows it in use; empty where the text is all
 * that is sent.
 */
export async function measuredWith(promptId: PromptId): Promise<string> {
  return promptId === 'investigate' ? (await import('../../investigate/loop/duties.js')).MEASURED_RUN : '';
}

/** What edits may not carry over, from all cases of a prompt and from the traces that the analyzer is shown. */
export async function corpusOf(
  promptId: string,
  cases: readonly Case[],
  traces: readonly Pick<TraceRow, 'session_id' | 'trace_uid' | 'task_input'>[] = [],
): Promise<LeakCorpus> {
  const { RULES } = await import('../../signals/registry.js');
  const { values, keys } = inputValues(cases);
  const classes = [...new Set([...classesOf(promptId), ...cases.map(({ expected }) => expected.class)])];
  const symptoms = RULES.flatMap((rule) => Object.keys(rule.symptoms));
  const actions = cases.flatMap(({ expected }) => [expected.action_id ?? '', ...expected.also_ok]);
  const vocabulary = new Set([...classes, ...symptoms, ...keys, ...actions].filter((name) => name !== ''));
  const ids = [
    ...new Set([
      ...cases.flatMap(({ case_id, group_id }) => [case_id, group_id]),
      ...traces.flatMap(({ trace_uid, session_id }) => [trace_uid, session_id ?? '']),
    ]),
  ].filter((id) => id.length >= LEAST_ID);
  const texts = [...cases.map(caseText), ...traces.map(({ task_input }) => task_input)];
  return leakCorpus(texts, { ids, values, vocabulary, classes });
}
