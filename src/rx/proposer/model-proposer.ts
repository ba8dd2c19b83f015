import { createHash } from 'node:crypto';
import type { Incident } from '../incidents/incident.js';
import type { Proposal, Propose, ProposeContext } from '../types.js';
import { proposeHeuristic } from './heuristic.js';
import { MAX_REPLY_TOKENS, RX_PROPOSER_PROMPT, userMessage } from './prompt.js';
import { readReply } from './reply.js';

/** One question to a model. */
export interface ModelQuestion {
  readonly system: string;
  readonly user: string;
  readonly max_tokens: number;
}

/** Its answer, or why there is none. Must not throw; time limit, budget and redaction are the asker's. */
export type ModelAnswer =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly reason: string };

export type AskModel = (question: ModelQuestion) => Promise<ModelAnswer>;

export interface ModelProposerOptions {
  readonly ask: AskModel;
  /** The promoted prompt, when there is one. */
  readonly system?: string;
  /** Questions at most; the heuristic answers after them. */
  readonly max_questions?: number;
  /** Told of every question with its answer, for traces (spec 08 §21). */
  readonly onAnswer?: (incident: Incident, question: ModelQuestion, answer: ModelAnswer) => void;
  /** Called when the model was not followed, with the reason. */
  readonly onFallback?: (incident: Incident, reason: string) => void;
}

const MAX_QUESTIONS = 40;

/**
 * Proposes what a model chooses from the catalogue (spec 06 B.4 Product, E.21). An answer is checked against the catalogue and
 * the incident's class and remembered for the same question. When there is no usable answer the heuristic proposes, and
 * `onFallback` is told.
 */
export function modelProposer(options: ModelProposerOptions): Propose<Incident> {
  const { ask, system = RX_PROPOSER_PROMPT, max_questions: limit = MAX_QUESTIONS, onFallback } = options;
  const known = new Map<string, readonly Proposal[]>();
  let asked = 0;
  return async (incident, context) => {
    const user = userMessage(incident, context);
    const signature = createHash('sha256').update(`${incident.key_hash}\n${user}`).digest('hex');
    const remembered = known.get(signature);
    if (remembered !== undefined) return remembered;
    const fallBack = (reason: string): readonly Proposal[] => {
      onFallback?.(incident, reason);
      return proposeHeuristic(incident, context);
    };
    if (asked >= limit) return fallBack(`the limit of ${limit} questions is reached`);
    asked += 1;
    const question = { system, user, max_tokens: MAX_REPLY_TOKENS };
    const answer = await ask(question);
    options.onAnswer?.(incident, question, answer);
    if (!answer.ok) return fallBack(answer.reason);
    const proposals = proposalsOf(answer.text, incident, context, fallBack);
    known.set(signature, proposals);
    return proposals;
  };
}

function proposalsOf(
  text: string,
  incident: Incident,
  context: ProposeContext,
  fallBack: (reason: string) => readonly Proposal[],
): readonly Proposal[] {
  const choice = readReply(text, incident, context.actions);
  if (choice.kind === 'unusable') return fallBack(choice.reason);
  if (choice.kind === 'none') return [];
  return [{ action_id: choice.action_id, rationale: choice.rationale, source: 'llm' }];
}
