import { busCollector } from './bus/bus-collector.js';
import type { Collector, Join } from './collector.js';
import { diskCollector } from './host/disk-collector.js';
import { kernelCollector } from './host/kernel-collector.js';
import { memoryCollector } from './host/memory-collector.js';
import { shmCollector } from './host/shm-collector.js';
import { livingEngines } from './logs/engines-join.js';
import { logsCollector } from './logs/logs-collector.js';
import { processesCollector } from './processes/processes-collector.js';
import { stateCollector } from './session/state-collector.js';

/** Every collector; the order is that of start, so those that wait for a child process come before those that compute. */
export const COLLECTORS: readonly Collector[] = [
  busCollector,
  stateCollector,
  processesCollector,
  logsCollector,
  diskCollector,
  memoryCollector,
  kernelCollector,
  shmCollector,
];

/** Completions of slots after all collectors, in this order. */
export const JOINS: readonly Join[] = [livingEngines];
