import { isKilled } from '../../decision/rca/engine-choice.js';
import { redactorFor } from '../../foreign/redact.js';
import { createBudget } from '../../llm/budget.js';
import type { ChatModel } from '../../llm/chat.js';
import { createChatModel } from '../../llm/chat-model.js';
import { discoverCredentials } from '../../llm/credentials.js';
import { deadlineIn } from '../../llm/deadline.js';
import { checkEndpoint } from '../../llm/endpoint.js';
import type { Incident } from '../../rx/incidents/incident.js';
import { proposeHeuristic } from '../../rx/proposer/heuristic.js';
import { type AskModel, modelProposer } from '../../rx/proposer/model-proposer.js';
import type { Propose } from '../../rx/types.js';
import type { CommandIo } from '../shared/command.js';

/** A proposer and what it leaves behind. */
export interface ChosenProposer {
  readonly propose: Propose<Incident>;
  /** Why the heuristic stood in for the model, once per reason; grows while the run goes on. */
  readonly notes: readonly string[];
  close(): Promise<void>;
}

const QUESTION_MS = 30_000;
const MAX_REQUESTS = 60;

/** The heuristic alone. */
export function heuristicProposer(): ChosenProposer {
  return { propose: proposeHeuristic, notes: [], close: async () => {} };
}

/**
 * A model's choice from the catalogue with the heuristic behind it (06 B.4 Product, E.21). Without a usable endpoint, or
 * where the environment forbids calls, the heuristic answers and a note says so.
 */
export function llmProposer(io: Pick<CommandIo, 'env'>): ChosenProposer {
  if (isKilled(io.env)) return standIn('calls to models are turned off by ROBUSTNESS_LLM_RCA_DISABLED');
  const credentials = discoverCredentials(io.env);
  const endpoint = checkEndpoint(credentials);
  if (!endpoint.ok) return standIn(endpoint.problem);
  const budget = createBudget({ maxRequests: MAX_REQUESTS });
  const model = createChatModel({ credentials, env: io.env, redact: redactorFor(io.env), budget });
  const notes: string[] = [];
  const propose = modelProposer({
    ask: asker(model),
    onFallback: (incident, reason) => {
      const note = `The heuristic proposed for ${incident.pattern_id}: ${reason}.`;
      if (!notes.includes(note)) notes.push(note);
    },
  });
  return { propose, notes, close: () => model.close() };
}

function standIn(reason: string): ChosenProposer {
  return { ...heuristicProposer(), notes: [`The heuristic proposed instead of a model: ${reason}.`] };
}

function asker(model: ChatModel): AskModel {
  return async ({ system, user, max_tokens }) => {
    const deadline = deadlineIn(QUESTION_MS);
    const request = {
      system,
      messages: [{ role: 'user', text: user }],
      maxOutputTokens: max_tokens,
      cacheSystem: true,
    } as const;
    const result = await model.complete(request, deadline);
    deadline.clear();
    if (!result.ok) return { ok: false, reason: result.failure.message };
    return { ok: true, text: result.reply.text };
  };
}
