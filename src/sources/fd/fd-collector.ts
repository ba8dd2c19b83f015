import type { Collector } from '../collector.js';
import { hostLooks } from '../on-this-host.js';

/** Open file descriptors of the Coordinator, against its soft limit, and of the system (spec 02 §5.11, §10.7). */
export const fdCollector: Collector = {
  names: ['fd'],
  hostBound: true,
  needs: ['state'],
  budgetMs: () => 500,
  disabled: (config) => (config.fd_probe_enabled ? undefined : 'disabled'),
  whenUnknown: { local_fd: {} },
  collect: async (env) => (await hostLooks()).collectFd(env),
};
