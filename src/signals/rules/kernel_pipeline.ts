import { groupBy } from '../../foreign/group-by.js';
import { cutCodePoints } from '../../foreign/hygiene.js';
import { objectOr } from '../../foreign/json.js';
import { compareCodePoints } from '../../foreign/order.js';
import { defineRule } from '../rule.js';
import { explainerIs } from '../shared/explain.js';
import type { Symptom } from '../symptom.js';
import { type Attempt, keptKernels, readAttempts } from './kernel_pipeline/attempt.js';

const REPORT_HEAD = 200;
const LISTED_KERNELS = 5;
/** With fewer backends tried on a kernel its lack of progress says little. */
const MIN_BACKENDS = 2;

/** When kernel optimisation is killed before it can finish, or produces nothing at all (spec 04 §8). */
export const kernelPipeline = defineRule({
  name: 'kernel_pipeline',
  configSlot: 'kernel_pipeline',
  needs: ['audit'],
  symptoms: {
    geak_budget_starvation: {
      severities: ['medium', 'high'],
      subjectKeys: ['kernel_id'],
      nature: 'event',
      meaning:
        'GEAK runs on a kernel are killed by their budget before they can select a patch; high when several kernels starve.',
      action: 'Give GEAK more budget for this kernel, or take it out of the rotation.',
      // Only from several kernels on is it high: then the one budget is too small, and its prune is the same for all.
      explains: [
        {
          row: 29,
          explains: ['geak_budget_starvation'],
          amongSiblings: true,
          when: explainerIs('high'),
          destructive: 'dropped',
        },
      ],
    },
    kernel_opt_no_progress: {
      severities: ['high'],
      subjectKeys: [],
      nature: 'event',
      meaning: 'Several backends have been tried on several kernels, and none made one faster.',
      action: 'Prune `kernel_opt` and go on with params and sweep.',
      explains: [{ row: 21, explains: ['geak_budget_starvation'], destructive: 'dropped' }],
    },
  },
  config: {
    kernel_pipeline_min_geak_sigterm_attempts: {
      type: 'integer',
      unit: 'attempts',
      default: 2,
      doc: 'Killed GEAK runs on one kernel before it counts as starving.',
    },
    kernel_pipeline_min_kernels_with_no_progress: {
      type: 'integer',
      unit: 'kernels',
      default: 3,
      doc: 'Kernels without any progress before the effort as a whole is reported.',
    },
    kernel_pipeline_min_starving_kernels: {
      type: 'integer',
      unit: 'kernels',
      default: 2,
      doc: 'Starving kernels from which on starvation is high, which may prune `kernel_opt`.',
    },
  },
  evaluate({ snapshot, config }) {
    const audit = objectOr(snapshot.local_decision_audit);
    const attempts = readAttempts(audit['oob_attempts']);
    const kept = keptKernels(audit['recent_integrate']);
    const starving = starvingKernels(attempts, {
      minAttempts: config.kernel_pipeline_min_geak_sigterm_attempts,
      minKernels: config.kernel_pipeline_min_starving_kernels,
    });
    const stuck = noProgress(attempts, kept, config.kernel_pipeline_min_kernels_with_no_progress);
    return { symptoms: stuck ? [...starving, stuck] : starving };
  },
});

function starvingKernels(
  attempts: readonly Attempt[],
  { minAttempts, minKernels }: { readonly minAttempts: number; readonly minKernels: number },
): Symptom[] {
  const killed = attempts.filter((attempt) => attempt.wasKilled && attempt.backend.includes('geak'));
  const starving = [...groupBy(killed, ({ kernelId }) => kernelId)].filter(
    ([, group]) => group.length >= minAttempts,
  );
  return starving.map(([kernelId, group]) => ({
    name: 'geak_budget_starvation',
    severity: starving.length >= minKernels ? 'high' : 'medium',
    subject: { kernel_id: kernelId },
    source: 'local',
    summary:
      `${group.length} GEAK runs on kernel ${kernelId} were killed by their budget (limit ${minAttempts}): ` +
      'patch selection never finishes',
    suggestion: 'Give GEAK more budget for this kernel, or take it out of the rotation.',
    evidence: {
      kernel_id: kernelId,
      attempt_count: group.length,
      threshold: minAttempts,
      last_report_head: cutCodePoints(group.at(-1)?.report ?? '', REPORT_HEAD),
      starving_kernels: starving.length,
    },
  }));
}

function noProgress(
  attempts: readonly Attempt[],
  kept: ReadonlySet<string>,
  minKernels: number,
): Symptom | undefined {
  const kernels = [...groupBy(attempts, ({ kernelId }) => kernelId)]
    .filter(([kernelId, group]) => !kept.has(kernelId) && !group.some(({ succeeded }) => succeeded))
    .map(([kernelId, group]) => ({
      kernel_id: kernelId,
      backends: [...new Set(group.map(({ backend }) => backend).filter((name) => name !== ''))].sort(
        compareCodePoints,
      ),
      attempt_count: group.length,
    }))
    .filter(({ backends }) => backends.length >= MIN_BACKENDS);
  if (kernels.length === 0 || kernels.length < minKernels) return undefined;
  return {
    name: 'kernel_opt_no_progress',
    severity: 'high',
    subject: {},
    source: 'local',
    summary:
      `${kernels.length} kernels were tried with at least ${MIN_BACKENDS} backends each and none got faster ` +
      `(limit ${minKernels}): the pipeline cannot optimise this model`,
    suggestion: 'Prune kernel_opt and go on with params and sweep.',
    evidence: {
      kernel_count: kernels.length,
      threshold: minKernels,
      kernels: kernels.slice(0, LISTED_KERNELS),
    },
  };
}
