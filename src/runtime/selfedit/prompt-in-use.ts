import { randomUUID } from 'node:crypto';
import type { RcaCall } from '../../decision/rca/rca-engine.js';
import type { Redact } from '../../foreign/redact.js';
import { choosePrompt } from '../../llm/promoted-prompt.js';
import { selfeditPaths } from '../../selfedit/paths.js';
import { type FlushOutcome, TraceQueue } from '../../selfedit/store/trace-queue.js';

/** The prompt of the RCA engine as promotions have it, and a record of what it answers (spec 08 §21). */
export interface PromptInUse {
  /** The text to use. */
  readonly system: string;
  /** 0: the built-in one. */
  readonly version: number;
  /** Why a promoted text is not used; said once. */
  readonly problem?: string;
  /** To be given to the engine. */
  readonly onCall: (call: RcaCall) => void;
  /** To be awaited after the answers have been used. */
  readonly flush: () => Promise<FlushOutcome>;
}

/** Where a session's calls are noted. */
export interface UseOptions {
  readonly stateDir: string;
  readonly sessionId: string | null;
  readonly redact: Redact;
  /** Unix milliseconds. */
  readonly now?: () => number;
}

/**
 * For a tick with `selfedit.enabled`: reads the pointer and the text, checks the hash, and falls back to the built-in text on
 * any doubt; nothing else is read, whatever the size of the trace store.
 */
export function rcaPromptInUse(builtIn: string, options: UseOptions): PromptInUse {
  const paths = selfeditPaths(options.stateDir);
  const choice = choosePrompt(paths.registry('rca'), builtIn);
  const queue = new TraceQueue(paths.database, options.redact);
  const version = choice.kind === 'promoted' ? choice.version : 0;
  const { now = Date.now } = options;
  return {
    system: choice.text,
    version,
    ...(choice.kind === 'built_in' && choice.problem !== undefined && { problem: choice.problem }),
    onCall: ({ symptom, model, user, result }) =>
      queue.push({
        trace_uid: randomUUID(),
        prompt_id: 'rca',
        prompt_sha256: choice.kind === 'promoted' ? choice.sha256 : null,
        prompt_version: version === 0 ? null : version,
        session_id: options.sessionId,
        case_id: null,
        group_id: null,
        segment: null,
        task_id: symptom,
        task_input: user,
        steps: [],
        final_output: result.ok ? result.reply.text : '',
        expected_output: null,
        success: null,
        failure_reason: null,
        timestamp: new Date(now()).toISOString(),
        metadata: {},
        model,
        label_source: null,
        error: result.ok ? null : result.failure.reason,
      }),
    flush: () => queue.flush(),
  };
}
