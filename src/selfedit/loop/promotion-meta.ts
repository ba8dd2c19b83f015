import { rounded } from '../guards/check.js';
import type { Edit } from '../prompt/edit.js';
import type { VersionMeta } from '../registry/version-meta.js';
import type { ConfirmReport } from './report.js';
import type { RunContext } from './run-context.js';

type Testimony = Pick<
  VersionMeta,
  'ab_results' | 'gate_result' | 'model_version' | 'token_cost' | 'changed_section' | 'trigger_trace_ids'
>;

/** How a version came about, in the keys of spec 08 §4. */
export function testimonyOf(
  { parts, settings }: RunContext,
  edit: Edit,
  { wins, losses, n, mean_delta, p_sign }: ConfirmReport,
): Testimony {
  const costs = parts.runs.editCosts(settings.runId, edit.edit_id);
  return {
    ab_results: {
      winner: 'b',
      mean_delta: rounded(mean_delta),
      p_value: rounded(p_sign),
      effect_size: rounded(mean_delta),
      n_trials: n,
    },
    gate_result: { decision: 'promote', reason: `${wins} wins, ${losses} losses in ${n} pairs` },
    model_version: parts.executor.model,
    token_cost: costs.reduce((sum, { tokens }) => sum + tokens, 0),
    ...(edit.section !== '' && { changed_section: edit.section }),
    ...(edit.evidence_traces.length > 0 && { trigger_trace_ids: edit.evidence_traces }),
  };
}
