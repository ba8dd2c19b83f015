import type { JsonObject } from '../../foreign/json.js';
import { chooseEngine, type EngineChoice } from './engine-choice.js';
import { ModelEngine } from './model-engine.js';
import type { RcaEngine, RcaEngineOptions } from './rca-engine.js';

/** The engine that configuration and environment ask for; a silent one when they ask for none. */
export function createRcaEngine(options: RcaEngineOptions): RcaEngine {
  const choice = chooseEngine(options.config, options.env);
  for (const warning of choice.warnings) options.log.warn({}, warning);
  return choice.kind === 'on'
    ? new ModelEngine(options, choice, choice.credentials)
    : silentEngine(choice, options.slot);
}

/** Contacts nobody, and leaves the stored throttle as it is. */
function silentEngine(choice: EngineChoice, slot: JsonObject): RcaEngine {
  return {
    choice,
    onTick: () => undefined,
    summarize: async (questions) => questions.map(() => ({ text: '', status: 'off' })),
    drainUsage: () => null,
    slot: () => slot,
    close: async () => undefined,
  };
}
