import type { Case } from '../../selfedit/cases/case.js';
import { caseText } from '../../selfedit/cases/case-text.js';
import { inputValues } from '../../selfedit/cases/parse-case.js';
import { RCA_CLASSES } from '../../selfedit/cases/symptom-classes.js';
import { type LeakCorpus, leakCorpus } from '../../selfedit/guards/leak-lint.js';
import { scoreInvestigate } from '../../selfedit/scorers/investigate.js';
import { scoreProposer } from '../../selfedit/scorers/proposer.js';
import { scoreRca } from '../../selfedit/scorers/rca.js';
import type { Scorer } from '../../selfedit/scorers/scorer.js';

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
  return promptId === 'rca' ? RCA_CLASSES : [];
}

/** The text that the agent uses without a registry; null where it is made anew for each investigation. */
export async function builtInPrompt(promptId: string): Promise<string | null> {
  if (promptId === 'rca') {
    const [{ systemPrompt }, { ruleVocabulary }, { RULES }] = await Promise.all([
      import('../../decision/rca/system-prompt.js'),
      import('../../decision/rca/rule-vocabulary.js'),
      import('../../signals/registry.js'),
    ]);
    return systemPrompt(ruleVocabulary(RULES));
  }
  if (promptId === 'rx_proposer') return (await import('../../rx/proposer/prompt.js')).RX_PROPOSER_PROMPT;
  return null;
}

/** What edits may not carry over, from all cases of a prompt. */
export async function corpusOf(promptId: string, cases: readonly Case[]): Promise<LeakCorpus> {
  const { RULES } = await import('../../signals/registry.js');
  const { values, keys } = inputValues(cases);
  const classes = [...new Set([...classesOf(promptId), ...cases.map(({ expected }) => expected.class)])];
  const symptoms = RULES.flatMap((rule) => Object.keys(rule.symptoms));
  const actions = cases.flatMap(({ expected }) => [expected.action_id ?? '', ...expected.also_ok]);
  const vocabulary = new Set([...classes, ...symptoms, ...keys, ...actions].filter((name) => name !== ''));
  const ids = [...new Set(cases.flatMap(({ case_id, group_id }) => [case_id, group_id]))];
  return leakCorpus(cases.map(caseText), { ids, values, vocabulary, classes });
}
