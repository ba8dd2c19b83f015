import type { InvestigateConfig } from './config.js';
import { Collector } from './engine/collect.js';
import { collectFromServices } from './engine/collect-service.js';
import { AFTER_S, BEFORE_S, collectFromSession } from './engine/collect-session.js';
import type { ConclusionInput } from './engine/conclude.js';
import { leadOf } from './engine/conclude.js';
import { isRead } from './evidence/anchors.js';
import type { FileTree } from './evidence/file-tree.js';
import { createDispatcher, type Dispatcher } from './ledger/dispatcher.js';
import {
  type BudgetReport,
  CANCELLED,
  type HealResult,
  type InvestigationStep,
  isCancelledResult,
} from './model/heal-result.js';
import type { Receipt } from './model/receipt.js';
import type { Reproduction } from './policy/strict.js';
import { type CarriedReceipt, carriedReceipts, type PreviousTurn } from './previous-turn.js';
import { issueOf, type Question, taskIdsOf, titleOf } from './question.js';
import { deterministicResult, type Frame, lastStep } from './result.js';
import type { Redactor } from './safety/redactor.js';
import { readingTemplates } from './safety/user-fields.js';
import type { Artefacts } from './store/artefacts.js';
import { type AbnormalThresholds, DEFAULT_THRESHOLDS } from './tools/session/abnormal.js';
import { snapshotOutcome } from './tools/session/system-snapshot.js';
import { CAPABILITIES, type Capability, type Tool } from './tools/tool.js';

/** What an investigation works with; everything that varies is handed in. */
export interface RunSetup {
  readonly investigationId: string;
  readonly question: Question;
  readonly tools: readonly Tool[];
  /** Repository and source roots, asked once the capabilities were checked. */
  readonly trees: () => Promise<readonly FileTree[]>;
  readonly redactor: Redactor;
  readonly artefacts: Artefacts;
  readonly config: InvestigateConfig;
  /** Wall clock, unix s. */
  readonly now: () => number;
  /** Ends the run: cancelled, or out of time. */
  readonly signal: AbortSignal;
  /** Aborted only by whoever does not want the answer any more; what was found is then kept, but marked. */
  readonly cancel?: AbortSignal;
  readonly warnings: readonly string[];
  readonly thresholds?: AbnormalThresholds;
  readonly reproductions?: () => readonly Reproduction[];
  /** Continues with a model on the baseline; null where the baseline is the answer. */
  readonly continueWithModel?: (baseline: Baseline) => Promise<ModelOutcome>;
  readonly onReceipt?: (receipt: Receipt) => void;
  /** Told of every new receipt with what the evidence so far supports. */
  readonly onStep?: (step: InvestigationStep, receipt: Receipt) => void;
  /** Told what is done next, in words. */
  readonly onPhase?: (phase: string, budget: BudgetReport) => void;
  /** The turn before in the same conversation. */
  readonly previous?: PreviousTurn;
  /** Told what the finished run rests on, for the next turn. */
  readonly onEnd?: (receipts: readonly CarriedReceipt[]) => void;
}

/** What the engine without a model found, for a model to go on from. */
export interface Baseline {
  readonly setup: RunSetup;
  readonly dispatcher: Dispatcher;
  readonly conclusion: () => ConclusionInput;
  readonly frame: (budget: BudgetReport, warnings: readonly string[]) => Frame;
  readonly collectorCalls: number;
  /** Unix s. */
  readonly startedUnix: number;
}

export type ModelOutcome =
  | { readonly ok: true; readonly result: HealResult }
  | { readonly ok: false; readonly warning: string; readonly budget: BudgetReport };

/** Investigates one question and stores the answer; always gives a result (spec 07 B9, B10). */
export async function investigate(setup: RunSetup): Promise<HealResult> {
  const { question, config, artefacts, now } = setup;
  const startedUnix = now();
  artefacts.begin(question.key);
  const dispatcher = createDispatcher({
    tools: readsTemplates(setup) ? setup.tools.map(readingTemplates) : setup.tools,
    redactor: setup.redactor,
    sink: artefacts,
    now,
    signal: setup.signal,
    onReceipt: (receipt) => {
      setup.onReceipt?.(receipt);
      if (setup.onStep === undefined) return;
      lastTold = lastStep(conclusion(), lastTold);
      if (lastTold !== undefined) setup.onStep(lastTold, receipt);
    },
  });
  let lastTold: InvestigationStep | undefined;
  let trees: readonly FileTree[] = [];
  const unavailable = unavailableOf(setup.tools);
  const issue = issueOf(question);
  const conclusion = (): ConclusionInput => ({
    evidence: dispatcher.evidence(),
    issue,
    trees,
    maxGapS: config.corroborationMaxGapS,
    bands: config.bands,
    means: meansOf(setup.tools),
    unavailable,
    reproductions: setup.reproductions?.() ?? [],
  });
  const collector = new Collector(dispatcher);
  const tellPhase = (phase: string): void =>
    setup.onPhase?.(phase, ownBudget(collector.calls, now() - startedUnix));
  tellPhase('collecting evidence');
  const notes = await collect(setup, dispatcher, collector);
  trees = await setup.trees();
  tellPhase('reading the source');
  await readAnchor(collector, conclusion());
  const frame = (budget: BudgetReport, warnings: readonly string[]): Frame => ({
    investigationId: setup.investigationId,
    issueSummary: setup.redactor.text(titleOf(question)),
    unavailable,
    window: windowOf(question, dispatcher, startedUnix),
    budget,
    warnings: [...setup.warnings, ...notes, ...redactions(setup.redactor), ...warnings],
  });
  tellPhase(setup.continueWithModel === undefined ? 'concluding' : 'asking the model');
  const outcome = await setup.continueWithModel?.({
    setup,
    dispatcher,
    conclusion,
    frame,
    collectorCalls: collector.calls,
    startedUnix,
  });
  const isCancelled = setup.cancel?.aborted === true && outcome?.ok !== true;
  const result =
    outcome?.ok === true
      ? outcome.result
      : deterministicResult(
          conclusion(),
          frame(
            endedBudget(
              setup,
              isCancelled,
              outcome?.budget ?? ownBudget(collector.calls, now() - startedUnix),
            ),
            [...(isCancelled ? [CANCELLED_NOTE] : []), ...(outcome === undefined ? [] : [outcome.warning])],
          ),
          dispatcher.payload,
        );
  const finished = withProblems(result, artefacts.problems());
  store(setup, finished, startedUnix, finished.budget.wall_s);
  setup.onEnd?.(carriedReceipts(dispatcher));
  return finished;
}

const CANCELLED_NOTE = 'this was cancelled before it was finished; it is only what had been found by then';

/** What users of a service typed is no evidence of its faults; a finding comes from our own rules (spec 07 C2). */
function readsTemplates({ config, question }: RunSetup): boolean {
  return config.abstractUserFields ?? question.symptom === null;
}

function endedBudget({ signal }: RunSetup, isCancelled: boolean, budget: BudgetReport): BudgetReport {
  if (isCancelled) return { ...budget, exhausted: CANCELLED };
  return signal.aborted && budget.exhausted === null ? { ...budget, exhausted: 'wall_time' } : budget;
}

async function collect(setup: RunSetup, dispatcher: Dispatcher, collector: Collector): Promise<string[]> {
  const { question, config } = setup;
  const snapshotTool = setup.tools.find(({ name }) => name === 'system_snapshot');
  const limits = setup.thresholds ?? DEFAULT_THRESHOLDS;
  const reading = question.snapshot;
  if (reading !== null) {
    const tool = snapshotTool ?? TICK_SNAPSHOT;
    const outcome = snapshotOutcome(reading, limits, question.incidentUnix, config.stateMaxAgeS, 'from tick');
    dispatcher.admit(tool, {}, outcome);
  }
  const hasSession = setup.tools.some(({ capability }) => capability === 'session');
  if (hasSession) {
    await collectFromSession(collector, {
      symptom: question.symptom,
      incidentUnix: question.incidentUnix,
      hasTickSnapshot: reading !== null,
      taskIds: taskIdsOf(question),
    });
  }
  const endUnix = hasSession ? question.incidentUnix + AFTER_S : null;
  return collectFromServices(collector, question, endUnix);
}

/** Stamps the tick's reading where the machine itself may not be probed. */
const TICK_SNAPSHOT: Tool = {
  name: 'system_snapshot',
  capability: 'snapshot',
  family: 'snapshot',
  description: 'The reading of the tick.',
  parameters: {},
  run: async () => ({
    status: 'error',
    cls: 'none',
    data: {},
    note: 'only the reading of the tick is there',
  }),
};

/** Reads the place that the winner points to, once (spec 07 B9.2). */
async function readAnchor(collector: Collector, input: ConclusionInput): Promise<void> {
  const { anchor } = leadOf(input);
  if (anchor === null || isRead(input.evidence, anchor.path, anchor.line)) return;
  await collector.ask('get_file_slice', { path: anchor.path, around_line: anchor.line, context: 40 });
  await collector.ask('read_source_slice', { path: anchor.path, line: anchor.line, context: 40 });
}

export function unavailableOf(tools: readonly Tool[]): Capability[] {
  return CAPABILITIES.filter((capability) => !tools.some((tool) => tool.capability === capability));
}

function meansOf(tools: readonly Tool[]) {
  const has = (...wanted: Capability[]): boolean =>
    tools.some(({ capability }) => wanted.includes(capability));
  return {
    traces: has('jaeger', 'session'),
    logs: has('loki', 'session'),
    source: has('github', 'source'),
    sandbox: has('sandbox'),
  };
}

function windowOf(question: Question, dispatcher: Dispatcher, startedUnix: number): Frame['window'] {
  const hasSession = dispatcher.tools.some(({ capability }) => capability === 'session');
  const minutes = dispatcher
    .evidence()
    .map(({ receipt }) => receipt.args['time_window_minutes'])
    .filter((value): value is number => typeof value === 'number');
  const widest = Math.max(question.windowMinutes, ...minutes) * 60;
  if (!hasSession) return { startUnix: startedUnix - widest, endUnix: startedUnix };
  const { incidentUnix } = question;
  const before = minutes.length === 0 ? BEFORE_S : Math.max(BEFORE_S, widest);
  return { startUnix: incidentUnix - before, endUnix: incidentUnix + AFTER_S };
}

export function ownBudget(toolCalls: number, seconds: number): BudgetReport {
  return {
    model_requests: 0,
    tool_calls: toolCalls,
    input_tokens: 0,
    output_tokens: 0,
    wall_s: Math.round(seconds * 1000) / 1000,
    exhausted: null,
  };
}

function redactions(redactor: Redactor): string[] {
  const counts = Object.entries(redactor.counts()).map(([kind, count]) => `${count} ${kind}`);
  return counts.length === 0 ? [] : [`masked before anything was stored: ${counts.join(', ')}`];
}

function withProblems(result: HealResult, problems: readonly string[]): HealResult {
  return problems.length === 0 ? result : { ...result, warnings: [...result.warnings, ...problems] };
}

function store(
  { artefacts, question, investigationId }: RunSetup,
  result: HealResult,
  startedUnix: number,
  seconds: number,
): void {
  const { root_cause: cause, mode } = result;
  const line = {
    investigation_id: investigationId,
    created_unix: startedUnix,
    key: question.key,
    mode,
    error_type: cause.error_type,
    subject: cause.subject,
    confidence: cause.confidence,
    confidence_level: cause.confidence_level,
    duration_s: Math.round(seconds * 1000) / 1000,
  };
  // The index is what counts as investigated: a cancelled run keeps nobody from another one.
  artefacts.finish(result, isCancelledResult(result) ? null : line);
}
