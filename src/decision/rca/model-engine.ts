import type { JsonObject } from '../../foreign/json.js';
import { type Redact, redactText, secretValues } from '../../foreign/redact.js';
import type { ChatModel, ChatRequest, ChatResult } from '../../llm/chat.js';
import { createChatModel } from '../../llm/chat-model.js';
import type { Credentials } from '../../llm/credentials.js';
import { type Deadline, deadlineIn } from '../../llm/deadline.js';
import { createEndpointMemory, type EndpointMemory } from '../../llm/quirks.js';
import { TICK_RETRIES } from '../../llm/retry.js';
import { createUsageMeter, type UsageMeter, type UsageReport } from '../../llm/usage.js';
import { cooldownKey, type Symptom } from '../../signals/symptom.js';
import { readAnswer } from './answer.js';
import type { EngineChoice } from './engine-choice.js';
import type { RcaEngine, RcaEngineOptions, RcaOutcome, RcaQuestion } from './rca-engine.js';
import { activeSuspension, type Suspension, suspensionAfter, suspensionJson } from './suspension.js';
import { systemPrompt } from './system-prompt.js';
import { severityFloor, Throttle } from './throttle.js';
import { userPrompt } from './user-prompt.js';

const SECOND_TRY_MS = 2_000;
const MAX_OUTPUT_TOKENS = 600;
const TEMPERATURE = 0.2;

/** The engine that asks a model. */
export class ModelEngine implements RcaEngine {
  readonly choice: EngineChoice;
  readonly #options: RcaEngineOptions;
  readonly #credentials: Credentials;
  readonly #model: ChatModel;
  readonly #throttle: Throttle;
  readonly #redact: Redact;
  readonly #system: string;
  readonly #meter: UsageMeter;
  readonly #memory: EndpointMemory;
  #suspension: Suspension | null;

  constructor(options: RcaEngineOptions, choice: EngineChoice, credentials: Credentials) {
    const { config, env, slot } = options;
    const secrets = secretValues(env);
    this.choice = choice;
    this.#options = options;
    this.#credentials = credentials;
    this.#redact = (text) => redactText(text, { secrets, query: 'all' });
    this.#system = options.system ?? systemPrompt(options.vocabulary);
    this.#meter = createUsageMeter(credentials.model);
    this.#memory = createEndpointMemory(slot['endpoints']);
    this.#suspension = activeSuspension(slot['suspended'], credentials, this.#now());
    this.#throttle = new Throttle(
      {
        severityMin: severityFloor(config.llm_rca_severity_min),
        cooldownS: config.llm_rca_cooldown_s,
        maxCallsPerTick: config.llm_rca_max_calls_per_tick,
      },
      slot['last_called_unix'],
    );
    this.#model =
      options.model ??
      createChatModel({
        credentials,
        env,
        redact: this.#redact,
        retries: { ...TICK_RETRIES, attemptTimeoutMs: config.llm_rca_timeout_s * 1000 },
        meter: this.#meter,
        memory: this.#memory,
      });
  }

  onTick(tick: number): void {
    this.#throttle.onTick(tick);
  }

  async summarize(questions: readonly RcaQuestion[], deadline: Deadline): Promise<readonly RcaOutcome[]> {
    const now = this.#now();
    if (this.#suspension && now < this.#suspension.untilUnix) {
      return questions.map(() => ({ text: '', status: 'suspended' }));
    }
    this.#suspension = null;
    const candidates = questions.map(({ symptom, isDestructive, key }) => ({
      key: key ?? cooldownKey(symptom),
      severity: symptom.severity,
      isDestructive,
    }));
    const refusals = this.#throttle.admit(candidates, now);
    const own = deadlineIn(this.#options.config.rca_budget_s * 1000, deadline);
    try {
      return await Promise.all(
        questions.map(async ({ symptom, key = cooldownKey(symptom) }, index) => {
          const refusal = refusals[index] ?? null;
          return refusal === null ? this.#explain(symptom, key, own, now) : { text: '', status: refusal };
        }),
      );
    } finally {
      own.clear();
    }
  }

  drainUsage(): UsageReport | null {
    return this.#meter.drain();
  }

  slot(): JsonObject {
    const endpoints = this.#memory.snapshot();
    return {
      last_called_unix: this.#throttle.snapshot(),
      ...(this.#suspension && { suspended: suspensionJson(this.#suspension) }),
      ...(Object.keys(endpoints).length > 0 && { endpoints }),
    };
  }

  close(): Promise<void> {
    return this.#model.close();
  }

  async #explain(symptom: Symptom, key: string, deadline: Deadline, now: number): Promise<RcaOutcome> {
    try {
      const user = userPrompt(symptom, this.#redact);
      const result = await this.#ask(user, deadline);
      if (result.attempts > 0 || result.ok) this.#throttle.record(key, now);
      this.#trace(symptom, user, result);
      return this.#outcomeOf(symptom, result, now);
    } catch (error) {
      // Whatever a symptom does to us costs its own text only (charter, rule 8).
      this.#throttle.record(key, now);
      this.#options.log.warn({ symptom: symptom.name, error: String(error) }, 'RCA failed');
      return { text: '', status: 'no_answer' };
    }
  }

  async #ask(user: string, deadline: Deadline): Promise<ChatResult> {
    const request = {
      system: this.#system,
      messages: [{ role: 'user' as const, text: user }],
      maxOutputTokens: MAX_OUTPUT_TOKENS,
      temperature: TEMPERATURE,
    };
    const first = await this.#complete(request, deadline);
    const ranOut = first.ok && first.reply.reasoningOnly && first.reply.finish === 'length';
    // The layer below has learnt that this model needs more room, so the same request is another one now.
    return ranOut && deadline.remainingMs() >= SECOND_TRY_MS ? this.#complete(request, deadline) : first;
  }

  async #complete(request: ChatRequest, deadline: Deadline): Promise<ChatResult> {
    const result = await this.#model.complete(request, deadline);
    // Our own model keeps the meter itself.
    if (this.#options.model && result.ok) this.#meter.succeeded(result.reply.usage, result.latencyMs);
    return result;
  }

  #outcomeOf(symptom: Symptom, result: ChatResult, now: number): RcaOutcome {
    const { config, log } = this.#options;
    if (!result.ok) {
      const { failure } = result;
      this.#suspension =
        suspensionAfter(failure, this.#credentials, now, config.llm_rca_cooldown_s) ?? this.#suspension;
      const { reason, status, body } = failure;
      log.warn(
        { symptom: symptom.name, reason, status, body: body?.slice(0, 200) },
        `no RCA: ${failure.message}`,
      );
      return { text: '', status: failure.reason };
    }
    const { reply } = result;
    if (reply.finish === 'refusal' || reply.reasoningOnly) {
      const why = reply.reasoningOnly
        ? 'the output limit was used up by reasoning'
        : 'the model declined to answer';
      log.warn({ symptom: symptom.name, finish: reply.finish }, `no RCA: ${why}`);
      return { text: '', status: 'no_answer' };
    }
    return { ...readAnswer(this.#redact(reply.text), config.llm_rca_max_chars), status: 'answered' };
  }

  #trace(symptom: Symptom, user: string, result: ChatResult): void {
    try {
      this.#options.onCall?.({
        symptom: symptom.name,
        model: this.#credentials.model,
        system: this.#system,
        user,
        result,
      });
    } catch (error) {
      this.#options.log.warn({ error: String(error) }, 'an RCA call could not be traced');
    }
  }

  #now(): number {
    return (this.#options.nowUnix ?? (() => Date.now() / 1000))();
  }
}
