import type { SelfeditConfig } from '../config/fields.js';
import type { CallUsage } from '../executor/executor.js';
import { ask, type ModelRole, worstCase } from '../executor/model-executor.js';
import type { Proposal, ProposeInput, ProposeResult } from '../loop/parts.js';
import type { Edit } from '../prompt/edit.js';
import type { CurrentPrompt } from '../registry/registry.js';
import { analyzerSystem, analyzerUser, correctionRequest } from './analyzer-prompt.js';
import { clustered } from './clusters.js';
import { type ProposalReading, readProposals } from './read-proposals.js';

/** What the analyzer works with. */
export interface AnalyzerOptions {
  readonly role: ModelRole;
  readonly promptId: string;
  readonly config: SelfeditConfig;
  readonly classes: readonly string[];
  /** US dollars that may be spent now. */
  readonly remainingUsd: () => number;
}

/**
 * An analyzer that asks a model for edits. It has no authority: every edit passes the same checks as any other, and a failure
 * of the provider is said, not taken for "no idea" (spec 08 §8.3, §18).
 */
export function modelAnalyzer(options: AnalyzerOptions): (input: ProposeInput) => Promise<ProposeResult> {
  const { role, promptId, config, classes } = options;
  const nothing = (problem: string): ProposeResult => ({
    proposals: [],
    problems: [problem],
    usage: null,
    model: role.chat.model,
    isExhausted: true,
  });
  return async ({ base, failures: askFailures, feedback }) => {
    const failures = await askFailures();
    if (failures.length === 0) return nothing('there are no failures to learn from');
    const system = analyzerSystem({
      proposals: config.proposals_per_batch,
      maxLines: config.max_edit_lines,
      classes,
    });
    const question = analyzerUser(base.text, clustered(failures, config.batch_size), feedback);
    const cost = worstCase(role, system.length + question.length);
    if (cost > options.remainingUsd())
      return nothing(`asking the analyzer can cost ${cost.toFixed(4)} USD, more than is left`);

    const result = await ask(role, system, question);
    const exchange = { system, question, answer: result.ok ? result.text : result.message };
    const common = { usage: result.usage, model: role.chat.model, exchange };
    if (!result.ok) {
      const { kind, message } = result;
      return {
        proposals: [],
        problems: [`the analyzer failed (${kind}): ${message}`],
        ...common,
        isExhausted: true,
        outage: { kind, message },
      };
    }
    const read = readProposals(result.text, promptId, base, new Set(classes), config.proposals_per_batch);
    const again = await corrected(read, question, system, base);
    const proposals = [...read.edits, ...again.edits].map((edit): Proposal => ({ edit, label: null }));
    return {
      ...common,
      proposals,
      problems: [...read.problems, ...again.problems],
      usage: again.usage === null ? result.usage : added(result.usage, again.usage),
      isExhausted: false,
    };
  };

  /** Edits that did not fit, asked for once more; those that do not fit now either are judged as they are. */
  async function corrected(
    { misfits }: ProposalReading,
    question: string,
    system: string,
    base: CurrentPrompt,
  ): Promise<{ edits: readonly Edit[]; problems: readonly string[]; usage: CallUsage | null }> {
    const asTheyAre = misfits.map(({ edit }) => edit);
    if (misfits.length === 0) return { edits: [], problems: [], usage: null };
    const request = correctionRequest(
      question,
      misfits.map(({ problem }) => problem),
    );
    if (worstCase(role, system.length + request.length) > options.remainingUsd()) {
      return { edits: asTheyAre, problems: [], usage: null };
    }
    const result = await ask(role, system, request);
    if (!result.ok) {
      const problem = `the analyzer was asked to correct ${misfits.length} edits and failed: ${result.message}`;
      return { edits: asTheyAre, problems: [problem], usage: result.usage };
    }
    const read = readProposals(result.text, promptId, base, new Set(classes), misfits.length);
    const edits = [...read.edits, ...read.misfits.map(({ edit }) => edit)];
    return { edits: edits.length === 0 ? asTheyAre : edits, problems: read.problems, usage: result.usage };
  }
}

function added(a: CallUsage, b: CallUsage): CallUsage {
  return {
    calls: a.calls + b.calls,
    inputTokens: a.inputTokens + b.inputTokens,
    outputTokens: a.outputTokens + b.outputTokens,
    usd: a.usd + b.usd,
    estimated: a.estimated || b.estimated,
    latencyMs: a.latencyMs + b.latencyMs,
  };
}
