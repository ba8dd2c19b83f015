/** What looks at this host: all that a tick without local probes never runs, in one file of its own. */
export { collectAiter } from './aiter/collect-aiter.js';
export { collectFd } from './fd/collect-fd.js';
export { collectGpu } from './gpu/collect-gpu.js';
export { collectHealth } from './health/collect-health.js';
export { collectDisk } from './host/collect-disk.js';
export { collectKernel } from './host/collect-kernel.js';
export { collectShm } from './host/collect-shm.js';
export { collectProcesses } from './processes/collect-processes.js';
export { collectRay } from './ray/collect-ray.js';
