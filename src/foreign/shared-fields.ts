import type { ConfigFields } from './config-field.js';

/** Fields that rules and collectors both read; each side lists them among its own (spec 01 §9.4). */
export const processPatternFields = {
  server_process_patterns: {
    type: 'string_list',
    default: [
      'sglang.srt',
      'sglang.launch_server',
      'vllm.entrypoints',
      'vllm serve',
      'vllm.v1.engine.core',
      'vllm.engine.async_llm_engine',
      'EngineCore',
    ],
    doc: 'Texts in a command line that mark an inference server.',
  },
  benchmark_process_patterns: {
    type: 'string_list',
    default: [
      'Magpie',
      'inferencex',
      'ray::IDLE',
      'ray::ServingActor',
      'raylet',
      'hipcc',
      'benchmark_serving',
    ],
    doc: 'Texts in a command line that mark other processes of a session: benchmark clients, Ray, compilers.',
  },
} as const satisfies ConfigFields;
