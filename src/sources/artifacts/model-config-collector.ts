import { open, readdir, stat } from 'node:fs/promises';
import { isAbsolute, join } from 'node:path';
import { isObject, type JsonObject, nonBlank } from '../../foreign/json.js';
import { parseWriterJson } from '../../foreign/writer-json.js';
import type { Collector, CollectorAnswer, CollectorVerdict } from '../collector.js';
import { kvCacheDtype, modelConfig, totalSize } from './model-config.js';

const MAX_CONFIG = 2 ** 20;
const INDEX_HEAD = 65_536;
const MAX_SHARDS = 5000;

/**
 * The model's own numbers, from its directory (spec 02 §10.7). The directory is the operator's and may be full of links, or
 * on a mount that has died, so everything is asynchronous.
 */
export const modelConfigCollector: Collector = {
  names: ['model_config'],
  hostBound: false,
  needsSession: true,
  needs: ['manifest'],
  budgetMs: () => 1000,
  disabled: (config) => (config.preflight_enabled ? undefined : 'disabled'),
  whenUnknown: { local_model_config: null },
  async collect({ facts }, signal): Promise<CollectorAnswer> {
    const manifest = facts.manifest ?? {};
    const path = nonBlank(manifest['model_path']);
    if (path === undefined) return unknown({ status: 'unknown', reason: 'missing', detail: 'no model_path' });
    if (!isAbsolute(path) || !(await isDirectory(path))) {
      return unknown({ status: 'unknown', reason: 'missing', detail: 'model_path is no directory' });
    }
    const config = await readConfig(join(path, 'config.json'));
    signal.throwIfAborted();
    const weights_bytes = (await indexedSize(path)) ?? (await shardedSize(path, signal));
    const slot = {
      ...modelConfig(path, config.value),
      kv_cache_dtype: kvCacheDtype(manifest),
      weights_bytes,
    };
    return { verdicts: { model_config: config.verdict }, slots: { local_model_config: slot } };
  },
};

function unknown(verdict: CollectorVerdict): CollectorAnswer {
  return { verdicts: { model_config: verdict }, slots: { local_model_config: null } };
}

async function isDirectory(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isDirectory();
  } catch {
    return false;
  }
}

async function readConfig(path: string): Promise<{ value: JsonObject; verdict: CollectorVerdict }> {
  const source = await readHead(path, MAX_CONFIG + 1);
  if (source === undefined)
    return { value: {}, verdict: { status: 'unknown', reason: 'missing', detail: path } };
  if (source.length > MAX_CONFIG) return { value: {}, verdict: { status: 'error', reason: 'too_large' } };
  const parsed = parseWriterJson(source.toString('utf8'));
  if (parsed.ok && isObject(parsed.value)) return { value: parsed.value, verdict: { status: 'ok' } };
  const detail = parsed.ok ? 'not an object' : parsed.message;
  return { value: {}, verdict: { status: 'error', reason: 'corrupt', detail } };
}

async function indexedSize(directory: string): Promise<number | null> {
  const head = await readHead(join(directory, 'model.safetensors.index.json'), INDEX_HEAD);
  return head === undefined ? null : totalSize(head.toString('latin1'));
}

async function shardedSize(directory: string, signal: AbortSignal): Promise<number | null> {
  try {
    const names = (await readdir(directory))
      .filter((name) => name.endsWith('.safetensors'))
      .slice(0, MAX_SHARDS);
    let sum = 0;
    for (const name of names) {
      signal.throwIfAborted();
      sum += (await stat(join(directory, name))).size;
    }
    return names.length === 0 ? null : sum;
  } catch {
    // A shard that cannot be looked at makes the sum meaningless.
    return null;
  }
}

/** The first bytes of a regular file, links followed; undefined when there is none. */
async function readHead(path: string, maxBytes: number): Promise<Buffer | undefined> {
  try {
    if (!(await stat(path)).isFile()) return undefined;
    const file = await open(path, 'r');
    try {
      const buffer = Buffer.alloc(maxBytes);
      let filled = 0;
      while (filled < maxBytes) {
        const { bytesRead } = await file.read(buffer, filled, maxBytes - filled, filled);
        if (bytesRead === 0) break;
        filled += bytesRead;
      }
      return buffer.subarray(0, filled);
    } finally {
      await file.close();
    }
  } catch {
    // Missing or unreadable: the model does not say.
    return undefined;
  }
}
