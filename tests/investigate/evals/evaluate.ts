import { modelContinuation } from '../../../src/investigate/loop/open-model.js';
import { type ConfidenceLevel, rankOf } from '../../../src/investigate/model/confidence.js';
import type { HealResult } from '../../../src/investigate/model/heal-result.js';
import { referenceBand, referenceSignals } from '../../../src/investigate/policy/reference.js';
import { investigate } from '../../../src/investigate/run.js';
import type { ChatModel } from '../../../src/llm/chat.js';
import { CASES, type ExpectedCase, loadCase } from '../fakes/corpus.js';
import { openWorld, setupOf } from '../fakes/run-case.js';

/** One case, answered once and judged part by part (spec 07 B16.8). */
export interface EvalRow {
  readonly name: string;
  readonly mode: HealResult['mode'];
  /** Null where the recording holds no evidence to be right with: the honest answer is unknown. */
  readonly typeRight: boolean | null;
  readonly subjectRight: boolean | null;
  readonly anchorRight: boolean | null;
  readonly level: ConfidenceLevel;
  readonly confidence: number;
  readonly maxBand: ConfidenceLevel;
  /** What the reference's policy allows on its own receipts for a known type. */
  readonly referenceBand: ConfidenceLevel;
  readonly calls: number;
  readonly tokens: number;
  readonly seconds: number;
}

export interface EvalSummary {
  readonly typeAccuracy: number;
  readonly subjectAccuracy: number;
  readonly anchorAccuracy: number;
  readonly atHigh: number;
  /** Right answers among those at HIGH; 1 when there is none. */
  readonly precisionAtHigh: number;
  /** Answers above the highest honest band. */
  readonly overclaims: number;
  /** Right answers at MEDIUM or above among those that could get there. */
  readonly coverageAtMedium: number;
  /** Mean squared distance of confidence from right (1) and wrong (0). */
  readonly brier: number;
  /** Cases on which the reference's policy allows more than the evidence does. */
  readonly referenceOverclaims: number;
}

/** Runs every recorded case over the fakes; with a model where one is given. */
export async function evaluate(model: ChatModel | null = null): Promise<EvalRow[]> {
  const rows: EvalRow[] = [];
  for (const name of CASES) {
    const world = await openWorld(name, true);
    try {
      const begun = performance.now();
      const setup = setupOf(world);
      const { signal } = new AbortController();
      const result = await investigate(
        model === null
          ? setup
          : { ...setup, continueWithModel: modelContinuation({ model, config: world.config, signal }) },
      );
      rows.push(rowOf(name, result, world.expected, (performance.now() - begun) / 1000));
    } finally {
      await world.close();
    }
  }
  return rows;
}

function rowOf(name: string, result: HealResult, expected: ExpectedCase, seconds: number): EvalRow {
  const { root_cause: cause, budget } = result;
  const { expected: wanted, max_band_any_mode: maxBand, deterministic } = expected;
  const isAnswerable = deterministic.with_source.error_type !== 'unknown';
  const saysUnknown = cause.error_type === 'unknown';
  const right = (test: boolean): boolean | null => (isAnswerable ? test : saysUnknown ? null : false);
  const receipts = loadCase(name).calls.map(({ reference_receipt: receipt }) => receipt);
  return {
    name,
    mode: result.mode,
    typeRight: right(wanted.acceptable_error_types.includes(cause.error_type)),
    subjectRight: right(cause.subject === `service:${wanted.service}`),
    anchorRight: cause.file_path === null ? null : cause.file_path.includes(wanted.file_substring),
    level: cause.confidence_level,
    confidence: cause.confidence,
    maxBand,
    referenceBand: referenceBand('runtime_error', referenceSignals(receipts), false),
    calls: budget.tool_calls,
    tokens: budget.input_tokens + budget.output_tokens,
    seconds,
  };
}

export function summarise(rows: readonly EvalRow[]): EvalSummary {
  const isRight = ({ typeRight, subjectRight }: EvalRow): boolean =>
    typeRight !== false && subjectRight !== false;
  const high = rows.filter(({ level }) => level === 'high');
  const reachable = rows.filter(({ maxBand }) => maxBand !== 'low');
  const reached = reachable.filter((row) => row.level !== 'low' && isRight(row));
  const errors = rows.map((row) => {
    const told = row.typeRight === null ? 1 - row.confidence : row.confidence;
    return (told - (isRight(row) ? 1 : 0)) ** 2;
  });
  return {
    typeAccuracy: share(rows.map(({ typeRight }) => typeRight)),
    subjectAccuracy: share(rows.map(({ subjectRight }) => subjectRight)),
    anchorAccuracy: share(rows.map(({ anchorRight }) => anchorRight)),
    atHigh: high.length,
    precisionAtHigh: high.length === 0 ? 1 : high.filter(isRight).length / high.length,
    overclaims: rows.filter(({ level, maxBand }) => rankOf(level) > rankOf(maxBand)).length,
    coverageAtMedium: reachable.length === 0 ? 1 : reached.length / reachable.length,
    brier: errors.reduce((sum, error) => sum + error, 0) / Math.max(1, errors.length),
    referenceOverclaims: rows.filter((row) => rankOf(row.referenceBand) > rankOf(row.maxBand)).length,
  };
}

/** Share of the judged ones that are right; what cannot be judged counts neither way. */
function share(verdicts: readonly (boolean | null)[]): number {
  const judged = verdicts.filter((verdict) => verdict !== null);
  return judged.length === 0 ? 1 : judged.filter(Boolean).length / judged.length;
}
