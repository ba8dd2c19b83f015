import type { Collector } from '../collector.js';
import { hostLooks } from '../on-this-host.js';

/** Killed processes, silent file servers, and GPUs that are lost or reset, as the kernel tells them: slot `local_kernel` (spec 04 §11). */
export const kernelCollector: Collector = {
  names: ['kernel'],
  hostBound: true,
  needs: [],
  budgetMs: () => 2000,
  whenUnknown: { local_kernel: null },
  collect: async (env, signal) => (await hostLooks()).collectKernel(env, signal),
};
