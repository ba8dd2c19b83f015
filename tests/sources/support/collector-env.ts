import { join } from 'node:path';
import { defaultsOf } from '../../../src/foreign/config-field.js';
import type { JsonObject } from '../../../src/foreign/json.js';
import type { Collector, CollectorAnswer, CollectorEnv } from '../../../src/sources/collector.js';
import { type SourcesConfig, sourcesFields } from '../../../src/sources/config.js';
import type { SharedFacts } from '../../../src/sources/facts.js';

/** The clock of the tests, unix s. */
export const NOW = 1_790_000_000;

export interface EnvChanges {
  readonly sessionDir?: string | null;
  readonly config?: Partial<SourcesConfig>;
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly nowUnix?: number;
  readonly memory?: JsonObject;
  readonly cache?: JsonObject;
  readonly facts?: SharedFacts;
  /** Below it lie `proc`, `sys` and `dev`; without it nothing of the machine is there. */
  readonly root?: string;
}

/** An environment in which there is nothing but what a test puts there. */
export function collectorEnv(changes: EnvChanges = {}): CollectorEnv {
  const root = changes.root ?? '/nonexistent';
  return {
    sessionDir: changes.sessionDir ?? null,
    config: { ...defaultsOf(sourcesFields), ...changes.config },
    env: changes.env ?? {},
    nowUnix: changes.nowUnix ?? NOW,
    promptDriven: true,
    memory: changes.memory ?? {},
    cache: changes.cache ?? {},
    facts: changes.facts ?? {},
    procRoot: join(root, 'proc'),
    sysRoot: join(root, 'sys'),
    devRoot: join(root, 'dev'),
  };
}

/** Runs one collector without the probe around it. */
export function collect(collector: Collector, changes: EnvChanges = {}): Promise<CollectorAnswer> {
  return collector.collect(collectorEnv(changes), new AbortController().signal);
}
