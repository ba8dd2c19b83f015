import { randomUUID } from 'node:crypto';
import type { Json, JsonObject } from '../../foreign/json.js';
import type { Redact } from '../../foreign/redact.js';
import { choosePrompt } from '../../llm/promoted-prompt.js';
import type { TokenUsage } from '../../llm/usage.js';
import type { PromptId } from '../../selfedit/cases/case.js';
import { parseSelfeditConfig } from '../../selfedit/config/parse-config.js';
import { selfeditPaths } from '../../selfedit/paths.js';
import { type FlushOutcome, type TraceLabel, TraceQueue } from '../../selfedit/store/trace-queue.js';

/** One call of a prompt, as whoever made it knows it. */
export interface UsedCall {
  /** What it was about: a symptom, a pattern. */
  readonly task: string;
  readonly input: string;
  /** Empty when none came. */
  readonly output: string;
  /** Why there is no answer. */
  readonly error: string | null;
  readonly model: string;
  readonly usage?: TokenUsage | undefined;
  readonly latencyMs?: number;
  readonly steps?: readonly Json[];
  readonly metadata?: JsonObject;
}

/** A prompt as promotions have it, and a record of what it answers (spec 08 §21). */
export interface PromptInUse {
  /** The promoted text; null: use the built-in one. */
  readonly promoted: string | null;
  /** 0: the built-in one. */
  readonly version: number;
  /** Why a promoted text is not used, in words. */
  readonly problem?: string;
  /** Keeps a call in memory; never throws, and gives the id of its trace, or null when there is no room. */
  note(call: UsedCall): string | null;
  /** Says what the right answer was to a call that was noted and not stored yet. */
  label(traceUid: string, label: TraceLabel): void;
  /** Stores what was noted; to be awaited after the answers have been used. Never throws. */
  flush(): Promise<FlushOutcome>;
}

/** Where a call is noted. */
export interface UseOptions {
  /** The section `selfedit` of the configuration, whose `enabled` is true. */
  readonly section: unknown;
  readonly stateDir: string;
  readonly sessionId: string | null;
  readonly redact: Redact;
  /** Unix milliseconds. */
  readonly now?: () => number;
}

/**
 * For whoever uses a prompt with `selfedit.enabled`: reads the pointer and the text, checks the hash, and falls back to the
 * built-in text on any doubt. Nothing else is read, whatever the size of the trace store.
 */
export function promptInUse(promptId: PromptId, options: UseOptions): PromptInUse {
  const reading = parseSelfeditConfig(options.section);
  if (!reading.ok) return unused(reading.problems.join('. '));
  const paths = selfeditPaths(options.stateDir);
  const choice = choosePrompt(paths.registry(promptId), '');
  const { now = Date.now } = options;
  const queue = new TraceQueue(paths.database, {
    redact: options.redact,
    retentionDays: reading.config.retention_days,
    now,
  });
  const version = choice.kind === 'promoted' ? choice.version : null;
  const common = {
    prompt_id: promptId,
    prompt_sha256: choice.kind === 'promoted' ? choice.sha256 : null,
    prompt_version: version,
    session_id: options.sessionId,
    case_id: null,
    group_id: null,
    segment: null,
    expected_output: null,
    success: null,
    failure_reason: null,
    label_source: null,
  } as const;
  return {
    promoted: choice.kind === 'promoted' ? choice.text : null,
    version: version ?? 0,
    ...(choice.kind === 'built_in' && choice.problem !== undefined && { problem: choice.problem }),
    note(call) {
      const trace_uid = randomUUID();
      const isKept = queue.push({
        ...common,
        trace_uid,
        task_id: call.task,
        task_input: call.input,
        steps: call.steps ?? [],
        final_output: call.output,
        timestamp: new Date(now()).toISOString(),
        metadata: call.metadata ?? {},
        model: call.model,
        error: call.error,
        input_tokens: call.usage?.inputTokens ?? null,
        output_tokens: call.usage?.outputTokens ?? null,
        latency_ms: call.latencyMs ?? null,
      });
      return isKept ? trace_uid : null;
    },
    label: (uid, label) => queue.label(uid, label),
    flush: () => queue.flush(),
  };
}

/** Settings that cannot be used are a doubt like any other; nothing is written under them. */
function unused(problem: string): PromptInUse {
  return {
    promoted: null,
    version: 0,
    problem,
    note: () => null,
    label: () => undefined,
    flush: async () => ({ stored: 0, dropped: 0 }),
  };
}
