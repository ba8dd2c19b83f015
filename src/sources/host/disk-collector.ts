import type { Collector } from '../collector.js';
import { hostLooks } from '../on-this-host.js';

/** How full the file systems are that a session writes to (spec 02 §5.3, §10.7). */
export const diskCollector: Collector = {
  names: ['disk'],
  hostBound: true,
  needs: ['state'],
  budgetMs: () => 1000,
  whenUnknown: { local_disk: {} },
  collect: async (env, signal) => (await hostLooks()).collectDisk(env, signal),
};
