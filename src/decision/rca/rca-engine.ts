import type { JsonObject } from '../../foreign/json.js';
import type { ChatModel, ChatResult } from '../../llm/chat.js';
import type { Deadline } from '../../llm/deadline.js';
import type { EnvRecord } from '../../llm/env-view.js';
import type { FailureReason } from '../../llm/failure.js';
import type { UsageReport } from '../../llm/usage.js';
import type { Symptom } from '../../signals/symptom.js';
import type { CauseClass } from './cause-class.js';
import type { RcaConfig } from './config.js';
import type { EngineChoice } from './engine-choice.js';
import type { VocabularyEntry } from './system-prompt.js';
import type { ThrottleRefusal } from './throttle.js';

/** One emitted symptom that could be explained. */
export interface RcaQuestion {
  readonly symptom: Symptom;
  /** A delegate or a prune went out, or is held, because of it. */
  readonly isDestructive: boolean;
  /** The ladder's key (spec 05 A.3), where the symptom given here is not the one that the ladder saw. */
  readonly key?: string;
}

/** What there is to say about one symptom. */
export interface RcaOutcome {
  /** For `rca_text`; empty when there is none. */
  readonly text: string;
  /** For `rca_class`. */
  readonly causeClass?: CauseClass;
  /** `answered`, also with an empty text when the evidence did not suffice; else why nobody was asked, or what failed. */
  readonly status: 'answered' | 'off' | 'suspended' | ThrottleRefusal | FailureReason | 'no_answer';
}

/** One call as it was made, for traces (spec 08 §21). Texts are redacted. */
export interface RcaCall {
  readonly symptom: string;
  readonly model: string;
  readonly system: string;
  readonly user: string;
  readonly result: ChatResult;
}

/** Takes lines for people; pino's loggers fit. */
export interface RcaLog {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
}

/** Explains symptoms, within limits, and never throws (spec 05 B). */
export interface RcaEngine {
  readonly choice: EngineChoice;
  /** Called once per tick, also when nothing was emitted. */
  onTick(tick: number): void;
  /**
   * One outcome per question, in order. The allowed calls run side by side and end at the deadline, or earlier when
   * `rca_budget_s` is used up.
   */
  summarize(questions: readonly RcaQuestion[], deadline: Deadline): Promise<readonly RcaOutcome[]>;
  /** Usage since the last call, for `llm_usage`; null when there is nothing to report. */
  drainUsage(): UsageReport | null;
  /** The slot `rca_throttle` to be saved. */
  slot(): JsonObject;
  close(): Promise<void>;
}

export interface RcaEngineOptions {
  readonly config: RcaConfig;
  readonly env: EnvRecord;
  /** The slot `rca_throttle` as stored. */
  readonly slot: JsonObject;
  /** Every symptom that the rules can emit. */
  readonly vocabulary: readonly VocabularyEntry[];
  readonly log: RcaLog;
  /** Unix seconds. */
  readonly nowUnix?: () => number;
  /** Another system prompt, such as a promoted one (spec 08 §21). */
  readonly system?: string;
  /** Told of every call; what it throws is dropped. */
  readonly onCall?: (call: RcaCall) => void;
  /** Takes the place of the model, for replays; it is closed with the engine like our own. */
  readonly model?: ChatModel;
}
