import type { JsonObject } from '../../../src/foreign/json.js';
import type { LabRandom } from '../random.js';

export interface WorkPlan {
  readonly kind: string;
  readonly params: JsonObject;
  readonly minutes: number;
  /** Runs on a server; otherwise it needs none. */
  readonly serves: boolean;
  /** Runs beside the tick loop instead of blocking it. */
  readonly isAsync: boolean;
}

const FLAGS = [
  '--chunked-prefill-size',
  '--max-running-requests',
  '--cuda-graph-max-bs',
  '--schedule-conservativeness',
  '--num-continuous-decode-steps',
] as const;

/** What the orchestration would ask for next in this phase; never twice the same parameters. */
export function nextWork(phase: string, serial: number, random: LabRandom): WorkPlan {
  if (phase === 'PRELUDE') {
    return {
      kind: 'baseline',
      params: { result_dir: `runs/baseline/b${serial}` },
      minutes: random.between(18, 34),
      serves: true,
      isAsync: false,
    };
  }
  if (phase === 'KERNEL_AGENT') return kernelWork(serial, random);
  if (phase === 'SWEEP') {
    return {
      kind: 'conc_sweep',
      params: { concs: [8, 16, serial * 4] },
      minutes: random.between(20, 45),
      serves: true,
      isAsync: false,
    };
  }
  const flag = random.pick(FLAGS);
  const value = random.whole(1, 64) * 32;
  return {
    kind: 'explore',
    params: { grid: [{ name: `v${serial}`, flags: `${flag} ${value}` }], extra_envs: {} },
    minutes: random.between(9, 38),
    serves: true,
    isAsync: false,
  };
}

function kernelWork(serial: number, random: LabRandom): WorkPlan {
  const kernel = random.pick([
    'rmsnorm_fused',
    'paged_attn_v2',
    'silu_mul_quant',
    'topk_gate',
    'rope_inplace',
  ]);
  return serial % 3 === 2
    ? {
        kind: 'integrate',
        params: { kernel_id: `${kernel}_${serial}`, patch_path: `patches/${kernel}_${serial}.diff` },
        minutes: random.between(15, 30),
        serves: true,
        isAsync: false,
      }
    : {
        kind: 'kernel_opt',
        params: { kernel_id: `${kernel}_${serial}` },
        minutes: random.between(25, 70),
        serves: false,
        isAsync: false,
      };
}
