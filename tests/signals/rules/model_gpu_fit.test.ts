import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/foreign/json.js';
import { kvCache } from '../../../src/signals/rules/model_gpu_fit/kv-cache.js';
import { billionsFromName } from '../../../src/signals/rules/model_gpu_fit/parameter-count.js';
import { modelGpuFit } from '../../../src/signals/rules/model_gpu_fit.js';
import type { Snapshot } from '../../../src/sources/snapshot.js';
import { runRule, type Sight, testRule } from '../../support/rule-tester.js';

const foo70 = {
  model_name: 'Foo-70B',
  gpu_type: 'h100',
  tp: 1,
  workload: { precision: 'bf16', max_model_len: 8192, conc: 16 },
};

function manifest(change: JsonObject, snapshot: Partial<Snapshot> = {}): Sight {
  return { snapshot: { local_manifest: { ...foo70, ...change }, ...snapshot } };
}

function workload(change: JsonObject): JsonObject {
  return { workload: { ...foo70.workload, ...change } };
}

const onMi300x = { gpu_type: 'mi300x' };
const dense = { num_hidden_layers: 80, num_key_value_heads: 8, head_dim: 128 };

testRule(modelGpuFit, {
  valid: [
    { why: 'no manifest', snapshot: { local_manifest: {} } },
    { why: 'a manifest that is no object', snapshot: { local_manifest: 'x' } },
    { why: 'it fits with headroom to spare', ...manifest(onMi300x) },
    {
      why: 'sharded over enough GPUs',
      ...manifest({ model_name: 'X-671B', ...onMi300x, tp: 4, ...workload({ precision: 'fp8' }) }),
    },
    {
      why: 'the rounded headroom is exactly the limit',
      ...manifest({
        model_name: 'X-178.349404B',
        ...onMi300x,
        ...workload({ precision: 'fp8', max_model_len: 1, conc: 1 }),
      }),
    },
    { why: 'the name tells no size', ...manifest({ model_name: 'Foo' }) },
    { why: 'an unknown precision', ...manifest(workload({ precision: 'w4a8' })) },
    { why: 'a workload that is no object', ...manifest({ workload: [1] }) },
    { why: 'tensor parallelism as text', ...manifest({ tp: '8' }) },
    { why: 'tensor parallelism of zero', ...manifest({ tp: 0 }) },
    { why: 'a GPU that nobody knows or measured', ...manifest({ gpu_type: 'tpu-v9' }) },
    { why: 'a longer word that contains a GPU name', ...manifest({ gpu_type: 'xh100y' }) },
    {
      why: 'an unknown GPU that reports enough memory',
      ...manifest({ gpu_type: 'new' }, { local_gpu: { gpus: [{ gpu_id: 0, vram_total_mb: 294912 }] } }),
    },
    {
      why: 'a smaller headroom was asked for',
      ...manifest({ tp: 2 }),
      config: { preflight_min_headroom_pct: 4 },
    },
    {
      why: 'the checkpoint is smaller than its name says',
      ...manifest({}, { local_model_config: { ...dense, weights_bytes: 35e9 } }),
    },
  ],
  invalid: [
    {
      why: '70 billion parameters do not fit into 80 GiB',
      ...manifest({}),
      symptoms: [
        {
          name: 'model_gpu_infeasible',
          severity: 'high',
          subject: {},
          source: 'local',
          evidence: {
            model_name: 'Foo-70B',
            model_class: null,
            gpu_type: 'h100',
            tp: 1,
            precision: 'bf16',
            max_model_len: 8192,
            conc: 16,
            weights_gib: 136.9,
            kv_cache_gib: 0,
            activation_gib: 8,
            required_gib: 144.91,
            hbm_gib: 80,
            headroom_gib: -64.91,
            headroom_pct: -81.13,
            min_headroom_pct: 5,
            recommended_tp: 4,
            kv_source: 'class',
            model_class_used: '',
            hbm_source: 'table',
            params_source: 'name',
          },
          summaryMentions: ['Foo-70B', 'h100', 'tp 1', '144.91', '80.00', '-81.1%', 'out of memory'],
          suggestionMentions: ['at least 4', 'Abort'],
        },
      ],
    },
    {
      why: 'names are trimmed and lower-cased, and 4.43 % is not enough',
      ...manifest({ gpu_type: ' H100 ', tp: 2 }),
      symptoms: [
        {
          name: 'model_gpu_infeasible',
          evidenceWith: { weights_gib: 68.45, headroom_gib: 3.55, headroom_pct: 4.43, recommended_tp: 4 },
        },
      ],
    },
    {
      why: 'the advice counts the whole model, not the shard',
      ...manifest({ model_name: 'X-671B', ...onMi300x, tp: 2, ...workload({ precision: 'fp8' }) }),
      symptoms: [
        {
          name: 'model_gpu_infeasible',
          evidenceWith: { weights_gib: 328.08, headroom_pct: -75.04, recommended_tp: 4 },
        },
      ],
    },
    {
      why: 'nothing up to 64 GPUs would do',
      ...manifest({ model_name: 'Y-9000B', tp: 8, ...workload({ precision: 'fp32' }) }),
      symptoms: [
        {
          name: 'model_gpu_infeasible',
          evidenceWith: { recommended_tp: null },
          suggestionMentions: ['more memory', 'lower precision'],
        },
      ],
    },
    {
      why: 'one hundredth of a percent is missing',
      ...manifest({
        model_name: 'X-178.353404B',
        ...onMi300x,
        ...workload({ precision: 'fp8', max_model_len: 1, conc: 1 }),
      }),
      symptoms: [{ name: 'model_gpu_infeasible', evidenceWith: { headroom_pct: 4.99 } }],
    },
    {
      why: 'length and concurrency have defaults, shown as they were written',
      ...manifest(workload({ max_model_len: null, conc: 'many' })),
      symptoms: [
        {
          name: 'model_gpu_infeasible',
          evidenceWith: { max_model_len: null, conc: 'many', required_gib: 144.9 },
        },
      ],
    },
    {
      why: 'an integral float is an integer',
      ...manifest({ tp: JSON.parse('1.0') }),
      symptoms: ['model_gpu_infeasible'],
    },
    {
      why: 'the GPU is named by its product name',
      ...manifest({ model_name: 'Big-405B', gpu_type: 'AMD Instinct(TM) MI300X-OAM' }),
      symptoms: [{ name: 'model_gpu_infeasible', evidenceWith: { hbm_gib: 192, hbm_source: 'table' } }],
    },
    {
      why: 'of two known names in one the longer counts',
      ...manifest({ model_name: 'Big-405B', gpu_type: 'mi250 mi250x' }),
      symptoms: [{ name: 'model_gpu_infeasible', evidenceWith: { hbm_gib: 64 } }],
    },
    {
      why: 'an unknown GPU is measured: the median of the visible ones',
      ...manifest(
        { gpu_type: 'engineering sample' },
        {
          local_gpu: {
            gpus: [
              { gpu_id: 0, vram_total_mb: 65536 },
              { gpu_id: 1, vram_total_mb: 131072 },
              { gpu_id: 2, vram_total_mb: 1, visible: false },
              { gpu_id: 3 },
            ],
          },
        },
      ),
      symptoms: [{ name: 'model_gpu_infeasible', evidenceWith: { hbm_gib: 96, hbm_source: 'measured' } }],
    },
    {
      why: 'the class comes from the prompt when the manifest has none',
      ...manifest({ model_class: '' }),
      context: { shared_state: { model_class: 'MoE-MLA' } },
      symptoms: [
        { name: 'model_gpu_infeasible', evidenceWith: { model_class: '', model_class_used: 'moe_mla' } },
      ],
    },
    {
      why: 'keys and values of one full-length sequence, from the model itself',
      ...manifest(
        { model_name: 'm', ...workload({ max_model_len: 131072 }) },
        { local_model_config: { ...dense, weights_bytes: 141e9 } },
      ),
      symptoms: [
        {
          name: 'model_gpu_infeasible',
          severity: 'high',
          // 2 x 80 layers x 8 heads x 128 x 2 bytes = 320 KiB per token, 40 GiB for 131072 of them
          evidenceWith: {
            kv_cache_gib: 40,
            kv_source: 'config',
            weights_gib: 137.88,
            params_source: 'config',
          },
        },
      ],
    },
    {
      why: 'an fp8 cache needs half of it',
      ...manifest(
        { tp: 2, ...workload({ max_model_len: 131072 }) },
        { local_model_config: { ...dense, kv_cache_dtype: 'fp8_e4m3', weights_bytes: 141e9 } },
      ),
      symptoms: [{ name: 'model_gpu_infeasible', evidenceWith: { kv_cache_gib: 10 } }],
    },
    {
      why: 'a latent cache is whole on every GPU',
      ...manifest(
        {
          model_name: 'X-671B',
          ...onMi300x,
          tp: 2,
          ...workload({ precision: 'fp8', max_model_len: 163840 }),
        },
        {
          local_model_config: {
            num_hidden_layers: 61,
            num_key_value_heads: 128,
            head_dim: 128,
            kv_lora_rank: 512,
            qk_rope_head_dim: 64,
            weights_bytes: 671e9,
          },
        },
      ),
      symptoms: [{ name: 'model_gpu_infeasible', evidenceWith: { kv_cache_gib: 10.72, recommended_tp: 8 } }],
    },
    {
      why: 'a configuration without the numbers leaves the class table',
      ...manifest({}, { local_model_config: { num_hidden_layers: 80, weights_bytes: 141e9 } }),
      symptoms: [{ name: 'model_gpu_infeasible', evidenceWith: { kv_source: 'class' } }],
    },
    {
      why: 'the checkpoint could have been measured but was not: a name proves nothing',
      ...manifest({}, { local_model_config: null }),
      symptoms: [{ name: 'model_gpu_infeasible', severity: 'medium' }],
    },
    {
      why: 'a checkpoint of nothing was not measured',
      ...manifest({}, { local_model_config: { weights_bytes: 0 } }),
      symptoms: [
        { name: 'model_gpu_infeasible', severity: 'medium', evidenceWith: { params_source: 'name' } },
      ],
    },
    {
      why: 'experts spread over GPUs are not in this sum',
      ...manifest({ ep: 8 }),
      symptoms: [{ name: 'model_gpu_infeasible', severity: 'medium' }],
    },
    {
      why: 'a mixture of experts shares part of its weights',
      ...manifest({ model_name: 'Mix-8x22B', gpu_type: 'a100' }),
      symptoms: [{ name: 'model_gpu_infeasible', evidenceWith: { weights_gib: 275.37 } }],
    },
    {
      why: 'a stored fingerprint of another type is none',
      state: { fired_fingerprint: 'Foo-70B' },
      ...manifest({}),
      symptoms: ['model_gpu_infeasible'],
    },
  ],
  sequences: [
    {
      why: 'said once per manifest, standing afterwards, silent when repaired',
      steps: [
        { ...manifest({}), symptoms: ['model_gpu_infeasible'], stateWith: { emitted: true } },
        { ...manifest({}), symptoms: [{ name: 'model_gpu_infeasible', standing: true }] },
        { snapshot: { local_manifest: {} }, symptoms: [] },
        { ...manifest({}), symptoms: [{ name: 'model_gpu_infeasible', standing: true }] },
        { ...manifest(onMi300x), symptoms: [], stateWith: { emitted: false } },
        { ...manifest({}), symptoms: [{ name: 'model_gpu_infeasible', severity: 'high' }] },
      ],
    },
    {
      why: 'a muted one is said later',
      steps: [
        { ...manifest({}), symptoms: ['model_gpu_infeasible'] },
        { ...manifest({ tp: 2 }), isSettled: () => false, symptoms: ['model_gpu_infeasible'] },
        { ...manifest({ tp: 2 }), symptoms: ['model_gpu_infeasible'] },
        { ...manifest({ tp: 2 }), symptoms: [{ name: 'model_gpu_infeasible', standing: true }] },
      ],
    },
    {
      why: 'what was found fine does not stand when the limits change',
      steps: [
        { ...manifest({ tp: 2 }), config: { preflight_min_headroom_pct: 1 }, symptoms: [] },
        { ...manifest({ tp: 2 }), config: { preflight_min_headroom_pct: 50 }, symptoms: [] },
      ],
    },
    {
      why: 'the checkpoint is measured after the name was believed: now it is certain',
      steps: [
        {
          ...manifest({}, { local_model_config: null }),
          symptoms: [{ name: 'model_gpu_infeasible', severity: 'medium' }],
        },
        {
          ...manifest({}, { local_model_config: { weights_bytes: 141e9 } }),
          symptoms: [{ name: 'model_gpu_infeasible', severity: 'high' }],
        },
        {
          ...manifest({}, { local_model_config: { weights_bytes: 141e9 } }),
          symptoms: [{ name: 'model_gpu_infeasible', severity: 'high', standing: true }],
        },
      ],
    },
    {
      why: 'a GPU probe that answers late still counts',
      steps: [
        { ...manifest({ gpu_type: 'new' }), symptoms: [] },
        {
          ...manifest({ gpu_type: 'new' }, { local_gpu: { gpus: [{ gpu_id: 0, vram_total_mb: 81920 }] } }),
          symptoms: ['model_gpu_infeasible'],
        },
      ],
    },
    {
      why: 'the fingerprint of the reference is understood',
      state: { fired_fingerprint: ['Foo-70B', '', 'h100', 1, 'bf16', 8192, 16] },
      steps: [{ ...manifest({}), symptoms: [{ name: 'model_gpu_infeasible', standing: true }] }],
    },
  ],
});

describe('the KV cache of a model', () => {
  const demand = { tp: 2, maxModelLen: 2 ** 20, conc: 4, modelClass: 'moe_swa' };
  const config = { num_hidden_layers: 1, num_key_value_heads: 1, head_dim: 256 };

  it('is that of one sequence, split over the GPUs', () => {
    // 2 x 1 x 1 x 256 x 2 bytes x 2^20 tokens = 1 GiB
    expect(kvCache({ ...demand, modelConfig: config })).toEqual({
      perGpuGib: 0.5,
      sharded: true,
      source: 'config',
    });
  });

  it('is not split in its latent form, with or without rotary part', () => {
    const latent = { num_hidden_layers: 1, kv_lora_rank: 512, qk_rope_head_dim: 0 };
    expect(kvCache({ ...demand, modelConfig: latent })).toEqual({
      perGpuGib: 1,
      sharded: false,
      source: 'config',
    });
  });

  it.each<[string, JsonObject]>([
    ['no layers', { ...config, num_hidden_layers: 0 }],
    ['no heads', { ...config, num_key_value_heads: 0 }],
    ['half a head', { ...config, num_key_value_heads: 0.5 }],
    ['no head size', { num_hidden_layers: 1, num_key_value_heads: 1 }],
    ['a negative rotary part', { num_hidden_layers: 1, kv_lora_rank: 512, qk_rope_head_dim: -1 }],
    ['a latent rank without rotary part', { ...config, kv_lora_rank: 512 }],
  ])('comes from the class table when the configuration has %s', (_what, modelConfig) => {
    // 4 bytes x 2^20 tokens x 4 sequences / 2 GPUs = 8 MiB
    expect(kvCache({ ...demand, modelConfig })).toEqual({
      perGpuGib: 1 / 128,
      sharded: true,
      source: 'class',
    });
  });
});

describe('the size in a model name', () => {
  it.each([
    ['Foo-70B', 70],
    ['70b', 70],
    ['foo 70 B', 70],
    ['model_34B', 34],
    ['Foo-30B-A3B', 30],
    ['Foo-17B-16E', 17],
    ['x-1.5b-2', 1.5],
    ['v1.5B', 1.5],
    ['Foo V3B', 3],
    ['8bit-70B', 70],
    ['7B2', 7],
    ['Mix-8x22B', 140.8],
    ['mix 8 X 7B', 44.8],
  ])('%s is %d billion', (name, billions) => {
    expect(billionsFromName(name)).toBeCloseTo(billions, 9);
  });

  it.each(['7Bx', 'foo-671BF16', 'A-3.B', '', 'x405B', 'rev1.2.7Bit', 'Foo-0B', 'Foo-xxB', '8x', 'v.5B'])(
    '%s tells none',
    (name) => {
      expect(billionsFromName(name)).toBeUndefined();
    },
  );

  it('is found in linear time', () => {
    expect(billionsFromName(`${'9'.repeat(50_000)} ${' '.repeat(50_000)}x`)).toBeUndefined();
  });
});

it('answers any manifest with finite numbers', () => {
  const anything = fc.oneof(fc.jsonValue(), fc.integer({ min: 0, max: 9 }));
  fc.assert(
    fc.property(
      fc.record({
        tp: anything,
        gpu_type: fc.constantFrom('h100', 'x', 5),
        ep: anything,
        workload: anything,
      }),
      fc.record({
        num_hidden_layers: anything,
        kv_lora_rank: anything,
        head_dim: anything,
        weights_bytes: anything,
      }),
      (change, config) => {
        const sight = manifest(change as JsonObject, { local_model_config: config as JsonObject });
        for (const { evidence } of runRule(modelGpuFit, sight).symptoms) {
          for (const [key, value] of Object.entries(evidence)) {
            if (key.endsWith('_gib') || key.endsWith('_pct')) expect(value).toSatisfy(Number.isFinite);
          }
        }
      },
    ),
    { numRuns: 200 },
  );
});
