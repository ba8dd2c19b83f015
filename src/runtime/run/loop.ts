import { basename, join } from 'node:path';
import { pickFields } from '../../foreign/config-field.js';
import { isObject, type Json, type JsonObject } from '../../foreign/json.js';
import { parseWriterJson } from '../../foreign/writer-json.js';
import type { AgentConfig } from '../../reactor/config/fields.js';
import { reactorFields } from '../../reactor/config/own-fields.js';
import { performTick, type TickReport } from '../../reactor/perform-tick.js';
import { advance, parseOwnCount, STANDALONE_SLOT } from '../../reactor/standalone/own-count.js';
import { progressMark, stateContext } from '../../reactor/standalone/state-context.js';
import { slotOf } from '../../reactor/store/slots.js';
import { readTextBounded } from '../../sources/tools/read-file.js';
import type { Logger } from '../shared/logger.js';
import { rootCause } from '../shared/root-cause.js';
import { VERSION } from '../shared/version.js';

const MAX_STATE_BYTES = 64 * 1024 * 1024;

export interface LoopSetup {
  readonly sessionDir: string;
  readonly config: AgentConfig;
  readonly env: NodeJS.ProcessEnv;
  readonly cwd: string;
  /** The section `selfedit` of the configuration file. */
  readonly selfedit: Json | undefined;
  readonly logger: Logger;
}

/** One tick of the standalone loop: nobody gets its intents, its findings are what counts (spec 01 §1.11). */
export async function standaloneTick(setup: LoopSetup): Promise<TickReport> {
  const { sessionDir, config, env, logger } = setup;
  const nowUnix = Date.now() / 1000;
  const startedAt = performance.now();
  const deadlineMs = pickFields(reactorFields, config).tick_deadline_s * 1000;
  const sessionId = basename(sessionDir);
  const { explain, afterwards } = rootCause({ ...setup, sessionId });
  const report = await performTick({
    sessionDir,
    sessionId,
    config,
    env,
    nowUnix,
    promptDriven: false,
    origin: 'run',
    remainingMs: () => deadlineMs - (performance.now() - startedAt),
    log: (level, message, fields) => logger[level](message, fields),
    configWarnings: [],
    ...(explain && { explain }),
    prepare: ({ slots }) => {
      const state = readState(sessionDir, logger);
      const count = advance(parseOwnCount(slotOf(slots, STANDALONE_SLOT)), progressMark(state), nowUnix);
      const noProgressTicks = env['INFERENCE_OPTIMIZER_NO_PROGRESS_TICKS'];
      return {
        context: stateContext(state, count, { sessionId, sessionDir, nowUnix, noProgressTicks }),
        promptWarnings: [],
        tick: count.tick,
        slots: { [STANDALONE_SLOT]: count },
      };
    },
    deliver: async () => undefined,
    writer: `robustness-agent ${VERSION} run`,
  });
  await afterwards();
  return report;
}

/** The session's `state.json`; one that cannot be read says nothing, which is what the rules then know. */
function readState(sessionDir: string, logger: Logger): JsonObject {
  const read = readTextBounded(join(sessionDir, 'state.json'), {
    maxBytes: MAX_STATE_BYTES,
    root: sessionDir,
  });
  if (!read.ok) {
    logger.debug('state.json not readable', { reason: read.reason, detail: read.detail });
    return {};
  }
  const parsed = parseWriterJson(read.text);
  if (!parsed.ok) logger.debug('state.json not readable', { reason: 'corrupt', detail: parsed.message });
  return parsed.ok && isObject(parsed.value) ? parsed.value : {};
}
