import { setTimeout as delay } from 'node:timers/promises';
import { type HealResult, isCancelledResult } from '../../investigate/model/heal-result.js';
import type { Question } from '../../investigate/question.js';
import { readResult } from '../../investigate/store/artefacts.js';
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
export async function watchQueue(options: WatchOptions): Promise<boolean> {
  const { sessionDir, signal, once } = options;
  const root = investigationsDirectory(sessionDir);
  const lock = acquireWorkerLock(root);
  if (lock === null) return false;
  const left = new Set<string>();
  try {
    while (!signal.aborted) {
      const name = queuedJobs(root).find((one) => !left.has(one));
      if (name !== undefined) {
        if ((await workOff(root, name, options)) === 'left') left.add(name);
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

/** What became of a job: `left` lies in the queue as before and is not to be taken again by this process. */
async function workOff(root: string, name: string, { run, say }: WatchOptions): Promise<'settled' | 'left'> {
  const taken = takeJob(root, name);
  if (!taken.ok) {
    await say(`job ${name} was ${taken.stays ? 'left' : 'dropped'}: ${taken.reason}`);
    return taken.stays ? 'left' : 'settled';
  }
  const { job } = taken;
  const result = await run(questionOf(job), job).catch((error: unknown) => String(error));
  if (typeof result === 'string') {
    // One job that breaks costs itself; its second try is its last.
    await say(`job ${name} failed: ${result}`);
    return 'settled';
  }
  // Broken off, it is not answered: whoever comes next takes it once more (spec 07 B18).
  if (isCancelledResult(result)) return 'left';
  const { root_cause: cause, investigation_id: id } = result;
  if (readResult(root, id) === undefined) {
    await say(`job ${name}: its result could not be stored`);
    return 'settled';
  }
  finishJob(root, job.jobId);
  const score = `${cause.confidence_level} ${Math.round(cause.confidence * 100)} %`;
  await say(`${id}  ${job.symptom}: ${cause.error_type} ${cause.subject ?? '-'}, ${score}`);
  return 'settled';
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
    skipsMachine: job.skipsMachine,
  };
}
