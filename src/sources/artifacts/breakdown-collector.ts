import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import { isObject, type JsonObject, objectOr } from '../../foreign/json.js';
import type { Collector, CollectorAnswer, CollectorVerdict } from '../collector.js';
import { readJson } from '../tools/read-json.js';
import { refusalVerdict } from '../tools/refusal-verdict.js';
import { summariseBreakdown } from './breakdown.js';

const MAX_BYTES = 64 * 2 ** 20;

/** `profiles/kernel_breakdown.json`, summed up per tier; read again only when it has changed (spec 02 §5.15, §10.7). */
export const breakdownCollector: Collector = {
  names: ['breakdown'],
  hostBound: false,
  needsSession: true,
  needs: [],
  budgetMs: () => 2000,
  disabled: (config) => (config.preflight_enabled ? undefined : 'disabled'),
  whenUnknown: { local_kernel_breakdown: {} },
  async collect({ sessionDir, cache, nowUnix }): Promise<CollectorAnswer> {
    if (sessionDir === null)
      return { verdicts: { breakdown: { status: 'skipped', reason: 'no_session' } }, slots: {} };
    const path = join(sessionDir, 'profiles', 'kernel_breakdown.json');
    const known = remembered(cache['breakdown'], path);
    if (known) return { verdicts: { breakdown: { status: 'ok' } }, slots: { local_kernel_breakdown: known } };
    const read = readJson(path, { maxBytes: MAX_BYTES, root: sessionDir });
    if (!read.ok) return nothing(refusalVerdict(read));
    if (!Array.isArray(read.value))
      return nothing({ status: 'error', reason: 'corrupt', detail: 'not a list' });
    const slot = {
      ...summariseBreakdown(read.value),
      kernel_breakdown_path: path,
      mtime: read.mtimeUnix,
      sampled_unix: nowUnix,
    };
    return {
      verdicts: { breakdown: { status: 'ok' } },
      slots: { local_kernel_breakdown: slot },
      cache: { breakdown: { size: read.size, slot } },
    };
  },
};

function nothing(verdict: CollectorVerdict): CollectorAnswer {
  return {
    verdicts: { breakdown: verdict },
    slots: { local_kernel_breakdown: {} },
    cache: { breakdown: undefined },
  };
}

/** The sums of the last reading, if the file is still the same. */
function remembered(stored: unknown, path: string): JsonObject | undefined {
  const { size, slot } = objectOr(stored);
  if (!isObject(slot) || slot['kernel_breakdown_path'] !== path) return undefined;
  try {
    const stat = lstatSync(path);
    return stat.isFile() && stat.size === size && stat.mtimeMs / 1000 === slot['mtime'] ? slot : undefined;
  } catch {
    // Gone: then it is read, and found missing.
    return undefined;
  }
}
