import { setTimeout as delay } from 'node:timers/promises';
import type { HealResult } from '../../investigate/model/heal-result.js';
import type { Question } from '../../investigate/question.js';
import { finishJob, type Job, queuedJobs, takeJob } from '../../investigate/store/jobs.js';
import { investigationsDirectory } from '../../investigate/store/paths.js';
import { acquireWorkerLock } from '../../investigate/store/worker-lock.js';
import { symptomKey } from '../../signals/symptom.js';

export interface WatchOptions {
  readonly sessionDir: string;
  readonly run: (question: Question, job: Job) => Promise<HealResult>;
  readonly say: (line: string) => Promise<void>;
  readonly signal: AbortSignal;
  /** End when the queue is empty instead of waiting for more. */
  readonly once: boolean;
}

const POLL_MS = 500;

/** Works off a session's queue, oldest first, one at a time; false when another process does (spec 07 B1). */
export async function watchQueue({ sessionDir, run, say, signal, once }: WatchOptions): Promise<boolean> {
  const root = investigationsDirectory(sessionDir);
  const lock = acquireWorkerLock(root);
  if (lock === null) return false;
  try {
    while (!signal.aborted) {
      const [name] = queuedJobs(root);
      if (name !== undefined) {
        await workOff(root, name, run, say);
        continue;
      }
      if (once) break;
      await delay(POLL_MS, undefined, { signal }).catch(() => undefined);
    }
    return true;
  } finally {
    lock.release();
  }
}

async function workOff(
  root: string,
  name: string,
  run: WatchOptions['run'],
  say: WatchOptions['say'],
): Promise<void> {
  const taken = takeJob(root, name);
  if (!taken.ok) {
    await say(`job ${name} was dropped: ${taken.reason}`);
    return;
  }
  const { job } = taken;
  const { root_cause: cause, investigation_id: id } = await run(questionOf(job), job);
  finishJob(root, job.jobId);
  const score = `${cause.confidence_level} ${Math.round(cause.confidence * 100)} %`;
  await say(`${id}  ${job.symptom}: ${cause.error_type} ${cause.subject ?? '-'}, ${score}`);
}

/** The question that a job asks. */
export function questionOf(job: Job): Question {
  const subject = Object.entries(job.subject).flatMap(([key, value]) =>
    typeof value === 'string' ? [[key, value] as const] : [],
  );
  return {
    text: job.summary,
    symptom: job.symptom,
    subject: job.subject,
    key: symptomKey({ name: job.symptom, subject: Object.fromEntries(subject) }),
    serviceName: null,
    traceId: null,
    windowMinutes: 10,
    incidentUnix: job.incidentUnix,
    snapshot: job.snapshot,
  };
}
