import type { Collector } from '../collector.js';
import { hostLooks } from '../on-this-host.js';

/** Servers, benchmark clients and the like, and whose they are (spec 02 §5.4, §5.5, §10.4). */
export const processesCollector: Collector = {
  names: ['processes'],
  hostBound: true,
  needs: ['state'],
  budgetMs: () => 3000,
  whenUnknown: {
    local_processes: [],
    local_processes_known: false,
    local_processes_scope: null,
    local_zombies: null,
  },
  collect: async (env, signal) => (await hostLooks()).collectProcesses(env, signal),
};
