import type { CallResult } from '../executor/executor.js';
import { ProviderOutage } from '../loop/measure.js';
import { mapLimited } from '../loop/pool.js';
import type { RunContext } from '../loop/run-context.js';
import { answerOf } from '../scorers/answer-of.js';
import { breaksContract } from '../scorers/contract.js';
import { cutBytes } from '../store/cut-bytes.js';
import type { ReviewRow } from '../store/review-store.js';
import type { ShadowPair, ShadowStore } from '../store/shadow-store.js';

/** Asks a prompt a question as a session put it; never throws. */
export interface LiveAsker {
  readonly model: string;
  ask(prompt: string, question: string): Promise<CallResult>;
  /** Upper bound of what one question can cost, US dollars. */
  worstCaseUsd(prompt: string, question: string): number;
}

/** What a candidate did in the shadow so far. */
export type ShadowSummary = {
  readonly answers: number;
  readonly failed: number;
  /** Answers without the form that their reader needs. */
  readonly broken: number;
  /** Answers that name the same as the one that was used. */
  readonly same: number;
  /** Inputs whose right answer is known. */
  readonly labelled: number;
  /** Only the candidate named the right answer, and only the current prompt did. */
  readonly wins: number;
  readonly losses: number;
  /** Three of the last twenty answers have not their form. */
  readonly is_unfit: boolean;
};

const LATEST = 20;
const MOST_BROKEN = 3;
const MAX_ANSWER = 8 * 1024;
/** Failures one after another that mean: nobody is there. */
const OUTAGE_AFTER = 8;

/**
 * What the shadow shows, for people. It never promotes: which live inputs get a label depends on how the current prompt
 * answered them, so wins and losses here are no fair draw.
 */
export function shadowSummary(pairs: readonly ShadowPair[]): ShadowSummary {
  const answered = pairs.filter(({ answer }) => answer !== null);
  const labelled = answered.filter(
    ({ expected_output: right, success }) => right !== null && success !== null,
  );
  const isRight = ({ answer, expected_output: right }: ShadowPair): boolean =>
    answerOf(answer ?? '') === right;
  const isSame = ({ answer, final_output: used }: ShadowPair): boolean =>
    used !== null && answerOf(answer ?? '') === answerOf(used);
  return {
    answers: answered.length,
    failed: pairs.length - answered.length,
    broken: answered.filter(({ is_broken }) => is_broken === 1).length,
    same: answered.filter(isSame).length,
    labelled: labelled.length,
    wins: labelled.filter((pair) => isRight(pair) && pair.success === 0).length,
    losses: labelled.filter((pair) => !isRight(pair) && pair.success === 1).length,
    is_unfit: answered.slice(-LATEST).filter(({ is_broken }) => is_broken === 1).length >= MOST_BROKEN,
  };
}

/**
 * Runs a candidate beside the current prompt (spec 08 §24.10): on inputs of sessions that the current version has answered,
 * outside of any tick, and without anybody using its answer.
 *
 * @throws LimitStop when the budget does not cover the calls, ProviderOutage when nobody answers
 */
export async function runShadow(
  context: RunContext,
  { review_id }: ReviewRow,
  candidate: string,
  version: number,
  live: { readonly asker: LiveAsker; readonly store: ShadowStore; readonly redact: (text: string) => string },
): Promise<ShadowSummary> {
  const { asker, store, redact } = live;
  const { promptId, config, runs } = context.parts;
  const inputs = store.unseen(review_id, promptId, version, config.batch_size);
  context.demand(inputs.reduce((sum, { task_input }) => sum + asker.worstCaseUsd(candidate, task_input), 0));
  let failuresInARow = 0;
  await mapLimited(inputs, config.parallelism, async ({ trace_uid, task_input }) => {
    const result = await asker.ask(candidate, task_input);
    const { calls, inputTokens, outputTokens, usd, estimated } = result.usage;
    const tokens = inputTokens + outputTokens;
    runs.together(() => {
      runs.spend(context.settings.runId, {
        role: 'shadow',
        model: asker.model,
        calls,
        tokens,
        usd,
        estimated,
      });
      // What another try may answer is left for another try.
      if (!result.ok && result.kind !== 'bad_request') return;
      store.add(review_id, {
        trace_uid,
        answer: result.ok ? cutBytes(redact(result.text), MAX_ANSWER) : null,
        is_broken: result.ok && breaksContract(promptId, result.text) ? 1 : 0,
        error: result.ok ? null : result.kind,
      });
    });
    failuresInARow = result.ok ? 0 : failuresInARow + 1;
    if (!result.ok && (result.kind === 'auth' || failuresInARow >= OUTAGE_AFTER)) {
      throw new ProviderOutage(result.kind, result.message);
    }
  });
  return shadowSummary(store.pairs(review_id));
}
