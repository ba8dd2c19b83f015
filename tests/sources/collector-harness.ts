import { defaultsOf } from '../../src/foreign/config-field.js';
import type { JsonObject } from '../../src/foreign/json.js';
import type { Collector, CollectorAnswer, CollectorEnv } from '../../src/sources/collector.js';
import { sourcesFields } from '../../src/sources/config.js';

/** A collector's environment as the probe builds it, with what a test sets over it. */
export function collectorEnv(over: Partial<CollectorEnv> & { configOver?: JsonObject } = {}): CollectorEnv {
  const { configOver, ...rest } = over;
  return {
    sessionDir: null,
    config: { ...defaultsOf(sourcesFields), ...configOver },
    env: { PATH: '/usr/bin:/bin' },
    nowUnix: Date.now() / 1000,
    promptDriven: false,
    memory: {},
    cache: {},
    facts: {},
    procRoot: '/proc',
    sysRoot: '/sys',
    devRoot: '/dev',
    ...rest,
  };
}

/** Runs one collector within its budget. */
export function look(
  collector: Collector,
  over: Partial<CollectorEnv> & { configOver?: JsonObject } = {},
): Promise<CollectorAnswer> {
  const env = collectorEnv(over);
  return collector.collect(env, AbortSignal.timeout(collector.budgetMs(env.config)));
}
