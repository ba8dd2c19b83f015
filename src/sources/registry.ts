import type { Collector, Join } from './collector.js';

/** Every collector; the order is that of start and of nothing else. */
export const COLLECTORS: readonly Collector[] = [];

/** Completions of slots after all collectors, in this order. */
export const JOINS: readonly Join[] = [];
