import type { SelfeditConfig } from '../config/fields.js';
import { ask, type ModelRole, worstCase } from '../executor/model-executor.js';
import type { Proposal, ProposeInput, ProposeResult } from '../loop/parts.js';
import { analyzerSystem, analyzerUser } from './analyzer-prompt.js';
import { readProposals } from './read-proposals.js';

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
    const user = analyzerUser(base.text, failures, feedback);
    const cost = worstCase(role, system.length + user.length);
    if (cost > options.remainingUsd())
      return nothing(`asking the analyzer can cost ${cost.toFixed(4)} USD, more than is left`);

    const result = await ask(role, system, user);
    const exchange = { system, question: user, answer: result.ok ? result.text : result.message };
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
    const proposals = read.edits.map((edit): Proposal => ({ edit, label: null }));
    return { proposals, problems: read.problems, ...common, isExhausted: false };
  };
}
