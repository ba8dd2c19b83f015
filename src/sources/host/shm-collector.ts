import type { Collector } from '../collector.js';
import { hostLooks } from '../on-this-host.js';

/** Shared memory that no living process maps: slot `local_shm`. */
export const shmCollector: Collector = {
  names: ['shm'],
  hostBound: true,
  needs: ['processes'],
  budgetMs: () => 1000,
  whenUnknown: { local_shm: null },
  collect: async (env, signal) => (await hostLooks()).collectShm(env, signal),
};
