import { randomInt } from 'node:crypto';
import { modelAnalyzer } from '../../selfedit/analyzer/model-analyzer.js';
import type { Executor } from '../../selfedit/executor/executor.js';
import { tailedExecutor } from '../../selfedit/executor/with-tail.js';
import { type Artefacts, NO_ARTEFACTS } from '../../selfedit/loop/artefacts.js';
import type { Failure, LoopParts, LoopProgress } from '../../selfedit/loop/parts.js';
import type { TraceRow } from '../../selfedit/store/trace-store.js';
import type { Models } from './models.js';
import { classesOf, corpusOf, measuredWith, scorerOf } from './prompts.js';
import { casesOf, type Stores, splitCases, type Workspace } from './workspace.js';

/** What a run needs beside workspace and stores. */
export interface Preparation {
  readonly models: Models;
  readonly artefacts?: Artefacts;
  readonly traces?: readonly TraceRow[];
  /** US dollars that may be spent now. */
  readonly remainingUsd: () => number;
  readonly onProgress?: (progress: LoopProgress) => void;
}

/** Puts the parts of the loop together for a real prompt. */
export async function loopParts(
  space: Workspace,
  stores: Stores,
  preparation: Preparation,
): Promise<LoopParts> {
  const { models, artefacts = NO_ARTEFACTS, traces = [], remainingUsd } = preparation;
  const { promptId, registry, config } = space;
  const all = casesOf(space, classesOf(promptId));
  const corpus = await corpusOf(promptId, all, traces);
  return {
    promptId,
    registry,
    runs: stores.runs,
    ledger: stores.ledger,
    reviews: stores.reviews,
    cases: splitCases(all, stores.runs, promptId),
    corpus,
    executor: tailedExecutor(models.executor, await measuredWith(promptId)),
    scorer: scorerOf(promptId),
    drift: models.drift(stores.embeddings),
    judge: models.judge,
    propose: modelAnalyzer({
      role: models.analyzer,
      promptId,
      config,
      classes: corpus.classes,
      remainingUsd,
    }),
    failures: () => traces.map(failureOf),
    config,
    isFree: models.isFree,
    artefacts,
    now: () => Date.now() / 1000,
    onProgress: preparation.onProgress ?? (() => undefined),
  };
}

/** An executor that is never called, for plans: its upper bounds cost nothing. */
export const UNCALLED: Executor = {
  model: 'none',
  fingerprint: 'none',
  isDeterministic: false,
  worstCaseUsd: () => 0,
  likelyUsd: () => 0,
  answer: async () => ({
    ok: false,
    kind: 'bad_request',
    message: 'a plan makes no calls',
    usage: { calls: 0, inputTokens: 0, outputTokens: 0, usd: 0, estimated: false, latencyMs: 0 },
  }),
};

/** The given seed, or a fresh one, which the run records. */
export function seedOf(given: number | undefined): number {
  return given ?? randomInt(2 ** 32);
}

function failureOf(row: TraceRow): Failure {
  return {
    trace_id: row.trace_uid,
    segment: row.segment ?? 'unknown',
    input: row.task_input,
    output: row.final_output,
    expected: row.expected_output ?? '',
    reason: row.failure_reason ?? 'unknown',
    source: 'operator',
  };
}
