import { investigationsDirectory } from '../../investigate/store/paths.js';
import { type BeginOptions, beginInvestigation } from '../investigate/begin.js';
import { watchQueue } from '../investigate/watch.js';
import type { Logger } from '../shared/logger.js';

export interface QueueWorkerOptions
  extends Pick<BeginOptions, 'settings' | 'env' | 'repo' | 'useModel' | 'signal'> {
  readonly sessionDir: string;
  readonly say: (line: string) => Promise<void>;
  readonly logger: Logger;
}

/** Works off a session's queue as `investigate --watch` does, until the signal; what goes wrong ends only the worker. */
export async function workOffQueue(options: QueueWorkerOptions): Promise<void> {
  const { sessionDir, say, logger, signal, settings, env, repo, useModel } = options;
  try {
    const isOurs = await watchQueue({
      sessionDir,
      signal,
      once: false,
      say,
      run: (question, job) =>
        beginInvestigation({
          sessionDir,
          sessionId: job.sessionId === '' ? null : job.sessionId,
          root: investigationsDirectory(sessionDir),
          question,
          settings,
          env,
          repo,
          useModel,
          signal,
          onTraceLost: (reason) => logger.warn('a trace is lost', { reason }),
        }),
    });
    if (!isOurs) await say('another process works off the queue of this session');
  } catch (error) {
    logger.error('the queue of the session is not worked off', {
      error: error instanceof Error ? (error.stack ?? error.message) : String(error),
    });
  }
}
