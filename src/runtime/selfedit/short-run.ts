import { sha256 } from '../../selfedit/hash.js';
import { ProviderOutage } from '../../selfedit/loop/measure.js';
import type { LoopParts } from '../../selfedit/loop/parts.js';
import { RunContext } from '../../selfedit/loop/run-context.js';
import { LimitStop } from '../../selfedit/loop/stops.js';
import type { TraceRow } from '../../selfedit/store/trace-store.js';
import { UserError } from '../shared/user-error.js';
import type { Models } from './models.js';
import { loopParts } from './prepare.js';
import type { Stores, Workspace } from './workspace.js';

/** What a run of one step works with. */
export interface ShortRun {
  readonly context: RunContext;
  readonly parts: LoopParts;
  readonly runId: string;
}

/**
 * Does one step of the loop by itself, as a run whose cost is accounted like that of any other.
 *
 * @param runId see `shortRunId`
 * @throws UserError `RA_SELFEDIT_PROVIDER` or `RA_SELFEDIT_INPUT` when the provider or the budget gives out
 */
export async function shortRun<T>(
  { space, stores, models }: { readonly space: Workspace; readonly stores: Stores; readonly models: Models },
  {
    runId,
    seed,
    traces = [],
  }: { readonly runId: string; readonly seed: number; readonly traces?: readonly TraceRow[] },
  work: (run: ShortRun) => Promise<T>,
): Promise<T> {
  const { config, promptId } = space;
  const budgetUsd = config.budget_usd_run;
  const remainingUsd = (): number => budgetUsd - (stores.runs.run(runId)?.spent_usd ?? 0);
  const parts = await loopParts(space, stores, { models, traces, remainingUsd });
  stores.runs.begin({
    run_id: runId,
    prompt_id: promptId,
    seed,
    config_sha256: sha256(JSON.stringify(config)),
    budget_usd: budgetUsd,
  });
  const context = new RunContext(
    parts,
    {
      runId,
      seed,
      iterations: 1,
      force: false,
      hasSentinels: false,
      hasPowerCheck: false,
      hasSearch: false,
      tieBreak: 'cost',
      confirmLimit: config.confirm_target,
      budgetUsd,
    },
    false,
  );
  try {
    const result = await work({ context, parts, runId });
    context.measurer.settle();
    stores.runs.end(runId, 'done');
    return result;
  } catch (error) {
    context.measurer.settle();
    stores.runs.end(runId, error instanceof ProviderOutage ? 'stopped_provider' : 'failed');
    throw told(error);
  }
}

/** The id of a run of one step: what it does, when, and its seed. */
export function shortRunId(kind: 'propose' | 'audit', seed: number): string {
  return `${kind}-${new Date().toISOString().replace(/\D/g, '').slice(0, 14)}-${seed}`;
}

function told(error: unknown): unknown {
  if (error instanceof ProviderOutage) {
    return new UserError({
      code: 'RA_SELFEDIT_PROVIDER',
      happened: `the provider failed (${error.kind}): ${error.message}`,
      todo: 'mend the provider and try again',
    });
  }
  if (!(error instanceof LimitStop)) return error;
  return new UserError({
    code: 'RA_SELFEDIT_INPUT',
    happened: error.message,
    todo: 'raise selfedit.budget_usd_run or budget_usd_day',
  });
}
