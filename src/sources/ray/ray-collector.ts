import type { Collector } from '../collector.js';
import { hostLooks } from '../on-this-host.js';
import { rayTimeoutMs } from './ray-timeout.js';

const OVERHEAD_MS = 300;

/** The Ray cluster: whether its head answers, and what waits (spec 02 §5.10, §10.7). */
export const rayCollector: Collector = {
  names: ['ray'],
  hostBound: true,
  needs: ['processes'],
  budgetMs: (config) => rayTimeoutMs(config) + OVERHEAD_MS,
  disabled: (config) => (config.ray_probe_enabled ? undefined : 'disabled'),
  whenUnknown: { local_ray: {} },
  collect: async (env, signal) => (await hostLooks()).collectRay(env, signal),
};
