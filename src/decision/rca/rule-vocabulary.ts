import type { Rule } from '../../signals/rule.js';
import type { VocabularyEntry } from './system-prompt.js';

/** The vocabulary that the system prompt lists: every symptom of every rule, under the name of its rule. */
export function ruleVocabulary(rules: readonly Pick<Rule, 'name' | 'symptoms'>[]): VocabularyEntry[] {
  return rules.flatMap((rule) =>
    Object.entries(rule.symptoms).map(([symptom, { meaning, action }]) => ({
      symptom,
      family: rule.name,
      meaning,
      action,
    })),
  );
}
