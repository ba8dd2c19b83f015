import { type Json, objectOr } from '../../foreign/json.js';
import { roundHalfEven } from '../../foreign/round.js';
import type { Snapshot } from '../../sources/snapshot.js';
import { defineRule } from '../rule.js';
import { newlySettled, saidSeverity, standingUnlessWorse } from '../shared/latch.js';
import { logNumberIn } from '../shared/log-patterns.js';
import type { Severity, Symptom } from '../symptom.js';
import { checkpointBytes, type Estimate, estimate } from './model_gpu_fit/estimate.js';
import { fingerprintOf, type ModelManifest, readManifest } from './model_gpu_fit/manifest.js';
import { recommendedTp } from './model_gpu_fit/recommended-tp.js';

type State = {
  /** Manifest that was judged last and either said or found fine. */
  readonly fired_fingerprint: readonly Json[] | null;
  /** Whether it was said; what was found fine never stands. */
  readonly emitted: boolean;
  /** How severe it was when it was said. */
  readonly severity: Severity;
};

/** When the manifest alone shows that the model cannot fit into GPU memory (spec 04 §3). */
export const modelGpuFit = defineRule({
  name: 'model_gpu_fit',
  configSlot: 'model_gpu_fit',
  needs: ['manifest'],
  symptoms: {
    model_gpu_infeasible: {
      severities: ['medium', 'high'],
      subjectKeys: [],
      nature: 'latched',
      meaning:
        'Weights, KV cache and activations need more memory than one GPU has at this tensor parallelism; medium when ' +
        'only the model’s name tells its size, or experts are spread over GPUs.',
      action: 'Abort and raise tensor parallelism, or move to a GPU with more memory or a lower precision.',
      explains: [
        { row: 3, explains: ['log_error_pattern:root'], when: logNumberIn(18, 19, 20, 48, 49, 59) },
        { row: 3, explains: ['log_error_pattern:confirmation', 'log_error_pattern:cascade'] },
        { row: 3, explains: ['local_server_unreachable'], destructive: 'dropped' },
        {
          row: 3,
          explains: ['repeated_failure', 'same_payload_loop'],
          when: (_explainer, explained) => explained.subject['family'] === 'baseline',
          destructive: 'dropped',
        },
      ],
    },
  },
  config: {
    preflight_min_headroom_pct: {
      type: 'number',
      unit: '%',
      default: 5,
      doc: 'Part of the device memory that must stay free.',
    },
    preflight_activation_buf_gib: {
      type: 'number',
      unit: 'GiB',
      default: 8,
      doc: 'Allowance for activations and workspaces on each GPU.',
    },
  },
  state: {
    slot: 'preflight_model_gpu_fit',
    parse: (raw): State => ({
      fired_fingerprint: Array.isArray(raw['fired_fingerprint']) ? raw['fired_fingerprint'] : null,
      emitted: raw['emitted'] !== false,
      severity: saidSeverity(raw['severity']),
    }),
  },
  evaluate({ context, snapshot, config, state }) {
    const slot = objectOr(snapshot.local_manifest);
    if (Object.keys(slot).length === 0) return { symptoms: [] };
    const manifest = readManifest(slot);
    const fingerprint = fingerprintOf(manifest);
    const known = isSame(state.fired_fingerprint, fingerprint);
    if (known && !state.emitted) return { symptoms: [] };
    const need = estimate(manifest, context, snapshot, config.preflight_activation_buf_gib);
    const symptom = need && judge(manifest, need, config.preflight_min_headroom_pct, snapshot);
    if (known) return { symptoms: symptom ? [standingUnlessWorse(symptom, state.severity)] : [] };
    if (symptom) return { symptoms: [symptom] };
    // What cannot be judged yet is not latched: the missing part may be a probe that has not answered.
    return {
      symptoms: [],
      state: { ...state, fired_fingerprint: need ? fingerprint : null, emitted: false },
    };
  },
  settle(state, outcome, settlement, { snapshot }) {
    const [said] = newlySettled(outcome, settlement);
    if (!said) return state;
    const manifest = readManifest(objectOr(snapshot.local_manifest));
    return { fired_fingerprint: fingerprintOf(manifest), emitted: true, severity: said.severity };
  },
});

function isSame(stored: readonly Json[] | null, fingerprint: readonly (string | number)[]): boolean {
  return (
    stored !== null &&
    stored.length === fingerprint.length &&
    fingerprint.every((part, index) => part === stored[index])
  );
}

function judge(
  manifest: ModelManifest,
  need: Estimate,
  minHeadroomPct: number,
  snapshot: Snapshot,
): Symptom | undefined {
  const headroomPct = roundHalfEven(need.headroomPct, 2);
  if (headroomPct >= minHeadroomPct) return undefined;
  const tp = recommendedTp(need, minHeadroomPct);
  return {
    name: 'model_gpu_infeasible',
    severity: severityOf(manifest, snapshot),
    subject: {},
    source: 'local',
    summary:
      `${manifest.modelName || 'The model'} needs ${need.requiredGib.toFixed(2)} GiB on each ${manifest.gpuType || 'GPU'} ` +
      `at tp ${need.tp}, which has ${need.hbmGib.toFixed(2)} (headroom ${headroomPct.toFixed(1)}%): ` +
      'the next baseline will run out of memory at server start',
    suggestion: suggestionFor(tp),
    evidence: {
      ...manifest.raw,
      weights_gib: roundHalfEven(need.weightsGib, 2),
      kv_cache_gib: roundHalfEven(need.kvGib, 2),
      activation_gib: roundHalfEven(need.activationGib, 2),
      required_gib: roundHalfEven(need.requiredGib, 2),
      hbm_gib: roundHalfEven(need.hbmGib, 2),
      headroom_gib: roundHalfEven(need.hbmGib - need.requiredGib, 2),
      headroom_pct: headroomPct,
      min_headroom_pct: minHeadroomPct,
      recommended_tp: tp ?? null,
      kv_source: need.kvSource,
      model_class_used: need.modelClassUsed,
      hbm_source: need.hbmSource,
      params_source: need.paramsSource,
    },
  };
}

/** A name proves nothing when the checkpoint could have been measured (model_gpu_fit-7), nor do spread experts (-8). */
function severityOf(manifest: ModelManifest, { local_model_config: modelConfig }: Snapshot): Severity {
  if ((manifest.expertParallel ?? 1) > 1) return 'medium';
  return modelConfig === undefined || checkpointBytes(modelConfig) !== undefined ? 'high' : 'medium';
}

function suggestionFor(tp: number | undefined): string {
  const remedy =
    tp === undefined
      ? 'no tensor parallelism up to 64 helps, only a GPU with more memory or a lower precision'
      : `raise tensor parallelism to at least ${tp}, or move to a GPU with more memory`;
  return `Abort before the next baseline: ${remedy}. This cannot be repaired from here.`;
}
