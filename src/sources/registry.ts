import { aiterCollector } from './aiter/aiter-collector.js';
import { auditCollector } from './artifacts/audit-collector.js';
import { breakdownCollector } from './artifacts/breakdown-collector.js';
import { criticCollector } from './artifacts/critic-collector.js';
import { manifestCollector } from './artifacts/manifest-collector.js';
import { modelConfigCollector } from './artifacts/model-config-collector.js';
import { busCollector } from './bus/bus-collector.js';
import type { Collector, Join } from './collector.js';
import { gatewayCollector } from './external/gateway-collector.js';
import { mountsCollector } from './external/mounts-collector.js';
import { tracelensCollector } from './external/tracelens-collector.js';
import { fdCollector } from './fd/fd-collector.js';
import { gpuCollector } from './gpu/gpu-collector.js';
import { gpuHoldersJoin } from './gpu/holders-join.js';
import { healthCollector } from './health/health-collector.js';
import { diskCollector } from './host/disk-collector.js';
import { kernelCollector } from './host/kernel-collector.js';
import { memoryCollector } from './host/memory-collector.js';
import { shmCollector } from './host/shm-collector.js';
import { livingEngines } from './logs/engines-join.js';
import { logsCollector } from './logs/logs-collector.js';
import { processesCollector } from './processes/processes-collector.js';
import { rayCollector } from './ray/ray-collector.js';
import { stateCollector } from './session/state-collector.js';

/** Every collector; the order is that of start, so those that wait for a child process come before those that compute. */
export const COLLECTORS: readonly Collector[] = [
  gpuCollector,
  mountsCollector,
  gatewayCollector,
  busCollector,
  stateCollector,
  processesCollector,
  rayCollector,
  healthCollector,
  logsCollector,
  diskCollector,
  memoryCollector,
  kernelCollector,
  shmCollector,
  fdCollector,
  aiterCollector,
  manifestCollector,
  modelConfigCollector,
  breakdownCollector,
  criticCollector,
  auditCollector,
  tracelensCollector,
];

/** Completions of slots after all collectors, in this order. */
export const JOINS: readonly Join[] = [livingEngines, gpuHoldersJoin];
