import { SystemFailure, type SystemUnderTest, withOneRetry } from '../adapters/system.js';
import { MAX_LOST_SHARE } from '../experiment/pair-log.js';
import { MAX_EVENTS } from '../trace/batch-builder.js';
import type { TraceEvent } from '../trace/event.js';
import type { Config } from '../types.js';
import type { LoopSettings } from './settings.js';

/** What the discovery runs showed. */
export interface Discovery {
  readonly events: readonly TraceEvent[];
  readonly lost: number;
}

/**
 * Runs the current configuration on the discovery seeds.
 *
 * @throws SystemFailure when more than 10 % of the runs failed twice, or with more events than are scored
 */
export async function discover(
  system: SystemUnderTest,
  settings: LoopSettings,
  config: Config,
): Promise<Discovery> {
  const events: TraceEvent[] = [];
  let lost = 0;
  let firstReason = '';
  for (let place = 0; place < settings.discovery_runs; place += 1) {
    const request = { config, seed: settings.discovery_seed + place, arm: 'discovery' } as const;
    const run = await withOneRetry(() => system.trace(request, place));
    if (run.ok) {
      for (const event of run.events) events.push(event);
      if (events.length > MAX_EVENTS)
        throw new SystemFailure(`discovery gave more than ${MAX_EVENTS} events`);
      continue;
    }
    lost += 1;
    firstReason ||= run.reason;
    if (lost > MAX_LOST_SHARE * settings.discovery_runs) {
      throw new SystemFailure(`${lost} discovery runs failed, the first because ${firstReason}`);
    }
  }
  return { events, lost };
}
