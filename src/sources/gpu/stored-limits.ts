import { finiteNumber, type JsonObject, objectOr } from '../../foreign/json.js';
import type { CollectorAnswer, CollectorEnv } from '../collector.js';
import type { DeviceLimits } from './ask-amd.js';
import { celsius } from './metric-value.js';
import type { TemperatureLimits } from './reading.js';

/** How long stated limits are believed, s: they are properties of the boards, and asking for them takes seconds. */
const BELIEVED_S = 3600;

/** Limits out of the cache; undefined when they have to be asked for. */
export function rememberedLimits(stored: unknown, nowUnix: number): DeviceLimits | undefined {
  const { sampled_unix, by_gpu } = objectOr(stored);
  const sampled = finiteNumber(sampled_unix);
  if (sampled === undefined || sampled > nowUnix || nowUnix - sampled > BELIEVED_S) return undefined;
  return new Map(
    Object.entries(objectOr(by_gpu)).map(([id, limits]) => [Number(id), parsed(objectOr(limits))]),
  );
}

/** The limits for the cache; nothing when they came from there. */
export function storedLimits(
  limits: DeviceLimits | undefined,
  env: CollectorEnv,
): Pick<CollectorAnswer, 'cache'> {
  if (!limits || rememberedLimits(env.cache['gpu_limits'], env.nowUnix)) return {};
  return { cache: { gpu_limits: { sampled_unix: env.nowUnix, by_gpu: Object.fromEntries(limits) } } };
}

function parsed(limits: JsonObject): TemperatureLimits {
  const known = (['edge', 'junction', 'memory'] as const).flatMap((sensor) => {
    const value = celsius(limits[sensor]);
    return value === undefined ? [] : [[sensor, value] as const];
  });
  return Object.fromEntries(known);
}
