import type { LabRandom } from '../random.js';
import type { CoordinatorFacts, DirectSlots, LabGpu } from './types.js';

/** A Coordinator that has just been started, without a deadline. */
export function freshCoordinator(startedAt: number): CoordinatorFacts {
  return {
    model: 'Granite-Delta-40B',
    modelClass: 'dense',
    phase: 'PRELUDE',
    tick: 0,
    baselineTput: 0,
    gainPct: 0,
    stack: [],
    crashCount: 0,
    currentAction: '(idle)',
    macroCycle: 0,
    stopReason: '',
    kernelAttempts: 0,
    keepPending: false,
    lastExplore: '(none)',
    prunedFamilies: [],
    startedAt,
    budgetMinutes: 0,
    remainingOffset: 0,
    closing: false,
    phases: [],
    ticksWithoutProgress: 0,
    progressThreshold: 15,
    lastProgressTick: 0,
    lastFailures: '(none)',
    extraLines: [],
  };
}

/** Eight MI300X with nothing on them. */
export function healthyGpus(random: LabRandom): LabGpu[] {
  return Array.from({ length: 8 }, (_, id) => ({
    id,
    usedMb: random.between(280, 420),
    totalMb: 196_592,
    utilPct: 0,
    edgeC: null,
    junctionC: Math.round(random.between(38, 52)),
    memoryC: Math.round(random.between(34, 48)),
    visible: true,
    holders: [],
    extra: {},
  }));
}

/** The slots of a machine and a session that are well. */
export function healthySlots(sessionDir: string, now: number): DirectSlots {
  return {
    local_disk: {
      '/': disk(893.8, 371.2, 'overlay'),
      '/dev/shm': disk(512, 26.4, 'tmpfs'),
      '/srv': disk(28_610.5, 22_170.3, 'nfs4'),
    },
    local_fd: { pid: 4100, used: 231, limit: 65_536, used_pct: 0.35, target: 'coordinator' },
    local_aiter_jit: {
      jit_dir: '/opt/aiter/jit',
      so_count: 148,
      build_count: 3,
      lock_count: 0,
      oldest_lock_age_s: null,
      live_compilers: 0,
      newest_mtime: now - 86_400,
    },
    local_decision_audit: {
      recent_integrate: [],
      oob_attempts: [],
      ci_metrics_path: '',
      ci_metrics: {},
      ci_metrics_mtime: null,
    },
    local_manifest: {
      framework: 'sglang',
      gpu_type: 'MI300X',
      model_name: 'Granite-Delta-40B',
      pid: 4100,
      host: 'gpu-node',
      schema_version: 4,
      session_dir: sessionDir,
      session_id: 'lab',
      tp: 8,
      ep: 1,
      workload: { isl: 1024, osl: 1024, max_model_len: 16_384, precision: 'bf16', conc: 64 },
    },
    local_kernel_breakdown: {},
    local_shm: [],
    local_model_config: {
      path: '/srv/models/Granite-Delta-40B',
      architectures: ['GraniteDeltaForCausalLM'],
      num_hidden_layers: 56,
      num_attention_heads: 48,
      num_key_value_heads: 8,
      head_dim: 128,
      hidden_size: 6144,
      kv_lora_rank: null,
      qk_rope_head_dim: null,
      torch_dtype: 'bfloat16',
      quant_method: null,
      weights_bytes: 80_214_000_000,
      kv_cache_dtype: null,
    },
    local_memory: {
      total_mb: 2_063_000,
      available_mb: 1_620_000,
      available_pct: 78.5,
      swap_total_mb: 0,
      swap_used_mb: 0,
      limit_mb: null,
      limit_used_mb: null,
    },
    local_external_deps: {
      gateway: {
        url: 'https://gw.lab.invalid/v1/models',
        reachable: true,
        status: 'ok',
        status_code: 200,
        authenticated: true,
        fail_streak: 0,
      },
      mounts: [
        { env_name: 'INFERENCEX_PATH', path: '/srv/inferencex', ok: true, error: null, latency_ms: 3.2 },
      ],
      tracelens_cli: {
        cli_names: [
          'TraceLens_generate_perf_report_pytorch_inference',
          'TraceLens_generate_perf_report_pytorch',
        ],
        found: {
          TraceLens_generate_perf_report_pytorch_inference: true,
          TraceLens_generate_perf_report_pytorch: true,
        },
        any_present: true,
        root_set: false,
        profile_requested: false,
      },
    },
  };
}

/** A file system in wire shape; GiB. */
export function disk(total: number, used: number, type = 'ext4') {
  const free = Math.max(0, total - used);
  return {
    total_gb: total,
    used_gb: used,
    free_gb: free,
    used_pct: Math.round((used / total) * 10_000) / 100,
    fs_type: type,
  };
}
