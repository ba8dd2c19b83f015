import { integer, isObject, type Json, type JsonObject } from '../../../foreign/json.js';
import type { ReactorContext } from '../../../reactor/context.js';
import type { Snapshot } from '../../../sources/snapshot.js';
import { gpuMemory } from './gpu-memory.js';
import { kvCache } from './kv-cache.js';
import { type ModelManifest, tableKey } from './manifest.js';
import { billionsFromName } from './parameter-count.js';

const BYTES_PER_GIB = 2 ** 30;
/** Allowance for what a server holds beside the bare tensors. */
const WEIGHTS_OVERHEAD = 1.05;
/** A larger sum comes from nonsense in the manifest and is not judged. */
const MAX_PLAUSIBLE_GIB = 1e9;
const DEFAULT_MAX_MODEL_LEN = 4096;
const DEFAULT_CONCURRENCY = 8;

/** Bytes per parameter and precision (spec 04 §3). */
const BYTES_PER_PARAMETER: Readonly<Record<string, number>> = {
  fp32: 4,
  fp16: 2,
  bf16: 2,
  fp8: 1,
  int8: 1,
  fp4: 0.5,
  int4: 0.5,
  awq: 0.5,
  gptq: 0.5,
};

/** Memory need of one GPU, GiB, unrounded. */
export interface Estimate {
  readonly tp: number;
  readonly weightsGib: number;
  readonly kvGib: number;
  readonly kvSharded: boolean;
  readonly activationGib: number;
  readonly requiredGib: number;
  readonly hbmGib: number;
  readonly headroomPct: number;
  readonly modelClassUsed: string;
  readonly kvSource: 'config' | 'class';
  readonly hbmSource: 'table' | 'measured';
  readonly paramsSource: 'name' | 'config';
}

/** What the manifest needs on one GPU; undefined when a part of the sum is unknown. */
export function estimate(
  manifest: ModelManifest,
  context: ReactorContext,
  snapshot: Snapshot,
  activationGib: number,
): Estimate | undefined {
  const { tp } = manifest;
  if (tp === undefined || tp < 1) return undefined;
  const modelConfig = isObject(snapshot.local_model_config) ? snapshot.local_model_config : undefined;
  const weights = weightsGib(manifest, modelConfig);
  const memory = gpuMemory(manifest.gpuType, snapshot);
  if (!weights || !memory) return undefined;
  const modelClassUsed = classOf(manifest, context);
  const kv = kvCache({
    tp,
    maxModelLen: positiveOr(manifest.maxModelLen, DEFAULT_MAX_MODEL_LEN),
    conc: positiveOr(manifest.conc, DEFAULT_CONCURRENCY),
    modelClass: modelClassUsed,
    modelConfig,
  });
  const requiredGib = weights.gib / tp + kv.perGpuGib + activationGib;
  if (requiredGib > MAX_PLAUSIBLE_GIB) return undefined;
  return {
    tp,
    weightsGib: weights.gib / tp,
    kvGib: kv.perGpuGib,
    kvSharded: kv.sharded,
    activationGib,
    requiredGib,
    hbmGib: memory.gib,
    headroomPct: ((memory.gib - requiredGib) / memory.gib) * 100,
    modelClassUsed,
    kvSource: kv.source,
    hbmSource: memory.source,
    paramsSource: weights.source,
  };
}

/** Bytes of the checkpoint's tensors, when the collector could sum them. */
export function checkpointBytes(modelConfig: Json | undefined): number | undefined {
  const bytes = isObject(modelConfig) ? integer(modelConfig['weights_bytes']) : undefined;
  return bytes !== undefined && bytes > 0 ? bytes : undefined;
}

function weightsGib(
  manifest: ModelManifest,
  modelConfig: JsonObject | undefined,
): { gib: number; source: 'name' | 'config' } | undefined {
  const bytes = checkpointBytes(modelConfig);
  if (bytes !== undefined) return { gib: (bytes * WEIGHTS_OVERHEAD) / BYTES_PER_GIB, source: 'config' };
  const billions = billionsFromName(manifest.modelName);
  const width = BYTES_PER_PARAMETER[tableKey(manifest.precision)];
  if (billions === undefined || width === undefined) return undefined;
  return { gib: (billions * 1e9 * width * WEIGHTS_OVERHEAD) / BYTES_PER_GIB, source: 'name' };
}

/** Today's manifests name no class; the prompt does, in another spelling (spec 04 model_gpu_fit-3). */
function classOf(manifest: ModelManifest, { shared_state: state }: ReactorContext): string {
  if (manifest.modelClass !== '') return manifest.modelClass;
  return tableKey(state.model_class).replaceAll('-', '_');
}

function positiveOr(value: number | undefined, fallback: number): number {
  return value !== undefined && value > 0 ? value : fallback;
}
