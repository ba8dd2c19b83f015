import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { JsonObject } from '../../foreign/json.js';
import type { Collector, CollectorAnswer } from '../collector.js';
import { type JsonFile, readJsonObject } from '../tools/read-json.js';
import { refusalVerdict } from '../tools/refusal-verdict.js';
import { abortSignal, type Stop } from '../tools/stop.js';

const MAX_BYTES = 4 * 2 ** 20;
/** Time between the two readings that must both fail, ms. */
const RECHECK_MS = 200;

/** `manifest.json`, verbatim (spec 02 §5.14, §10.6). */
export const manifestCollector: Collector = {
  names: ['manifest'],
  hostBound: false,
  needsSession: true,
  needs: [],
  budgetMs: () => 1000,
  disabled: (config) => (config.preflight_enabled ? undefined : 'disabled'),
  whenUnknown: { local_manifest: {} },
  async collect({ sessionDir }, signal): Promise<CollectorAnswer> {
    if (sessionDir === null)
      return { verdicts: { manifest: { status: 'skipped', reason: 'no_session' } }, slots: {} };
    const read = await readManifest(sessionDir, signal);
    if (!read.ok) return { verdicts: { manifest: refusalVerdict(read) }, slots: { local_manifest: {} } };
    return {
      verdicts: { manifest: { status: 'ok' } },
      slots: { local_manifest: read.value },
      facts: { manifest: read.value },
    };
  },
};

/** A short read happens on network file systems, so one that fails is repeated. */
async function readManifest(sessionDir: string, signal: Stop): Promise<JsonFile<JsonObject>> {
  const path = join(sessionDir, 'manifest.json');
  const limits = { maxBytes: MAX_BYTES, root: sessionDir };
  const first = readJsonObject(path, limits);
  if (first.ok || first.reason !== 'corrupt') return first;
  await delay(RECHECK_MS, undefined, { signal: abortSignal(signal) });
  return readJsonObject(path, limits);
}
