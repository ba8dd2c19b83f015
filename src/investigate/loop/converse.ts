import { randomBytes } from 'node:crypto';
import { objectOr } from '../../foreign/json.js';
import type { Budget } from '../../llm/budget.js';
import type {
  AssistantMessage,
  ChatMessage,
  ChatModel,
  ToolCall,
  ToolDefinition,
  ToolResult,
} from '../../llm/chat.js';
import type { Deadline } from '../../llm/deadline.js';
import { isLasting } from '../../llm/failure.js';
import { conclude } from '../engine/conclude.js';
import { summaryOf } from '../ledger/receipt-of.js';
import type { BudgetReport, HealResult } from '../model/heal-result.js';
import { type CarriedReceipt, citableReceipts } from '../previous-turn.js';
import type { Baseline, ModelOutcome } from '../run.js';
import { cleanForeign } from '../safety/text-hygiene.js';
import { argumentSchema } from '../tools/arguments.js';
import { answerText, receiptText } from './answer-text.js';
import { compact } from './compact.js';
import { checkSubmission, decide, modelResult } from './finish.js';
import { type ModelVerifier, verifyWithModel } from './model-verifier.js';
import { earlierTurn, firstMessage, systemPrompt } from './prompt.js';
import { citing, parseSubmission, SUBMIT, SUBMIT_SCHEMA, type Submission } from './submission.js';
import { type ConversationSummary, judgedForm } from './summary.js';

export interface LoopOptions {
  readonly model: ChatModel;
  /** Gives the second opinion; the same model unless given. */
  readonly verifier?: Pick<ModelVerifier, 'model' | 'price'>;
  /** Counts what the loop spends; its limits end the conversation. */
  readonly budget: Budget;
  readonly deadline: Deadline;
  /** Marks what is data; from a cassette in a replay. */
  readonly nonce?: string;
  /** The duties as promotions have them (spec 08 §21). */
  readonly duties?: string;
  /** Told once, at the end, what the conversation came to. */
  readonly onEnd?: (summary: ConversationSummary) => void;
}

const MAX_FAILURES = 3;
/** Calls that run at the same time. */
const SIDE_BY_SIDE = 4;
const MAX_OUTPUT_TOKENS = 4000;
const CONCLUDE_AT = 0.8;
const RETRIES = { schema: 2, overclaim: 1, claims: 1, floor: 1 } as const;
const READ_RECEIPT: ToolDefinition = {
  name: 'read_receipt',
  description: 'Shows a stored result again, from an offset in characters.',
  parameters: {
    type: 'object',
    additionalProperties: false,
    required: ['receipt_id'],
    properties: { receipt_id: { type: 'string' }, offset: { type: 'integer', minimum: 0, default: 0 } },
  },
};

/** Goes on from the baseline with a model until it submits or a limit is reached; never throws (spec 07 B10). */
export async function converse(baseline: Baseline, options: LoopOptions): Promise<ModelOutcome> {
  const loop = new Conversation(baseline, options);
  const outcome = await loop
    .run()
    .catch((error: unknown) =>
      loop.failed(`the conversation broke: ${error instanceof Error ? error.message : String(error)}`, null),
    );
  options.onEnd?.(loop.summary(outcome));
  return outcome;
}

class Conversation {
  readonly #nonce: string;
  readonly #messages: ChatMessage[] = [];
  readonly #tools: ToolDefinition[];
  readonly #submit: ToolDefinition = {
    name: SUBMIT,
    description: 'Hands in the result and ends the investigation.',
    parameters: SUBMIT_SCHEMA,
  };
  readonly #left: Record<keyof typeof RETRIES, number> = { ...RETRIES };
  /** Receipts of the turn before, by the names under which they may be cited. */
  readonly #citable: ReadonlyMap<string, CarriedReceipt>;
  readonly #adopted = new Map<string, string>();
  #toolCalls = 0;
  #failures = 0;
  #plainTexts = 0;
  #toldToConclude = false;
  #exhausted: string | null = null;
  #question = '';
  #answer = '';

  constructor(
    private readonly baseline: Baseline,
    private readonly options: LoopOptions,
  ) {
    this.#nonce = options.nonce ?? randomBytes(8).toString('hex');
    const own = baseline.dispatcher.tools.map(({ name, description, parameters }) => ({
      name,
      description,
      parameters: argumentSchema(parameters),
    }));
    this.#tools = [...own, READ_RECEIPT, this.#submit];
    const { previous, now } = baseline.setup;
    this.#citable = previous === undefined ? new Map() : citableReceipts(previous, now());
  }

  async run(): Promise<ModelOutcome> {
    const { dispatcher, setup, conclusion } = this.baseline;
    const system = systemPrompt(dispatcher.tools, this.#nonce, this.options.duties);
    const receipts = dispatcher
      .evidence()
      .map(({ receipt }) => `${receipt.receipt_id} ${receipt.tool}: ${summaryOf(receipt)}`);
    const { fastpathConfidence } = setup.config;
    const first = firstMessage(setup.question, conclude(conclusion()), receipts, fastpathConfidence);
    const earlier =
      setup.previous === undefined ? [] : earlierTurn(setup.previous, this.#citable, this.#nonce);
    this.#question = setup.redactor.text([first, ...earlier].join('\n'));
    this.#push({ role: 'user', text: this.#question });
    for (;;) {
      const limit = this.options.budget.exceeded();
      if (limit !== null) return this.failed(`the budget for ${limit.replace('_', ' ')} is used up`, limit);
      if (this.options.deadline.signal.aborted)
        return this.failed('no time is left for a model', 'wall_time');
      compact(this.#messages, dispatcher.evidence(), setup.config.modelContextTokens);
      const isForced = this.#isLastRequest() || this.#plainTexts > 1;
      const request = {
        system,
        messages: this.#messages,
        tools: isForced ? [this.#submit] : this.#tools,
        toolChoice: isForced ? { tool: SUBMIT } : ('auto' as const),
        maxOutputTokens: MAX_OUTPUT_TOKENS,
        temperature: 0,
        cacheSystem: true,
      };
      this.options.budget.request();
      const answer = await this.options.model.complete(request, this.options.deadline);
      if (!answer.ok) {
        this.#failures += 1;
        const { reason, message } = answer.failure;
        if (isLasting(answer.failure) || reason === 'budget_exhausted' || this.#failures >= MAX_FAILURES) {
          return this.failed(`the model gave no result (${reason}): ${message}`, null);
        }
        continue;
      }
      this.#failures = 0;
      const { reply } = answer;
      this.options.budget.charge(
        reply.usage,
        JSON.stringify(request).length,
        JSON.stringify(reply.message).length,
      );
      if (reply.finish === 'refusal') return this.failed('the model declined', null);
      this.#push(reply.message);
      if (reply.toolCalls.length === 0) {
        this.#plainTexts += 1;
        if (this.#plainTexts > MAX_FAILURES)
          return this.failed('the model answered in plain text only', null);
        this.#push({ role: 'user', text: `Go on with a tool, or end with ${SUBMIT}.` });
        continue;
      }
      const result = await this.#answerCalls(reply.message);
      if (result !== null) return result;
    }
  }

  failed(warning: string, exhausted: string | null): ModelOutcome {
    this.#exhausted = exhausted;
    return { ok: false, warning: `${warning}; this is the result without a model`, budget: this.#report() };
  }

  summary(outcome: ModelOutcome): ConversationSummary {
    const { inputTokens, outputTokens } = this.options.budget.spent();
    return {
      model: this.options.model.model,
      question: this.#question,
      answer: this.#answer,
      error: outcome.ok ? null : outcome.warning,
      receipts: this.baseline.dispatcher
        .evidence()
        .map(({ receipt: { receipt_id, tool, status } }) => ({ receipt_id, tool, status })),
      supportedBand: outcome.ok ? outcome.result.supported_band : null,
      inputTokens,
      outputTokens,
    };
  }

  async #answerCalls({ toolCalls }: AssistantMessage): Promise<ModelOutcome | null> {
    const results: ToolResult[] = [];
    for (let at = 0; at < toolCalls.length; ) {
      const batch = toolCalls.slice(at, at + SIDE_BY_SIDE);
      const until = batch.findIndex(({ name }) => name === SUBMIT);
      const looks = until < 0 ? batch : batch.slice(0, until);
      results.push(...(await this.#answerLooks(looks)));
      at += looks.length;
      const submission = until < 0 ? undefined : batch[until];
      if (submission === undefined) continue;
      const outcome = await this.#judge(submission);
      if (typeof outcome !== 'string') return outcome;
      results.push({ callId: submission.id, content: outcome, isError: true });
      at += 1;
    }
    const last = results.at(-1);
    if (last !== undefined && this.#shouldConclude()) {
      this.#toldToConclude = true;
      results[results.length - 1] = {
        ...last,
        content: `${last.content}\n[the budget is nearly used up: conclude with ${SUBMIT}]`,
      };
    }
    this.#push({ role: 'tool', results });
    return null;
  }

  /** Answers in the order of the calls; what can run does so side by side. */
  async #answerLooks(calls: readonly ToolCall[]): Promise<ToolResult[]> {
    const { maxToolResultChars } = this.baseline.setup.config;
    const settled = calls.map((call) => this.#answerAtOnce(call));
    const open = calls.filter((_call, index) => settled[index] === null);
    const answers = await this.baseline.dispatcher.callAll(
      open.map(({ name, arguments: given }) => ({ name, args: given.ok ? given.value : null })),
    );
    return calls.flatMap((call, index) => {
      const own = settled[index];
      if (own !== null && own !== undefined) return own;
      const answer = answers[open.indexOf(call)];
      if (answer === undefined) return [];
      const content = answerText(answer, this.#nonce, maxToolResultChars);
      return { callId: call.id, content, isError: answer.receipt === null };
    });
  }

  /** The answer to a call that asks no tool; null for one that does. */
  #answerAtOnce(call: ToolCall): ToolResult | null {
    const { maxToolCalls, maxToolResultChars } = this.baseline.setup.config;
    const problem = (content: string): ToolResult => ({ callId: call.id, content, isError: true });
    if (!call.arguments.ok) return problem(`the arguments cannot be read: ${call.arguments.problem}`);
    if (this.#toolCalls >= maxToolCalls) return problem(`no call is left; end with ${SUBMIT}`);
    this.#toolCalls += 1;
    if (call.name !== READ_RECEIPT.name) return null;
    const { receipt_id: id, offset } = call.arguments.value;
    const payload =
      typeof id === 'string'
        ? (this.baseline.dispatcher.payload(id) ?? this.#citable.get(id)?.payload)
        : undefined;
    if (typeof id !== 'string' || payload === undefined) return problem('there is no such receipt');
    const from = typeof offset === 'number' && offset > 0 ? Math.floor(offset) : 0;
    const content = receiptText(payload, from, this.#nonce, maxToolResultChars, id);
    return { callId: call.id, content, isError: false };
  }

  /** The result of a submission, or what the model has to mend. */
  async #judge(call: ToolCall): Promise<ModelOutcome | string> {
    const { setup, dispatcher, conclusion } = this.baseline;
    const clean = (text: string): string => setup.redactor.text(cleanForeign(text).text);
    const reading = call.arguments.ok
      ? parseSubmission(call.arguments.value, clean)
      : { ok: false as const, problem: call.arguments.problem };
    if (!reading.ok) {
      if (this.#take('schema')) return `the result does not fit its schema: ${reading.problem}`;
      return this.failed(`the model's result never fitted its schema (${reading.problem})`, null);
    }
    const submission = this.#withAdopted(reading.submission);
    this.#answer = judgedForm(submission, setup.config.bands);
    const input = conclusion();
    const { profile, retryConfidence } = setup.config;
    const checked = checkSubmission(submission, input, dispatcher.payload, profile);
    if (!checked.causeHolds && this.#take('claims')) {
      return `claims do not hold: ${checked.warnings.join('; ')}; cite receipts and quote their text`;
    }
    const { confidence } = submission;
    if (confidence < retryConfidence && this.#mayLook() && this.#take('floor')) {
      return `a confidence of ${confidence} is low: collect more, or submit again to confirm it`;
    }
    const mayRetry = this.#left.overclaim > 0 && !this.#isLastRequest();
    const decision = decide(
      checked,
      input,
      mayRetry,
      profile === 'reference' && this.#left.floor > 0 ? retryConfidence : null,
    );
    if (decision.retry !== null) {
      if (decision.retry === 'overclaim') this.#left.overclaim -= 1;
      else this.#left.floor -= 1;
      return decision.message;
    }
    return { ok: true, result: await this.#finish(checked, decision, input) };
  }

  /** What it cites of the turn before is copied into this run's ledger, and cited there. */
  #withAdopted(submission: Submission): Submission {
    const { dispatcher, setup } = this.baseline;
    return citing(submission, (id) => {
      const carried = this.#citable.get(id);
      if (carried === undefined) return id;
      const known = this.#adopted.get(id);
      if (known !== undefined) return known;
      const { receipt_id: from } = carried.evidence.receipt;
      const note = `${from} of ${setup.previous?.result.investigation_id ?? 'the turn before'}`;
      const { receipt_id: own } = dispatcher.adopt(carried.evidence, carried.payload, note);
      this.#adopted.set(id, own);
      return own;
    });
  }

  async #finish(
    checked: ReturnType<typeof checkSubmission>,
    decision: { readonly confidence: number; readonly note: string | null },
    input: ReturnType<Baseline['conclusion']>,
  ): Promise<HealResult> {
    const { dispatcher, frame, setup } = this.baseline;
    const draft = modelResult(checked, decision, input, frame(this.#report(), []), dispatcher.payload);
    if (!setup.config.verifierEnabled) return draft;
    const verifier: ModelVerifier = {
      ...(this.options.verifier ?? { model: this.options.model }),
      budget: this.options.budget,
      deadline: this.options.deadline,
      nonce: this.#nonce,
    };
    const verified = await verifyWithModel(draft, dispatcher, setup.config, verifier);
    return { ...verified, budget: this.#report() };
  }

  #take(kind: keyof typeof RETRIES): boolean {
    if (this.#left[kind] <= 0 || this.#isLastRequest()) return false;
    this.#left[kind] -= 1;
    return true;
  }

  #mayLook(): boolean {
    return this.#toolCalls < this.baseline.setup.config.maxToolCalls;
  }

  #isLastRequest(): boolean {
    const { maxModelRequests } = this.baseline.setup.config;
    return this.options.budget.spent().requests >= maxModelRequests - 1;
  }

  #shouldConclude(): boolean {
    const { maxToolCalls } = this.baseline.setup.config;
    const used = Math.max(
      this.options.budget.usedShare(),
      maxToolCalls === 0 ? 1 : this.#toolCalls / maxToolCalls,
    );
    return !this.#toldToConclude && used >= CONCLUDE_AT;
  }

  #report(): BudgetReport {
    const { requests, inputTokens, outputTokens } = this.options.budget.spent();
    return {
      model_requests: requests,
      tool_calls: this.#toolCalls + this.baseline.collectorCalls,
      input_tokens: inputTokens,
      output_tokens: outputTokens,
      wall_s: Math.round((this.baseline.setup.now() - this.baseline.startedUnix) * 1000) / 1000,
      exhausted: this.#exhausted,
    };
  }

  #push(message: ChatMessage): void {
    this.#messages.push(message);
    const { config, artefacts, redactor } = this.baseline.setup;
    if (!config.keepTranscript) return;
    const { echo: _, ...plain } = message.role === 'assistant' ? message : { ...message, echo: undefined };
    artefacts.transcript(objectOr(redactor.json(JSON.parse(JSON.stringify(plain)))));
  }
}
