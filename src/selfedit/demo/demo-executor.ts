import type { CallResult, CallUsage, Executor } from '../executor/executor.js';
import { sha256, uniform } from '../hash.js';
import { DEMO_CLASSES, demoFacts, SKILLS, type Skill } from './demo-cases.js';

/** What a prompt of the demo does to its reader. */
export interface Traits {
  readonly skills: ReadonlySet<Skill>;
  readonly majorityBias: boolean;
  readonly brevity: boolean;
  readonly dropNumbers: boolean;
  readonly budgetBlind: boolean;
}

/** Share of answers drawn anew for each prompt, as sampling would (spec 08 §23). */
export const DEFAULT_CHURN = 0.06;

const NEGATION = /\b(?:not|never|ignore)\b/;
const SKILL_WORDS: Readonly<Record<Skill, readonly [string, string]>> = {
  compare_baseline: ['compare', 'baseline'],
  earliest_event: ['earliest', 'event'],
  rule_out_infra: ['rule', 'infrastructure'],
};

/** The traits of a prompt: a line with both key words of a trait, and no negation, has it. */
export function traitsOf(prompt: string): Traits {
  const lines = prompt
    .toLowerCase()
    .split('\n')
    .filter((line) => !NEGATION.test(line))
    .map((line) => new Set(line.match(/[a-z]+/g) ?? []));
  const has = (first: string, second: string): boolean =>
    lines.some((words) => words.has(first) && words.has(second));
  return {
    skills: new Set(SKILLS.filter((skill) => has(...SKILL_WORDS[skill]))),
    majorityBias: has('prefer', 'leak'),
    brevity: has('omit', 'evidence'),
    dropNumbers: has('without', 'numbers'),
    budgetBlind: has('budget', 'irrelevant'),
  };
}

/** Chance that a prompt with these traits answers a case rightly (spec 08 §23). */
export function chanceOf(traits: Traits, caseId: string): number {
  const { classIndex, difficulty, needs } = demoFacts(caseId);
  const missing = needs.filter((skill) => !traits.skills.has(skill)).length;
  const bias = traits.majorityBias ? (classIndex === 0 ? 1.5 : -0.8) : 0;
  const x =
    1.6 -
    1.2 * difficulty -
    2.4 * missing +
    bias -
    (traits.brevity ? 0.9 : 0) -
    (traits.dropNumbers ? 0.6 : 0) -
    (traits.budgetBlind && classIndex === 6 ? 3 : 0);
  return 1 / (1 + Math.exp(-x));
}

/** A simulated model whose answers depend on the words of the prompt; equal arguments give equal answers. */
export function demoExecutor(seed: number, churn = DEFAULT_CHURN): Executor {
  const prompts = new Map<string, { traits: Traits; key: string; ids: ReadonlySet<string> }>();
  const luck = new Map<string, number>();
  const readPrompt = (prompt: string) => {
    const known = prompts.get(prompt);
    if (known !== undefined) return known;
    const read = {
      traits: traitsOf(prompt),
      key: sha256(prompt).slice(0, 16),
      ids: new Set(prompt.match(/\bc\d{3}\b/g) ?? []),
    };
    prompts.set(prompt, read);
    return read;
  };
  const luckOf = (caseId: string): number => {
    const known = luck.get(caseId) ?? uniform(`u|${seed}|${caseId}`);
    luck.set(caseId, known);
    return known;
  };
  return {
    model: 'demo',
    fingerprint: 'demo',
    isDeterministic: true,
    worstCaseUsd: () => 0,
    likelyUsd: () => 0,
    async answer(prompt, { case_id: id }, replicate): Promise<CallResult> {
      const { traits, key, ids } = readPrompt(prompt);
      const drawn = `${seed}|${id}|${key}|${replicate}`;
      const u = churn > 0 && uniform(`churn|${drawn}`) < churn ? uniform(`u2|${drawn}`) : luckOf(id);
      const { classIndex, wrongClass } = demoFacts(id);
      const isRight = ids.has(id) || u < chanceOf(traits, id);
      return { ok: true, text: `cause: ${isRight ? DEMO_CLASSES[classIndex] : wrongClass}`, usage: FREE };
    },
  };
}

const FREE: CallUsage = {
  calls: 1,
  inputTokens: 0,
  outputTokens: 0,
  usd: 0,
  estimated: false,
  latencyMs: 0,
};
