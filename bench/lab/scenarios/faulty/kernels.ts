import type { JsonObject } from '../../../../src/foreign/json.js';
import type { Scenario } from '../../scenario.js';
import { attempt, integrated, patch, patience, STEADY, someMinute } from '../parts.js';

const LIFE = { ...STEADY, phase: 'KERNEL_AGENT' } as const;
const METRICS = {
  baseline_tok_per_gpu: 402.76,
  optimized_tok_per_gpu: 431.17,
  gain_pct: 7.05,
  framework: 'vllm',
  gpu: 'mi300x',
  model: 'Granite-Delta-40B',
  tp: 8,
};

/** A scenario whose fault is one record of an integration. */
function keptWrongly(
  name: string,
  story: string,
  keys: JsonObject,
  right: readonly string[],
  unseen: Scenario['unseen'],
): Scenario {
  return {
    name,
    kind: 'faulty',
    story,
    hours: 3,
    life: LIFE,
    ...(unseen && { unseen }),
    plan: (lab) => {
      patience(lab);
      const from = someMinute(lab, 20, 80);
      lab.at(from, () =>
        patch(lab, 'local_decision_audit', {
          recent_integrate: [integrated(lab, { kernel_id: 'gate_proj_w8', ...keys })],
        }),
      );
      lab.fault({ cause: story, from, right });
    },
  };
}

/** A scenario whose fault is a metrics file. */
function metricsWrong(
  name: string,
  story: string,
  metrics: JsonObject,
  right: readonly string[],
  unseen: Scenario['unseen'],
): Scenario {
  return {
    name,
    kind: 'faulty',
    story,
    hours: 3,
    life: LIFE,
    ...(unseen && { unseen }),
    plan: (lab) => {
      patience(lab);
      const from = someMinute(lab, 20, 80);
      lab.at(from, () =>
        patch(lab, 'local_decision_audit', {
          ci_metrics: metrics,
          ci_metrics_path: 'ci_metrics.json',
          ci_metrics_mtime: lab.world.now,
        }),
      );
      lab.fault({ cause: story, from, right });
    },
  };
}

const { tp: _tp, gpu: _gpu, ...withoutTwo } = METRICS;

/** Decisions that should not have been made, and kernel work that goes nowhere. */
export const kernelFaults: readonly Scenario[] = [
  keptWrongly(
    'kept-an-empty-patch',
    'A patch without a single byte is kept.',
    { patch_size_bytes: 0, gain_pct: 1.937 },
    ['empty_patch_kept'],
    { empty_patch_kept: '1.937' },
  ),
  keptWrongly(
    'kept-a-vanished-patch',
    'A kept patch no longer exists.',
    { patch_exists: false, patch_size_bytes: null, gain_pct: 2.614 },
    ['empty_patch_kept'],
    { empty_patch_kept: '2.614' },
  ),
  keptWrongly(
    'kept-for-half-a-percent',
    'A gain of 0.728 percent, within the noise, is kept.',
    { gain_pct: 0.728 },
    ['decision_threshold_violated'],
    { decision_threshold_violated: '0.728' },
  ),
  keptWrongly(
    'kept-but-never-run',
    'A kernel is kept that was never dispatched.',
    { gain_pct: 3.846, dispatched_count: 0 },
    ['kernel_dispatch_bypassed'],
    { kernel_dispatch_bypassed: '3.846' },
  ),
  metricsWrong(
    'kept-and-slower',
    'Four kernels are counted as optimised, together they cost two percent.',
    { ...METRICS, kernels_optimized: 4, optimized_kernel_delta_pct: -2.07 },
    ['kernel_negative_delta_kept'],
    { kernel_negative_delta_kept: '-2.07' },
  ),
  metricsWrong(
    'baseline-of-zero',
    'The metrics have a baseline of zero.',
    { ...METRICS, baseline_tok_per_gpu: 0 },
    ['ci_metrics_baseline_zero'],
    { ci_metrics_baseline_zero: '431.17' },
  ),
  metricsWrong(
    'metrics-of-another-version',
    'The metrics lack two required keys.',
    withoutTwo,
    ['ci_metrics_schema_drift'],
    { ci_metrics_schema_drift: '431.17' },
  ),
  {
    name: 'attempts-always-killed',
    kind: 'faulty',
    story: 'Every attempt on two kernels is ended by its deadline before a patch is chosen.',
    hours: 4,
    life: LIFE,
    unseen: { geak_budget_starvation: 'exploring tile 41 of 96' },
    plan: (lab) => {
      patience(lab);
      const from = someMinute(lab, 20, 60);
      const rows: JsonObject[] = [];
      for (let i = 0; i < 6; i += 1) {
        lab.at(from + i * 11, () => {
          rows.push(
            attempt(lab, {
              kernel_id: `mla_decode_${i % 2}`,
              report_text: 'exploring tile 41 of 96',
              status: 'timeout',
              timed_out: true,
            }),
          );
          patch(lab, 'local_decision_audit', { oob_attempts: [...rows] });
        });
      }
      lab.fault({
        cause: 'the budget per kernel is too small',
        from,
        visibleAfter: 22,
        right: ['geak_budget_starvation'],
        destructive: ['prune:kernel_opt'],
      });
    },
  },
  {
    name: 'attempts-cut-off-by-a-batch-system',
    kind: 'faulty',
    story: 'The same under a batch system, which ends the attempts in its own words.',
    hours: 4,
    life: LIFE,
    plan: (lab) => {
      patience(lab);
      const from = someMinute(lab, 20, 60);
      const rows: JsonObject[] = [];
      for (let i = 0; i < 6; i += 1) {
        lab.at(from + i * 11, () => {
          rows.push(
            attempt(lab, {
              kernel_id: `mla_prefill_${i % 2}`,
              report_text: 'slurmstepd: error: *** STEP 88123.0 CANCELLED DUE TO TIME LIMIT ***',
              status: 'failed',
              timed_out: false,
            }),
          );
          patch(lab, 'local_decision_audit', { oob_attempts: [...rows] });
        });
      }
      lab.fault({
        cause: 'the time limit of the job is too small',
        from,
        visibleAfter: 22,
        right: ['geak_budget_starvation'],
        destructive: ['prune:kernel_opt'],
      });
    },
  },
  {
    name: 'attempts-ended-by-another-scheduler',
    kind: 'faulty',
    story: 'The same under another batch system.',
    hours: 4,
    life: LIFE,
    plan: (lab) => {
      patience(lab);
      const from = someMinute(lab, 20, 60);
      const rows: JsonObject[] = [];
      for (let i = 0; i < 6; i += 1) {
        lab.at(from + i * 11, () => {
          rows.push(
            attempt(lab, {
              kernel_id: `mla_prefill_${i % 2}`,
              report_text: '=>> PBS: job killed: walltime 3641 exceeded limit 3600',
              status: 'failed',
              timed_out: false,
            }),
          );
          patch(lab, 'local_decision_audit', { oob_attempts: [...rows] });
        });
      }
      lab.fault({
        cause: 'the time limit of the job is too small',
        from,
        visibleAfter: 22,
        right: ['geak_budget_starvation'],
        destructive: ['prune:kernel_opt'],
      });
    },
  },
  {
    name: 'no-kernel-gets-faster',
    kind: 'faulty',
    story: 'Five kernels, two backends each, not one is worth keeping.',
    hours: 5,
    life: { ...LIFE, luck: 0 },
    unseen: { kernel_opt_no_progress: 'best candidate equals the reference' },
    plan: (lab) => {
      patience(lab);
      const from = someMinute(lab, 20, 60);
      const rows: JsonObject[] = [];
      for (let i = 0; i < 10; i += 1) {
        lab.at(from + i * 13, () => {
          rows.push(
            attempt(lab, {
              kernel_id: `fused_op_${i >> 1}`,
              backend: i % 2 === 0 ? 'geak' : 'forge',
              report_text: 'best candidate equals the reference',
              microbench_speedup: 0.97 + i / 100,
            }),
          );
          patch(lab, 'local_decision_audit', { oob_attempts: [...rows] });
        });
      }
      lab.fault({
        cause: 'the kernels are as good as they get',
        from,
        visibleAfter: 65,
        right: ['kernel_opt_no_progress'],
        company: ['gain_plateau', 'no_levers_found'],
        severity: 'high',
        destructive: ['prune:kernel_opt'],
      });
    },
  },
  {
    name: 'critic-without-memory',
    kind: 'faulty',
    story: 'The knowledge base of the critic cannot be reached any more.',
    hours: 3.5,
    life: STEADY,
    unseen: { critic_kb_outage: 'vector store of the critic: 504' },
    plan: (lab) => {
      patience(lab);
      const from = someMinute(lab);
      lab.eachTick(() => {
        if (lab.minute < from) return;
        lab.world.judges = [
          {
            turn_dir: String(lab.world.coordinator.tick).padStart(6, '0'),
            kb_read_skipped_reason: 'kb_unreachable',
            required_context: ['vector store of the critic: 504'],
            proposal_count: 1,
            mtime: lab.world.now - 30,
            emit_source: 'critic',
          },
          ...lab.world.judges,
        ].slice(0, 50);
      });
      lab.fault({
        cause: 'the knowledge base is down',
        from,
        visibleAfter: 14,
        right: ['critic_kb_outage'],
        severity: 'high',
      });
    },
  },
  {
    name: 'critic-answers-by-default',
    kind: 'faulty',
    story: 'Every verdict of the critic is its fallback.',
    hours: 3.5,
    life: STEADY,
    unseen: { critic_unavailable_streak: 'proposal text was cut after 9000 tokens' },
    plan: (lab) => {
      patience(lab);
      const from = someMinute(lab);
      lab.eachTick(() => {
        if (lab.minute < from) return;
        lab.world.judges = [
          {
            turn_dir: String(lab.world.coordinator.tick).padStart(6, '0'),
            kb_read_skipped_reason: null,
            required_context: ['proposal text was cut after 9000 tokens'],
            proposal_count: 1,
            mtime: lab.world.now - 30,
            emit_source: 'critic_unavailable',
          },
          ...lab.world.judges,
        ].slice(0, 50);
      });
      lab.fault({
        cause: 'the model of the critic gives no answer',
        from,
        visibleAfter: 14,
        right: ['critic_unavailable_streak'],
        severity: 'high',
      });
    },
  },
  {
    name: 'critic-runtime-times-out',
    kind: 'faulty',
    story: 'The runtime of the critic is ended after its time limit, turn after turn.',
    hours: 3,
    life: STEADY,
    unseen: { critic_runtime_stuck: 'judge timed out after 173s' },
    plan: (lab) => {
      patience(lab);
      const from = someMinute(lab);
      lab.eachTick(() => {
        if (lab.minute >= from)
          lab.world.log(
            'optimizer_runs/run_a.log',
            '2031-04-05 WARNING reactor: hyperloom.agents.critic.runtime.cli judge timed out after 173s; verdict set to needs_review',
          );
      });
      lab.fault({
        cause: 'the completion endpoint of the critic hangs',
        from,
        right: ['critic_runtime_stuck', 'log_error_pattern'],
        company: ['agent_stall', 'critic_unavailable_streak'],
        severity: 'high',
      });
    },
  },
  {
    name: 'critic-directories-pile-up',
    kind: 'faulty',
    story: 'Work directories of the critic are never removed.',
    hours: 3,
    life: STEADY,
    unseen: { critic_prune_stuck: '6271' },
    plan: (lab) => {
      patience(lab);
      const from = someMinute(lab);
      lab.eachTick(() => {
        if (lab.minute >= from) lab.world.criticWorkdirs = 6271;
      });
      lab.fault({ cause: 'pruning fails', from, right: ['critic_prune_stuck'] });
    },
  },
];
