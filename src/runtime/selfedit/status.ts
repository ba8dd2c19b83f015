import { type EpochCost, epochCost } from '../../selfedit/loop/epoch-cost.js';
import { readAuditTail } from '../../selfedit/registry/audit-log.js';
import { isLockHeld } from '../../selfedit/registry/lock.js';
import { wrapText } from '../../selfedit/report/wrap.js';
import type { RunRow } from '../../selfedit/store/run-store.js';
import type { CommandIo, RunCommand } from '../shared/command.js';
import { createProgram, runProgram } from '../shared/program.js';
import { addCommonOptions, type CommonOptions, printResult } from './options.js';
import { judgeCurrent } from './take-back.js';
import { currentPrompt, openStores, type Workspace, workspace } from './workspace.js';

const LATEST_RUNS = 5;
const AUDIT_LINES = 100;

/** `selfedit status`: where a prompt stands. */
export const run: RunCommand = (argv, io) => {
  const program = createProgram('selfedit status', 'Says where a prompt stands.', io);
  addCommonOptions(program).action((options: CommonOptions) => act(options, io));
  return runProgram(program, argv, io);
};

async function act(options: CommonOptions, io: CommandIo): Promise<void> {
  const space = workspace(options, io);
  const current = currentPrompt(space);
  const { entries, unreadable } = readAuditTail(space.registry.auditPath, AUDIT_LINES);
  const last = entries.findLast((entry) => typeof entry['edit_id'] === 'string') ?? null;
  const stores = await openStores(space);
  try {
    const { config, promptId } = space;
    const used = stores.ledger.rows().filter(({ outcome }) => outcome !== 'void').length;
    const status = {
      prompt_id: promptId,
      prompt_version: current.version,
      enabled: config.enabled,
      last_edit: last && {
        edit_id: last['edit_id'],
        decision: last['decision'],
        verdict: last['verdict'],
        at: last['at'],
      },
      audit_unreadable: unreadable,
      epoch: stores.ledger.epoch,
      tests_used: used,
      tests: stores.ledger.rules(config).confirmations_per_epoch,
      next_alpha: stores.ledger.nextAlpha(config),
      traces: stores.traces.counts(promptId),
      live: judgeCurrent(space, stores),
      open_reviews: stores.reviews.list(promptId).filter(({ state }) => state === 'open').length,
      approved_reviews: stores.reviews.toDo(promptId).length,
      spent_usd_day: stores.runs.spentSince(Date.now() / 1000 - 86_400),
      spent_usd_total: stores.runs.spentSince(0),
      epoch_cost: epochCost(stores, promptId),
      runs: stores.runs.latest(promptId, LATEST_RUNS).map((run) => asSeen(run, space)),
    };
    const live =
      status.live === null
        ? 'no promotion to judge'
        : status.live.kind === 'unknown'
          ? `no statistical rollback: ${status.live.have} of ${status.live.need} labelled outcomes of the version before`
          : `${status.live.outcomes} labelled outcomes, evidence of harm ${status.live.e_value.toFixed(2)}`;
    const lines = [
      `${promptId}: version ${current.version}${config.enabled ? '' : ', not in use (selfedit.enabled is false)'}`,
      `last edit: ${last === null ? 'none' : `${String(last['edit_id'])} ${String(last['verdict'])}`}`,
      `epoch ${status.epoch}: ${used} of ${status.tests} tests used, next level ${status.next_alpha ?? 'none'}`,
      `traces: ${status.traces.total}, ${status.traces.labelled} labelled, ${status.traces.failures} failures, ${status.traces.pending} of them new`,
      `live: ${live}`,
      `reviews open: ${status.open_reviews}, approved and not done: ${status.approved_reviews}`,
      `spent: ${status.spent_usd_day.toFixed(4)} USD in 24 h, ${status.spent_usd_total.toFixed(4)} in all`,
      ...wrapText(epochText(status.epoch_cost), '  '),
      ...status.runs.map(
        (run) => `run ${run.run_id}: ${run.status}, ${run.calls} calls, ${run.spent_usd.toFixed(4)} USD`,
      ),
    ];
    await printResult(io, options, status, `${lines.join('\n')}\n`);
  } finally {
    stores.close();
  }
}

/** A run that nobody carries on any more was interrupted. */
function asSeen(run: RunRow, { paths, promptId }: Workspace): RunRow {
  const isGone = run.status === 'running' && !isLockHeld(paths.runLock(promptId));
  return isGone ? { ...run, status: 'interrupted' } : run;
}

function epochText({ usd, promotions, net_points, usd_per_net_point }: EpochCost): string {
  const what = `${usd.toFixed(4)} USD in the epoch, ${promotions} promotions`;
  return usd_per_net_point === null
    ? what
    : `${what}, ${net_points.toFixed(1)} net points: ${usd_per_net_point.toFixed(4)} USD a point`;
}
