import { readFileSync } from 'node:fs';
import type { Comparison, Iteration } from '../../src/rx/loop/run-result.js';
import type { RunConfig } from '../../src/rx/types.js';

/** One attempt of the reference's demo with the runs that decided it. */
export interface PairedVector {
  readonly index: number;
  readonly action_id: string;
  readonly control_config: RunConfig;
  readonly treatment_config: RunConfig;
  readonly control_failures_per_run: readonly number[];
  readonly treatment_failures_per_run: readonly number[];
  readonly difference_sum: number;
  readonly sign_flip_p_exact: number;
  readonly log_e_after_40: number;
  readonly first_pair_with_e_ge_20: number | null;
  readonly first_pair_with_e_ge_160: number | null;
  readonly class_difference_treatment_minus_control: readonly number[];
}

/** Golden values of one attempt under independent streams. */
export interface GoldenAttempt {
  readonly action_id: string;
  readonly control_failures: number;
  readonly treatment_failures: number;
  readonly exact_p: number;
  readonly alpha_k: number;
  readonly first_accepting_pair: number | null;
  readonly accepted: boolean;
}

/** A whole run of the reference. */
export interface ReferenceRun {
  readonly overall: Partial<Comparison>;
  readonly accepted: readonly string[];
  readonly precision: number;
  readonly final_config: RunConfig;
  readonly iterations: readonly Partial<Iteration>[];
  readonly prioritizer_metrics: Readonly<Record<string, number>>;
  readonly final_regime: string;
}

interface Metrics {
  readonly paired_gate_vectors: readonly PairedVector[];
  readonly demo_default: ReferenceRun;
  readonly demo_pretrained: ReferenceRun;
  readonly independent_streams: {
    readonly discovery_failures_seed_42: number;
    readonly discovery_class_counts: readonly number[];
    readonly loop_hybrid_gate_reused_block: readonly GoldenAttempt[];
    readonly loop_hybrid_gate_fresh_blocks: readonly GoldenAttempt[];
  };
  readonly trace_default: { readonly sha256: string; readonly bytes: number };
}

/** Every headline number of the reference. */
export function referenceMetrics(): Metrics {
  return JSON.parse(readFileSync('tests/fixtures/rx/metrics.json', 'utf8'));
}

export function pairedVectors(): PairedVector[] {
  return [...referenceMetrics().paired_gate_vectors];
}
