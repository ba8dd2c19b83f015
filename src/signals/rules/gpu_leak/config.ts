import type { ConfigFields, ConfigValues } from '../../../foreign/config-field.js';
import { processPatternFields } from '../../../foreign/shared-fields.js';

export const gpuLeakFields = {
  gpu_leak_util_mem_pct_threshold: {
    type: 'number',
    default: 99,
    unit: '%',
    doc: 'Occupied memory from which a GPU counts as full.',
  },
  gpu_leak_free_mb_threshold: {
    type: 'number',
    default: 500,
    unit: 'MiB',
    doc: 'Free memory up to which a GPU counts as full.',
  },
  gpu_leak_min_consecutive_ticks: {
    type: 'integer',
    default: 2,
    unit: 'evaluations',
    doc: 'Evaluations in a row in which memory must be held by nobody.',
  },
  gpu_leak_orphan_min_share: {
    type: 'number',
    default: 0.2,
    unit: 'share',
    maximum: 1,
    doc: 'Occupied share of a GPU without any holder from which its memory counts as leaked.',
  },
  gpu_leak_owner_patterns: {
    type: 'string_list',
    default: [
      'sglang.launch_server',
      'sglang.srt',
      'vllm.entrypoints',
      'vllm serve',
      'vllm.v1.engine.core',
      'vllm.engine.async_llm_engine',
      'EngineCore',
      'Magpie',
      'inferencex',
      'ray::IDLE',
      'raylet',
      'hipcc',
      'benchmark_serving',
    ],
    doc: 'Texts in a command line, in any letter case, that mark an owner of GPU memory.',
  },
  ...processPatternFields,
} as const satisfies ConfigFields;

export type GpuLeakConfig = ConfigValues<typeof gpuLeakFields>;

/** Owners that are always recognised besides the configured ones (spec 03 gpu_leak-2). */
const ALWAYS_OWNERS = ['ray::ServingActor'] as const;

/** Owner patterns in force beyond `gpu_leak_owner_patterns`. */
export function extraOwnerPatterns(config: GpuLeakConfig): string[] {
  const known = new Set(config.gpu_leak_owner_patterns);
  const extra = [
    ...ALWAYS_OWNERS,
    ...config.server_process_patterns,
    ...config.benchmark_process_patterns,
  ].filter((pattern) => !known.has(pattern));
  return [...new Set(extra)];
}
