import { redactorFor } from '../../foreign/redact.js';
import type { LoopOptions } from '../../investigate/loop/converse.js';
import type { Question } from '../../investigate/question.js';
import type { TapeFacts } from '../../investigate/replay/run-tape.js';
import { type PromptInUse, promptInUse } from '../selfedit/prompt-in-use.js';
import { builtInLine } from '../selfedit/prompt-of-config.js';
import type { InvestigateSettings } from './settings.js';

/** The prompt of an investigation as promotions have it (spec 08 §21); null: the built-in one, and no traces. */
export function investigatePrompt(
  { selfedit }: Pick<InvestigateSettings, 'selfedit'>,
  sessionId: string | null,
  env: NodeJS.ProcessEnv,
): PromptInUse | null {
  if (selfedit === null) return null;
  return promptInUse('investigate', { ...selfedit, sessionId, redact: redactorFor(env) });
}

/** What a conversation takes from a prompt: its text, and that it is noted at the end. A replay has the recorded text. */
export function promptPort(
  prompt: PromptInUse | null,
  replayed: TapeFacts | undefined,
  { text, symptom }: Question,
  investigationId: string,
): Pick<LoopOptions, 'duties' | 'onEnd'> {
  const duties = replayed === undefined ? prompt?.promoted : replayed['duties'];
  return {
    ...(typeof duties === 'string' && { duties }),
    ...(prompt !== null && {
      onEnd: ({ inputTokens, outputTokens, receipts, ...summary }) =>
        void prompt.note({
          task: symptom ?? text.slice(0, 200),
          input: summary.question,
          output: summary.answer,
          error: summary.error,
          model: summary.model,
          usage: { inputTokens, outputTokens, cacheCreationInputTokens: 0, cacheReadInputTokens: 0 },
          steps: receipts.map((receipt) => ({ ...receipt })),
          metadata: { investigation_id: investigationId, supported_band: summary.supportedBand },
        }),
    }),
  };
}

/** Why the promoted text is not used, as a warning of the result. */
export function promptWarnings(prompt: PromptInUse | null): string[] {
  return prompt?.problem === undefined ? [] : [builtInLine('investigate', prompt.problem)];
}
