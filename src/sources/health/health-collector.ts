import type { Collector } from '../collector.js';
import { hostLooks } from '../on-this-host.js';
import { healthTimeoutMs } from './timeout.js';

/** What finding the targets and loading the client may cost beyond the requests on a host under load, ms. */
const OVERHEAD_MS = 2500;

/** Inference servers, by their health endpoints, all at once (spec 02 §5.9, §10.4, §10.5). */
export const healthCollector: Collector = {
  names: ['health'],
  hostBound: true,
  needs: ['processes'],
  budgetMs: (config) => healthTimeoutMs(config) + OVERHEAD_MS,
  whenUnknown: { local_server_health: [] },
  collect: async (env, signal) => (await hostLooks()).collectHealth(env, signal),
};
