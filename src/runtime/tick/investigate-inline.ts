import { setTimeout as delay } from 'node:timers/promises';
import { isCancelledResult } from '../../investigate/model/heal-result.js';
import { readResult } from '../../investigate/store/artefacts.js';
import { finishJob, returnJob, takeJob } from '../../investigate/store/jobs.js';
import { investigationsDirectory } from '../../investigate/store/paths.js';
import { acquireWorkerLock } from '../../investigate/store/worker-lock.js';
import { beginInvestigation } from '../investigate/begin.js';
import { type InvestigateSettings, readSettings } from '../investigate/settings.js';
import { questionOf } from '../investigate/watch.js';
import type { ConfigSources } from '../shared/load-config.js';
import type { Logger } from '../shared/logger.js';

export interface InlineCall extends ConfigSources {
  readonly sessionDir: string;
  readonly env: NodeJS.ProcessEnv;
  /** Jobs that the tick has left, without `.json`. */
  readonly jobs: readonly string[];
  /** What all of them may take together, ms. */
  readonly limitMs: number;
  readonly logger: Logger;
}

/** For a run to notice that it is to end, ms. */
const GRACE_MS = 400;

/**
 * Works off the jobs of one tick in its own process, for development (spec 07 B1). The answer of the tick is out by then;
 * what is not finished in time lies in the queue as if it had never been taken. Never throws.
 */
export async function investigateInline(call: InlineCall): Promise<void> {
  const { sessionDir, limitMs, logger } = call;
  const reading = readSettings(call);
  if (!reading.ok) {
    logger.warn('nothing is investigated inline', { problems: reading.problems });
    return;
  }
  const root = investigationsDirectory(sessionDir);
  const lock = acquireWorkerLock(root);
  // Whoever has it works the jobs off.
  if (lock === null) return;
  const stop = new AbortController();
  const ended = new AbortController();
  const open = new Set<string>();
  try {
    const work = workOff(call, reading.settings, { root, open, signal: stop.signal });
    const timer = delay(limitMs, undefined, { signal: ended.signal })
      .then(() => stop.abort())
      .then(() => delay(GRACE_MS, undefined, { signal: ended.signal }))
      .catch(() => undefined);
    await Promise.race([work, timer]);
  } catch (error) {
    logger.warn('an investigation failed', {
      error: error instanceof Error ? (error.stack ?? error.message) : String(error),
    });
  } finally {
    ended.abort();
    for (const id of open) returnJob(root, id);
    lock.release();
  }
}

interface Place {
  readonly root: string;
  /** Jobs that are taken and not finished. */
  readonly open: Set<string>;
  readonly signal: AbortSignal;
}

async function workOff(
  { jobs, sessionDir, env, logger }: InlineCall,
  settings: InvestigateSettings,
  { root, open, signal }: Place,
): Promise<void> {
  for (const id of jobs) {
    if (signal.aborted) return;
    const taken = takeJob(root, `${id}.json`);
    if (!taken.ok) continue;
    open.add(id);
    const { job } = taken;
    const result = await beginInvestigation({
      sessionDir,
      sessionId: job.sessionId === '' ? null : job.sessionId,
      root,
      question: questionOf(job),
      settings,
      env,
      repo: null,
      useModel: true,
      signal,
    });
    if (isCancelledResult(result) || readResult(root, result.investigation_id) === undefined) return;
    finishJob(root, id);
    open.delete(id);
    logger.info('investigated inline', { investigation: result.investigation_id });
  }
}
