import { finiteNumber, type JsonObject, objectOr, objectsOf, text } from '../../foreign/json.js';
import { redactText } from '../../foreign/redact.js';
import type { CollectorAnswer, CollectorEnv, CollectorVerdict } from '../collector.js';
import { type Stop, within } from '../tools/stop.js';
import { type AmdAnswer, askAmd } from './ask-amd.js';
import { askNvidia } from './ask-nvidia.js';
import { gpuEntries, type HeldGpuEntry } from './gpu-entries.js';
import { readKfd } from './kfd.js';
import type { SourceTrouble, VendorAnswer } from './source-answer.js';
import { rememberedLimits, storedLimits } from './stored-limits.js';
import { readSysfs } from './sysfs.js';

/** When the tools have to stop, so that what the others said still gets through, ms. */
const TOOLS_LIMIT_MS = 7000;
/** How long the driver's own files may take, ms: they answer at once or not at all. */
const SYSFS_LIMIT_MS = 2000;
/** How long the last good sample may stand in, s. */
const STAND_IN_S = 60;
const RAW_LIMIT = 4096;

/** The look of the collector `gpu`; `toolsLimitMs` is the time that tools get, ms. */
export async function collectGpu(
  env: CollectorEnv,
  signal: Stop,
  toolsLimitMs: number = TOOLS_LIMIT_MS,
): Promise<CollectorAnswer> {
  const limit = within(signal, toolsLimitMs);
  const kernel = readKfd(env.sysRoot);
  const [amd, nvidia] = await Promise.all([
    askAmd({
      env: env.env,
      signal: limit,
      sysfs: readSysfs(env.sysRoot, { env: env.env, signal: limit, timeoutMs: SYSFS_LIMIT_MS }),
      knownLimits: rememberedLimits(env.cache['gpu_limits'], env.nowUnix),
      hasKernelHolders: kernel.then((nodes) => nodes !== undefined),
    }),
    askNvidia(env.env, limit),
  ]);
  const gpus = await gpuEntries({ amd, nvidia, kernel: await kernel }, env, signal);
  return gpus.length > 0 ? seen(env, amd, nvidia, gpus) : unseen(env, amd, nvidia);
}

function seen(
  env: CollectorEnv,
  amd: AmdAnswer,
  nvidia: VendorAnswer,
  gpus: readonly HeldGpuEntry[],
): CollectorAnswer {
  const tool = [amd.listing?.tool, nvidia.listing?.tool].filter((name) => name !== undefined).join('+');
  const sample = { tool, gpus, sampled_unix: env.nowUnix };
  return {
    verdicts: { gpu: { status: 'ok', detail: detailOf([...amd.troubles, ...nvidia.troubles]) } },
    slots: { local_gpu: { ...sample, lost_gpus: [...amd.lost, ...nvidia.lost] } },
    memory: { gpu_last: sample },
    ...storedLimits(amd.statedLimits, env),
  };
}

function unseen(env: CollectorEnv, amd: VendorAnswer, nvidia: VendorAnswer): CollectorAnswer {
  const troubles = [...amd.troubles, ...nvidia.troubles];
  const lost = [...amd.lost, ...nvidia.lost];
  const verdicts = { gpu: verdictOf(troubles) };
  const standIn = lastSample(env);
  if (standIn) return { verdicts, slots: { local_gpu: standIn } };
  if (amd.raw !== undefined) {
    const raw_csv = redactText(amd.raw.slice(0, RAW_LIMIT));
    return { verdicts, slots: { local_gpu: { raw_csv, tool: 'rocm-smi' } } };
  }
  return { verdicts, slots: { local_gpu: lost.length > 0 ? { lost_gpus: lost } : {} } };
}

/** The last good sample while it is young. Its holders are unknown by now: one look must not count twice as evidence. */
function lastSample(env: CollectorEnv): JsonObject | undefined {
  const last = objectOr(env.memory['gpu_last']);
  const sampled = finiteNumber(last['sampled_unix']);
  const tool = text(last['tool']);
  if (sampled === undefined || tool === undefined) return undefined;
  const age = env.nowUnix - sampled;
  if (age < 0 || age > STAND_IN_S) return undefined;
  const gpus = objectsOf(last['gpus']).map((entry) => ({ ...entry, holders: null }));
  return { tool, gpus, sampled_unix: sampled, lost_gpus: [] };
}

/** What happened to the source that matters most: one that hung, then one that broke, then one that said nothing. */
function verdictOf(troubles: readonly SourceTrouble[]): CollectorVerdict {
  const [worst] = (['timeout', 'error', 'unknown'] as const).flatMap((status) =>
    troubles.filter((trouble) => trouble.status === status),
  );
  if (!worst) return { status: 'unknown', reason: 'not_on_path', detail: 'no GPU tool, no GPU driver' };
  return { status: worst.status, reason: worst.reason, detail: detailOf(troubles) };
}

function detailOf(troubles: readonly SourceTrouble[]): string {
  return redactText(troubles.map(({ tool, detail }) => `${tool}: ${detail}`).join('; '));
}
