import { pickFields } from '../../foreign/config-field.js';
import { describeProblem } from '../../reactor/config/layers.js';
import { reactorFields } from '../../reactor/config/own-fields.js';
import { performTick, type TickReport, type TickSetup } from '../../reactor/perform-tick.js';
import type { TickRequest } from '../../reactor/request/parse-request.js';
import { requestContext } from '../../reactor/request/request-context.js';
import { monotonicMs } from '../../sources/tools/clock.js';
import { loadConfig } from '../shared/load-config.js';
import type { Logger } from '../shared/logger.js';
import type { RecordedTick } from '../shared/recording.js';
import { rootCause } from '../shared/root-cause.js';
import { ownPath, requestSessionDir } from '../shared/session-dir.js';
import { VERSION } from '../shared/version.js';

/** One request and what surrounds it. */
export interface TickCall {
  readonly request: TickRequest;
  /** `--config`. */
  readonly config: string | undefined;
  readonly env: NodeJS.ProcessEnv;
  readonly cwd: string;
  readonly logger: Logger;
  /** From where the deadline of the tick counts, on the clock of {@link monotonicMs}. */
  readonly startedMs: number;
  readonly deliver: TickSetup['deliver'];
  readonly mark?: TickSetup['mark'];
}

/** What became of a request. */
export interface AnsweredRequest {
  readonly report: TickReport;
  /** For a recording. */
  readonly recorded: RecordedTick;
}

/**
 * Answers one request as configuration and session want it: the same for a process of its own and for one that stays.
 *
 * @throws UserError `RA_SESSION_DIR`, `RA_CONFIG_UNREADABLE`
 */
export async function answerRequest(call: TickCall): Promise<AnsweredRequest> {
  const { request, env, cwd, logger, startedMs } = call;
  const sessionDir = ownPath(requestSessionDir(request.options['session_dir'], env, cwd));
  env['ROBUSTNESS_AGENT_SESSION_DIR'] ??= sessionDir;
  const sources = { configFlag: call.config, env, cwd, sessionDir, options: request.options };
  const { config, problems, selfedit } = loadConfig(sources);
  const nowUnix = request.nowUnix ?? Date.now() / 1000;
  const deadlineMs = pickFields(reactorFields, config).tick_deadline_s * 1000;
  const cause = rootCause({ config, env, cwd, sessionId: request.sessionId, selfedit, logger });
  call.mark?.('configuration');
  const report = await performTick({
    sessionDir,
    sessionId: request.sessionId,
    config,
    env,
    nowUnix,
    promptDriven: true,
    origin: 'tick',
    remainingMs: () => deadlineMs - (monotonicMs() - startedMs),
    log: (level, message, fields) => logger[level](message, fields),
    configWarnings: [...problems.map(describeProblem), ...cause.warnings],
    ...(cause.explain && { explain: cause.explain }),
    prepare: ({ slots }) => {
      // Said once per session: data leaves the machine, and how to stop that (spec 01 §12 C10).
      if (cause.explain && Object.keys(slots).length === 0)
        logger.warn('root-cause texts are on', { note: cause.line });
      const { context, warnings } = requestContext(request, sessionDir, nowUnix);
      return { context, promptWarnings: warnings };
    },
    deliver: call.deliver,
    ...(call.mark && { mark: call.mark }),
    writer: `robustness-agent ${VERSION}`,
  });
  await cause.afterwards();
  const { snapshot, slotsBefore: slots } = report;
  return { report, recorded: { request, sessionDir, nowUnix, config, snapshot, slots } };
}
