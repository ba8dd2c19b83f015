import type { JudgedEdit } from '../guards/duplicate.js';
import { sha256 } from '../hash.js';
import type { CurrentPrompt } from '../registry/registry.js';
import { barredEdits } from './barred.js';
import { ProviderOutage } from './measure.js';
import type { Proposal } from './parts.js';
import type { RunContext } from './run-context.js';
import { type StoredEdit, storedEdits } from './stored-edits.js';

/** What an iteration begins with. */
export interface IterationProposals {
  readonly base: CurrentPrompt;
  /** Not ended yet. */
  readonly proposals: readonly Proposal[];
  /** Ended before an interruption. */
  readonly finished: readonly StoredEdit[];
  readonly isExhausted: boolean;
}

/** The edits of an iteration: those of an interrupted run, or new ones from the analyzer, stored before anything else. */
export async function proposalsOf(
  context: RunContext,
  iteration: number,
  folder: string,
): Promise<IterationProposals> {
  const { parts, settings } = context;
  const stored = storedEdits(parts.runs, settings.runId, iteration);
  const first = stored[0];
  if (first !== undefined) {
    const finished = stored.filter(({ report }) => report !== null);
    for (const { report } of finished) if (report !== null) context.remember(report);
    const text = parts.registry.text(first.proposal.edit.base_version) ?? '';
    const base: CurrentPrompt = { version: first.proposal.edit.base_version, sha256: sha256(text), text };
    const open = stored.filter(({ report }) => report === null).map(({ proposal }) => proposal);
    return { base, proposals: open, finished, isExhausted: false };
  }
  const base = parts.registry.current();
  if (base === null) throw new Error('the registry lost its current version during the run');
  context.say(`iteration ${iteration}: asking for edits`);
  const result = await parts.propose({
    base,
    iteration,
    failures: () => context.failuresOf(base),
    feedback: context.feedback,
  });
  if (result.usage !== null) {
    const { calls, inputTokens, outputTokens, usd, estimated } = result.usage;
    const tokens = inputTokens + outputTokens;
    parts.runs.spend(settings.runId, {
      role: 'analyzer',
      model: result.model,
      calls,
      tokens,
      usd,
      estimated,
    });
  }
  parts.artefacts.write(`${folder}/analysis.json`, {
    proposals: result.proposals.map(({ edit }) => edit),
    problems: result.problems,
    usage: result.usage,
  });
  parts.artefacts.traffic(() => ({
    role: 'analyzer',
    model: result.model,
    iteration,
    edits: result.proposals.length,
    ...result.usage,
    ...result.exchange,
  }));
  context.notes.push(...result.problems.map((problem) => `iteration ${iteration}: ${problem}`));
  if (result.outage) throw new ProviderOutage(result.outage.kind, `analyzer, ${result.outage.message}`);
  storeProposals(context, iteration, result.proposals);
  return { base, proposals: result.proposals, finished: [], isExhausted: result.isExhausted };
}

/** Puts edits into the store before anything is done with them. */
export function storeProposals(
  context: RunContext,
  iteration: number,
  proposals: readonly Proposal[],
  firstPosition = 0,
): void {
  const { runs, promptId, ledger } = context.parts;
  runs.together(() => {
    for (const [index, { edit, label }] of proposals.entries()) {
      runs.addEdit({
        run_id: context.settings.runId,
        prompt_id: promptId,
        epoch: ledger.epoch,
        edit_id: edit.edit_id,
        label,
        iteration,
        position: firstPosition + index,
        base_version: edit.base_version,
        base_sha256: edit.base_sha256,
        edit_json: JSON.stringify(edit),
      });
    }
  });
}

/**
 * Edits that count against repetition: those of the epoch, each once, as its latest judgement left it (want of power or budget
 * is no rejection, spec 08 §24.3), and those that were taken back.
 */
export function judgedEdits({ parts }: RunContext): JudgedEdit[] {
  const neutral = new Set([
    'underpowered',
    'infeasible',
    'epoch_closed',
    'invalid_run',
    'stale_base',
    'promote',
    'blocked_duplicate',
  ]);
  const stored = storedEdits(parts.runs, null, undefined, {
    promptId: parts.promptId,
    epoch: parts.ledger.epoch,
  });
  const ofEpoch = new Map<string, JudgedEdit>();
  for (const { proposal, report } of stored) {
    if (report === null) continue;
    const { edit } = proposal;
    ofEpoch.set(edit.edit_id, { edit, iteration: -1, isRejected: !neutral.has(report.verdict) });
  }
  for (const one of barredEdits(parts)) ofEpoch.set(one.edit.edit_id, one);
  return [...ofEpoch.values()];
}
