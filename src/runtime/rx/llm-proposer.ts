import { randomUUID } from 'node:crypto';
import { isKilled } from '../../decision/rca/engine-choice.js';
import { redactorFor } from '../../foreign/redact.js';
import { createBudget } from '../../llm/budget.js';
import type { ChatModel } from '../../llm/chat.js';
import { createChatModel } from '../../llm/chat-model.js';
import { discoverCredentials } from '../../llm/credentials.js';
import { deadlineIn } from '../../llm/deadline.js';
import { checkEndpoint } from '../../llm/endpoint.js';
import type { Incident } from '../../rx/incidents/incident.js';
import type { Iteration } from '../../rx/loop/run-result.js';
import { proposeHeuristic } from '../../rx/proposer/heuristic.js';
import { type AskModel, modelProposer } from '../../rx/proposer/model-proposer.js';
import type { Propose } from '../../rx/types.js';
import { answerOf } from '../../selfedit/scorers/answer-of.js';
import { builtInLine, promptOfConfig } from '../selfedit/prompt-of-config.js';
import type { CommandIo } from '../shared/command.js';
import { loadConfig } from '../shared/load-config.js';

/** A proposer and what it leaves behind. */
export interface ChosenProposer {
  readonly propose: Propose<Incident>;
  /** Why the heuristic stood in for the model, once per reason; grows while the run goes on. */
  readonly notes: readonly string[];
  /** Told of an attempt whose action helped by the right lever: it names what the question about that incident should have got. */
  accepted(attempt: Pick<Iteration, 'pattern_id' | 'action_id'>): void;
  /** Stores traces of the questions, when `selfedit.enabled` wants them; says what was lost. */
  close(): Promise<string | undefined>;
}

const QUESTION_MS = 30_000;
const MAX_REQUESTS = 60;

/** The heuristic alone. */
export function heuristicProposer(): ChosenProposer {
  return {
    propose: proposeHeuristic,
    notes: [],
    accepted: () => undefined,
    close: async () => undefined,
  };
}

/**
 * A model's choice from the catalogue with the heuristic behind it (06 B.4 Product, E.21). Without a usable endpoint, or
 * where the environment forbids calls, the heuristic answers and a note says so.
 */
export function llmProposer(io: Pick<CommandIo, 'env' | 'cwd'>): ChosenProposer {
  if (isKilled(io.env)) return standIn('calls to models are turned off by ROBUSTNESS_LLM_RCA_DISABLED');
  const credentials = discoverCredentials(io.env);
  const endpoint = checkEndpoint(credentials);
  if (!endpoint.ok) return standIn(endpoint.problem);
  const budget = createBudget({ maxRequests: MAX_REQUESTS });
  const redact = redactorFor(io.env);
  const model = createChatModel({ credentials, env: io.env, redact, budget });
  const loaded = loadConfig({ env: io.env, cwd: io.cwd, sessionDir: null });
  const prompt = promptOfConfig('rx_proposer', loaded, io, { sessionId: `rx-${randomUUID()}`, redact });
  const notes: string[] =
    prompt?.problem === undefined ? [] : [`${builtInLine('rx_proposer', prompt.problem)}.`];
  /** Questions that nothing has answered yet, by incident: trace and what was proposed. */
  const open = new Map<string, [traceUid: string, named: string][]>();
  const propose = modelProposer({
    ask: asker(model),
    ...(typeof prompt?.promoted === 'string' && { system: prompt.promoted }),
    onAnswer: ({ pattern_id }, { user }, answer) => {
      const uid = prompt?.note({
        task: pattern_id,
        input: user,
        output: answer.ok ? answer.text : '',
        error: answer.ok ? null : answer.reason,
        model: model.model,
      });
      if (typeof uid !== 'string' || !answer.ok) return;
      open.set(pattern_id, [...(open.get(pattern_id) ?? []), [uid, answerOf(answer.text)]]);
    },
    onFallback: (incident, reason) => {
      const note = `The heuristic proposed for ${incident.pattern_id}: ${reason}.`;
      if (!notes.includes(note)) notes.push(note);
    },
  });
  return {
    propose,
    notes,
    accepted({ pattern_id, action_id }) {
      for (const [uid, named] of open.get(pattern_id) ?? []) {
        prompt?.label(uid, { expected: action_id, isRight: named === action_id, source: 'rx' });
      }
      open.delete(pattern_id);
    },
    async close() {
      await model.close();
      return (await prompt?.flush())?.problem;
    },
  };
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
