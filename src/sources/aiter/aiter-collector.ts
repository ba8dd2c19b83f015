import type { Collector } from '../collector.js';
import { hostLooks } from '../on-this-host.js';

/** The cache of compiled kernels: what is in it, whose locks lie around, who compiles (spec 02 §5.12, §10.7). */
export const aiterCollector: Collector = {
  names: ['aiter'],
  hostBound: true,
  needs: ['processes'],
  budgetMs: () => 2000,
  whenUnknown: { local_aiter_jit: {} },
  collect: async (env, signal) => (await hostLooks()).collectAiter(env, signal),
};
