import { isAbsolute } from 'node:path';
import { finiteNumber, isObject, type JsonObject, nonBlank, objectOr } from '../../foreign/json.js';
import { parseWriterJson } from '../../foreign/writer-json.js';
import type { Collector, CollectorAnswer, CollectorVerdict } from '../collector.js';
import { kvCacheDtype, modelConfig, totalSize } from './model-config.js';
import { MAX_CONFIG, type ModelFiles, readModelFiles } from './model-files.js';

const BUDGET_MS = 1000;
const CHILD_LIMIT_MS = 900;
/** How long an answer is believed, s: a model does not change under a running session. */
const BELIEVED_S = 600;

/** The model's own numbers, from its directory (spec 02 §10.7). */
export const modelConfigCollector: Collector = {
  names: ['model_config'],
  hostBound: false,
  needsSession: true,
  needs: ['manifest'],
  budgetMs: () => BUDGET_MS,
  disabled: (config) => (config.preflight_enabled ? undefined : 'disabled'),
  whenUnknown: { local_model_config: null },
  async collect({ facts, env, cache, nowUnix }, signal): Promise<CollectorAnswer> {
    const manifest = facts.manifest ?? {};
    const path = nonBlank(manifest['model_path']);
    if (path === undefined) return unknown({ status: 'unknown', reason: 'missing', detail: 'no model_path' });
    if (!isAbsolute(path)) return unknown(NO_DIRECTORY);
    const kv_cache_dtype = kvCacheDtype(manifest);
    const known = believed(cache['model_config'], path, nowUnix);
    if (known) return found({ ...known, kv_cache_dtype }, { status: 'ok' });

    const files = await readModelFiles(path, { env, timeoutMs: CHILD_LIMIT_MS, signal });
    if (files === null)
      return unknown({ status: 'timeout', reason: 'deadline', detail: 'the directory does not answer' });
    if (!files.is_directory) return unknown(NO_DIRECTORY);
    const config = parsedConfig(files);
    const weights_bytes =
      (files.index_head === null ? null : totalSize(files.index_head)) ?? files.shard_bytes;
    const slot = { ...modelConfig(path, config.value), weights_bytes, sampled_unix: nowUnix };
    const answer = found({ ...slot, kv_cache_dtype }, config.verdict);
    return config.verdict.status === 'ok' ? { ...answer, cache: { model_config: slot } } : answer;
  },
};

const NO_DIRECTORY = { status: 'unknown', reason: 'missing', detail: 'model_path is no directory' } as const;

function unknown(verdict: CollectorVerdict): CollectorAnswer {
  return { verdicts: { model_config: verdict }, slots: { local_model_config: null } };
}

function found(local_model_config: JsonObject, verdict: CollectorVerdict): CollectorAnswer {
  return { verdicts: { model_config: verdict }, slots: { local_model_config } };
}

function believed(stored: unknown, path: string, nowUnix: number): JsonObject | undefined {
  const slot = objectOr(stored);
  const sampled = finiteNumber(slot['sampled_unix']);
  const isYoung = sampled !== undefined && sampled <= nowUnix && nowUnix - sampled < BELIEVED_S;
  return isYoung && slot['path'] === path ? slot : undefined;
}

function parsedConfig({ config }: ModelFiles): { value: JsonObject; verdict: CollectorVerdict } {
  if (config === null) {
    return { value: {}, verdict: { status: 'unknown', reason: 'missing', detail: 'no config.json' } };
  }
  if (Buffer.byteLength(config) > MAX_CONFIG)
    return { value: {}, verdict: { status: 'error', reason: 'too_large' } };
  const parsed = parseWriterJson(config);
  if (parsed.ok && isObject(parsed.value)) return { value: parsed.value, verdict: { status: 'ok' } };
  const detail = parsed.ok ? 'not an object' : parsed.message;
  return { value: {}, verdict: { status: 'error', reason: 'corrupt', detail } };
}
