import type { Collector } from '../collector.js';
import { hostLooks } from '../on-this-host.js';

/** GPUs: what they do, how warm and how full they are, who holds them (spec 02 §10.2). */
export const gpuCollector: Collector = {
  names: ['gpu'],
  hostBound: true,
  needs: [],
  budgetMs: () => 8000,
  whenUnknown: { local_gpu: {} },
  collect: async (env, signal) => (await hostLooks()).collectGpu(env, signal),
};
