import { type Emit, emitText } from '../../reactor/emit.js';
import { parseRequest, type TickRequest } from '../../reactor/request/parse-request.js';
import { monotonicMs } from '../../sources/tools/clock.js';
import type { Logger } from '../shared/logger.js';
import { UserError } from '../shared/user-error.js';
import { answerRequest } from '../tick/answer-request.js';
import { SessionQueues } from './session-queues.js';

export interface WarmTickSetup {
  /** `--config`. */
  readonly config: string | undefined;
  readonly env: NodeJS.ProcessEnv;
  readonly cwd: string;
  readonly logger: Logger;
}

/** Hands the text of an answer over; rejects when nobody takes it. */
export type Respond = (text: string) => Promise<void>;

/**
 * Ticks in a process that stays. What a tick has to know is read from the session each time and written back under its lock,
 * so a tick may as well run in a process of its own in between; what stays is the compiled and optimised program.
 */
export class WarmTicks {
  readonly #setup: WarmTickSetup;
  readonly #queues = new SessionQueues();

  constructor(setup: WarmTickSetup) {
    this.#setup = setup;
  }

  /**
   * Answers one request; resolves once everything about it is written.
   *
   * @throws UserError `RA_REQUEST_…`, `RA_SESSION_DIR`, `RA_CONFIG_UNREADABLE`, `RA_SERVE_BUSY`
   */
  async tick(bytes: Uint8Array, respond: Respond): Promise<void> {
    const startedMs = monotonicMs();
    const reading = parseRequest(bytes);
    if (!reading.ok) throw new UserError(reading.refusal);
    const { request } = reading;
    const session = String(request.options['session_dir'] ?? '');
    const work = this.#queues.run(session, () => this.#answer(request, startedMs, respond));
    if (work === undefined) {
      throw new UserError({
        code: 'RA_SERVE_BUSY',
        happened: `too many requests wait for session ${request.sessionId}`,
        expected: 'one at a time',
        todo: 'wait for the answer before the next request',
      });
    }
    await work;
  }

  /** Resolves once nothing is at work. */
  idle(): Promise<void> {
    return this.#queues.idle();
  }

  async #answer(request: TickRequest, startedMs: number, respond: Respond): Promise<void> {
    const { config, cwd, logger } = this.#setup;
    await answerRequest({
      request,
      config,
      // A tick notes its session there, which must not reach the next one.
      env: { ...this.#setup.env },
      cwd,
      logger,
      startedMs,
      deliver: async (emit, isFinal) => (isFinal ? await delivered(emit, respond) : undefined),
    });
  }
}

async function delivered(emit: Emit, respond: Respond) {
  try {
    await respond(emitText(emit));
    return undefined;
  } catch (error) {
    return { code: 'EPIPE', message: error instanceof Error ? error.message : String(error) };
  }
}
