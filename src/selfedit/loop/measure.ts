import type { Case } from '../cases/case.js';
import { isAFirst } from '../cases/case-set.js';
import type { ErrorKind } from '../executor/executor.js';
import { sha256 } from '../hash.js';
import type { PairRow, SpendPurpose } from '../store/run-store.js';
import type { LoopParts } from './parts.js';

/** One answer, judged. */
export interface Measured {
  readonly passed: boolean | null;
  readonly score: number | null;
  readonly error: string | null;
  /** In and out. */
  readonly tokens: number;
  readonly outputTokens: number;
  readonly usd: number;
  readonly latencyMs: number;
  readonly output: string;
  readonly outputSha256: string | null;
  readonly faults: readonly string[];
  /** The answer broke the output contract; null without one. */
  readonly violation: boolean | null;
}

/** The provider cannot be used; the run stops where it is and can be resumed. */
export class ProviderOutage extends Error {
  readonly kind: ErrorKind;

  constructor(kind: ErrorKind, message: string) {
    super(message);
    this.name = 'ProviderOutage';
    this.kind = kind;
  }
}

/** Failures one after another, with nothing in between, that mean: nobody is there. */
const OUTAGE_AFTER = 8;

/** Calls prompts on cases, judges the answers and counts what it cost. */
export class Measurer {
  readonly #parts: Pick<LoopParts, 'executor' | 'scorer' | 'runs' | 'artefacts'>;
  readonly #runId: string;
  #failuresInARow = 0;
  #purpose: SpendPurpose = { stage: 'baseline', editId: null };
  #unsaved = { calls: 0, tokens: 0, usd: 0, estimated: false };
  /** Since this process began the run. */
  calls = 0;
  usd = 0;

  constructor(parts: Pick<LoopParts, 'executor' | 'scorer' | 'runs' | 'artefacts'>, runId: string) {
    this.#parts = parts;
    this.#runId = runId;
  }

  /** What the calls from now on are for; those so far are booked for what they were for. */
  begin(stage: string, editId: string | null = null): void {
    this.settle();
    this.#purpose = { stage, editId };
  }

  /** One fresh answer. @throws ProviderOutage */
  async fresh(prompt: string, testCase: Case, replicate: number): Promise<Measured> {
    const { executor, scorer, artefacts } = this.#parts;
    const { stage, editId } = this.#purpose;
    const result = await executor.answer(prompt, testCase, replicate);
    this.#count(result.usage);
    const cost = {
      tokens: result.usage.inputTokens + result.usage.outputTokens,
      outputTokens: result.usage.outputTokens,
      usd: result.usage.usd,
      latencyMs: result.usage.latencyMs,
    };
    const about = () => ({
      role: 'executor',
      model: executor.model,
      stage,
      edit_id: editId,
      prompt_sha256: sha256(prompt),
      case_id: testCase.case_id,
      replicate,
      ...cost,
    });
    if (!result.ok) {
      artefacts.traffic(() => ({ ...about(), error: result.kind, message: result.message }));
      this.#failed(result.kind, result.message);
      return { ...NO_ANSWER, ...cost, error: result.kind };
    }
    this.#failuresInARow = 0;
    const { score, passed, faults, violation } = scorer(testCase, result.text);
    artefacts.traffic(() => ({ ...about(), passed, output: result.text }));
    const outputSha256 = sha256(result.text);
    return { passed, score, error: null, ...cost, output: result.text, outputSha256, faults, violation };
  }

  /** An answer of a provider that is declared deterministic: kept, and not asked for twice. */
  async reusable(prompt: string, promptSha: string, testCase: Case, replicate: number): Promise<Measured> {
    const { executor, runs, scorer } = this.#parts;
    const caseSha = `${testCase.case_id} ${testCase.sha256}`;
    const known = executor.isDeterministic
      ? runs.answer(executor.fingerprint, promptSha, caseSha, replicate)
      : null;
    if (known !== null) {
      // Judged anew: the scorer may have changed since.
      const { score, passed, faults, violation } = scorer(testCase, known.output);
      const { output, output_sha256: outputSha256 } = known;
      return { ...NO_ANSWER, passed, score, output, outputSha256, faults, violation };
    }
    const measured = await this.fresh(prompt, testCase, replicate);
    if (executor.isDeterministic && measured.passed !== null && measured.outputSha256 !== null) {
      runs.addAnswer(executor.fingerprint, promptSha, caseSha, replicate, {
        passed: Number(measured.passed),
        score: measured.score ?? 0,
        output_sha256: measured.outputSha256,
        output: measured.output,
        tokens: measured.tokens,
      });
    }
    return measured;
  }

  /** A pair of answers, the first side by the seed. */
  async pair(
    testCase: Case,
    replicate: number,
    seed: number,
    sideA: () => Promise<Measured>,
    sideB: () => Promise<Measured>,
  ): Promise<PairRow> {
    const aFirst = isAFirst(seed, testCase.case_id, replicate);
    const first = await (aFirst ? sideA() : sideB());
    const second = await (aFirst ? sideB() : sideA());
    const [a, b] = aFirst ? [first, second] : [second, first];
    return {
      case_id: testCase.case_id,
      segment: testCase.segment,
      replicate,
      order_ab: aFirst ? 'ab' : 'ba',
      score_a: a.score,
      score_b: b.score,
      pass_a: a.passed === null ? null : Number(a.passed),
      pass_b: b.passed === null ? null : Number(b.passed),
      error_a: a.error,
      error_b: b.error,
      tokens_a: a.tokens,
      tokens_b: b.tokens,
      cost_a: a.usd,
      cost_b: b.usd,
      latency_a: a.latencyMs,
      latency_b: b.latencyMs,
      output_sha256_a: a.outputSha256,
      output_sha256_b: b.outputSha256,
      violation_a: a.violation === null ? null : Number(a.violation),
      violation_b: b.violation === null ? null : Number(b.violation),
      output_tokens_a: a.outputTokens,
      output_tokens_b: b.outputTokens,
    };
  }

  /** Keeps a pair together with what was spent, so that an interruption loses neither without the other. */
  keep(editId: string, stage: 'screen' | 'confirm' | 'extend', pair: PairRow): void {
    this.#parts.runs.together(() => {
      this.#parts.runs.addPair(this.#runId, editId, stage, pair);
      this.settle();
    });
  }

  /** Books what was spent since the last time. */
  settle(): void {
    const { runs, executor } = this.#parts;
    const role = this.#purpose.stage === 'audit' ? 'audit' : 'executor';
    runs.spend(this.#runId, { role, model: executor.model, ...this.#unsaved }, this.#purpose);
    this.#unsaved = { calls: 0, tokens: 0, usd: 0, estimated: false };
  }

  #count(usage: {
    calls: number;
    inputTokens: number;
    outputTokens: number;
    usd: number;
    estimated: boolean;
  }): void {
    this.calls += usage.calls;
    this.usd += usage.usd;
    this.#unsaved = {
      calls: this.#unsaved.calls + usage.calls,
      tokens: this.#unsaved.tokens + usage.inputTokens + usage.outputTokens,
      usd: this.#unsaved.usd + usage.usd,
      estimated: this.#unsaved.estimated || usage.estimated,
    };
  }

  #failed(kind: ErrorKind, message: string): void {
    this.#failuresInARow += 1;
    if (kind === 'auth' || this.#failuresInARow >= OUTAGE_AFTER) throw new ProviderOutage(kind, message);
  }
}

const NO_ANSWER: Measured = {
  passed: null,
  score: null,
  error: null,
  tokens: 0,
  outputTokens: 0,
  usd: 0,
  latencyMs: 0,
  output: '',
  outputSha256: null,
  faults: [],
  violation: null,
};
