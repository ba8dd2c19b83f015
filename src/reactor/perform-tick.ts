import { dirname } from 'node:path';
import { heartbeat } from '../decision/intents.js';
import { rcaFields } from '../decision/rca/config.js';
import { pickFields } from '../foreign/config-field.js';
import { redactorFor } from '../foreign/redact.js';
import type { WriteFailure } from '../foreign/write-file.js';
import { type CollectDeadline, type Collected, collectSnapshot } from '../sources/collect.js';
import { sourcesFields } from '../sources/config.js';
import type { Snapshot } from '../sources/snapshot.js';
import type { AgentConfig } from './config/fields.js';
import { reactorFields } from './config/own-fields.js';
import { spoolFields } from './config/spool-fields.js';
import type { ReactorContext } from './context.js';
import { decideTick, type TickDecision } from './decide-tick.js';
import type { Emit } from './emit.js';
import type { Finding } from './findings/finding.js';
import { appendFindings, appendPresence } from './findings/sink.js';
import { spoolInvestigation } from './investigation-spool.js';
import {
  type InvestigationSummary,
  latestInvestigations,
  withIds,
  withSummaries,
} from './investigations/summaries.js';
import type { ExplainFindings } from './rca-port.js';
import { soundFinding, soundIntents } from './sound-intents.js';
import { statePath } from './store/paths.js';
import { loadSilences } from './store/silences-file.js';
import { type Slots, slotOf, withSlots } from './store/slots.js';
import { dropStaleTemporaries, loadState, saveState } from './store/state-file.js';
import { acquireLock, type StateLock } from './store/state-lock.js';
import type { TickLog } from './tick-log.js';
import { limitWarnings } from './warnings.js';

/** Slot of the sources in the detector state (spec 02 §11). */
export const SOURCES_SLOT = 'sources';
/** Kept free at the end of a tick for writing the answer, ms. */
const RESERVE_MS = 1000;
/** No root-cause call starts with less than this left, ms (spec 01 §9.4). */
const RCA_MINIMUM_MS = 1000;

export interface TickRequestParts {
  readonly context: ReactorContext;
  /** Of the prompt, already in the order in which they are reported. */
  readonly promptWarnings: readonly string[];
  /** The effective tick, when it is not the prompt's. */
  readonly tick?: number;
  /** Slots of the caller's own to save with the others. */
  readonly slots?: Slots;
}

export interface TickSetup {
  readonly sessionDir: string;
  readonly sessionId: string;
  readonly config: AgentConfig;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Wall clock or the request's, unix s. */
  readonly nowUnix: number;
  /** True when a Coordinator rendered a prompt for this tick. */
  readonly promptDriven: boolean;
  readonly origin: 'tick' | 'run';
  /** Time left until the tick's deadline, ms. */
  readonly remainingMs: () => number;
  readonly log: TickLog;
  /** Warnings about options and configuration. */
  readonly configWarnings: readonly string[];
  /** Called while the collectors are at work; gives the context. */
  readonly prepare: (loaded: { readonly slots: Slots }) => TickRequestParts;
  /** Hands the answer over; called again with `llm_usage` when a model was asked. */
  readonly deliver: (emit: Emit, isFinal: boolean) => Promise<WriteFailure | undefined>;
  readonly explain?: ExplainFindings;
  /** Told when a phase is over. */
  readonly mark?: (phase: string) => void;
  /** Writer named in the state file. */
  readonly writer: string;
}

export interface TickReport {
  readonly delivered: WriteFailure | undefined;
  readonly decision: TickDecision;
  readonly context: ReactorContext;
  readonly snapshot: Snapshot;
  /** The state that the tick started from, for a recording. */
  readonly slotsBefore: Slots;
  readonly findings: readonly Finding[];
  /** Jobs for an investigation that this tick left. */
  readonly jobs: readonly string[];
  /** What went wrong after the answer was out; the answer stands all the same. */
  readonly problems: readonly string[];
}

/**
 * One whole tick in the order of spec 01 §5.1: look, judge, decide, answer, and only then explain, record and remember. A
 * failure to answer leaves no trace of the tick; a failure afterwards costs what failed and nothing else.
 */
export async function performTick(setup: TickSetup): Promise<TickReport> {
  const state = await openState(setup);
  setup.mark?.('lock and state');
  try {
    const looking = look(setup, state.slots);
    setup.mark?.('collectors started');
    const parts = setup.prepare({ slots: state.slots });
    setup.mark?.('prompt');
    const collected = await looking;
    setup.mark?.('collectors');
    for (const { level, message, fields } of collected.notes) setup.log(level, message, fields);
    return await decideAndAnswer(setup, state, parts, collected);
  } finally {
    state.lock?.release();
  }
}

interface OpenState {
  readonly slots: Slots;
  readonly lock: StateLock | undefined;
  /** False: somebody else has the lock, or the store is off. */
  readonly mayWrite: boolean;
  readonly path: string;
}

async function openState({ sessionDir, origin, config, nowUnix, log }: TickSetup): Promise<OpenState> {
  const path = statePath(sessionDir, origin);
  if (!pickFields(reactorFields, config).state_store_enabled) {
    return { slots: {}, lock: undefined, mayWrite: false, path };
  }
  const outcome = await acquireLock(path.replace(/\.json$/, '.lock'));
  if (outcome.held) dropStaleTemporaries(dirname(path));
  else log('warn', 'detector state will not be saved', { reason: outcome.why });
  const { slots, problem } = loadState(path, nowUnix);
  if (problem !== undefined) log('warn', problem);
  return { slots, lock: outcome.held ? outcome.lock : undefined, mayWrite: outcome.held, path };
}

function look(setup: TickSetup, slots: Slots): Promise<Collected> {
  const deadline: CollectDeadline = {
    remainingMs: () => Math.max(0, setup.remainingMs() - RESERVE_MS),
  };
  return collectSnapshot({
    sessionDir: setup.sessionDir,
    config: pickFields(sourcesFields, setup.config),
    env: setup.env,
    nowUnix: setup.nowUnix,
    promptDriven: setup.promptDriven,
    memory: slotOf(slots, SOURCES_SLOT),
    deadline,
  });
}

async function decideAndAnswer(
  setup: TickSetup,
  state: OpenState,
  parts: TickRequestParts,
  collected: Collected,
): Promise<TickReport> {
  const { context, promptWarnings } = parts;
  const slots = withSlots(state.slots, { ...parts.slots, [SOURCES_SLOT]: collected.memory });
  const { silences, problem } = loadSilences(setup.sessionDir);
  if (problem !== undefined) setup.log('warn', problem);
  const redact = redactorFor(setup.env);
  const facts = { context, snapshot: collected.snapshot, slots, config: setup.config, silences, redact };
  const judged = decideTick(parts.tick === undefined ? facts : { ...facts, tick: parts.tick }, setup.mark);
  const investigated = earlierInvestigations(setup.sessionDir, judged);
  const decided = withSummaries(judged, investigated, redact);
  setup.mark?.('decide');
  for (const warning of decided.decision.warnings) setup.log('warn', 'decision', { warning });
  for (const { rule, errorClass, message } of decided.classification.failures) {
    setup.log('error', 'a rule failed', { rule, error: errorClass, reason: message });
  }
  const { sound, problems } = soundIntents(decided.decision.intents);
  for (const schemaProblem of problems) setup.log('error', 'schema', { problem: schemaProblem });
  const emit: Emit = {
    intent_envelope: { intents: sound.length > 0 ? sound : [heartbeat()] },
    session_id: setup.sessionId,
    tick_index: 1,
    parse_warnings: answerWarnings(promptWarnings, [
      ...setup.configWarnings,
      ...decided.warnings,
      ...problems,
      ...collected.warnings,
    ]).map(redact),
  };
  const report = { decision: decided, context, snapshot: collected.snapshot, slotsBefore: state.slots };
  const explains = setup.explain !== undefined && decided.decision.findings.length > 0;
  const delivered = await setup.deliver(emit, !explains);
  setup.mark?.('answer');
  if (delivered !== undefined) return { ...report, delivered, findings: [], jobs: [], problems: [] };
  const answered = { context, snapshot: collected.snapshot, decided, emit, investigated };
  const after = await afterTheAnswer(setup, state, answered);
  return { ...report, delivered, ...after };
}

/** `parse_warnings`: those of the prompt, then the others, each group limited by itself (spec 01 §1.5). */
export function answerWarnings(prompt: readonly string[], others: readonly string[]): string[] {
  return [...limitWarnings(prompt), ...limitWarnings(others)];
}

interface Answered {
  readonly context: ReactorContext;
  readonly snapshot: Snapshot;
  readonly decided: TickDecision;
  readonly emit: Emit;
  readonly investigated: ReadonlyMap<string, InvestigationSummary>;
}

async function afterTheAnswer(
  setup: TickSetup,
  state: OpenState,
  answered: Answered,
): Promise<{ findings: readonly Finding[]; jobs: readonly string[]; problems: string[] }> {
  const { context, decided } = answered;
  const problems: string[] = [];
  const note = (what: string, failure: WriteFailure | undefined) => {
    if (failure === undefined) return;
    problems.push(`${what}: ${failure.message}`);
    setup.log('warn', `${what} could not be written`, { code: failure.code, reason: failure.message });
  };
  const explained = await explainFindings(setup, answered);
  setup.mark?.('root cause');
  const { presence_enabled: keepsPresence } = pickFields(reactorFields, setup.config);
  const target = { sessionDir: setup.sessionDir, sessionId: setup.sessionId, mayRotate: state.mayWrite };
  const findings = withIds(explained.findings, answered.investigated);
  note('findings', appendFindings(target, findings));
  if (keepsPresence) note('presence', appendPresence(target, decided.decision.presence));
  setup.mark?.('findings');
  const spooled = spoolJobs(setup, answered, findings);
  problems.push(...spooled.problems);
  await finalizeIfStopped(setup, context, problems);
  if (state.mayWrite)
    note('detector state', saveState(state.path, explained.slots, setup.nowUnix, setup.writer));
  setup.mark?.('state');
  return { findings, jobs: spooled.jobs, problems };
}

/** What was investigated before; the index is looked at only when something HIGH is said. */
function earlierInvestigations(
  sessionDir: string,
  { decision }: TickDecision,
): ReadonlyMap<string, InvestigationSummary> {
  const saysHigh = decision.findings.some(({ severity }) => severity === 'high');
  return saysHigh ? latestInvestigations(sessionDir) : new Map();
}

/** Leaves jobs for whoever investigates; the tick itself waits for none of them (spec 07 B1). */
function spoolJobs(
  setup: TickSetup,
  { snapshot }: Answered,
  findings: readonly Finding[],
): { readonly jobs: readonly string[]; readonly problems: readonly string[] } {
  const config = pickFields(spoolFields, setup.config);
  if (config.investigate_mode === 'off') return { jobs: [], problems: [] };
  const { jobs, dropped, problems } = spoolInvestigation(setup.sessionDir, findings, {
    sessionId: setup.sessionId,
    nowUnix: setup.nowUnix,
    snapshot,
    cooldownS: config.investigate_cooldown_s,
    queueMax: config.investigate_queue_max,
    skipSymptoms: config.investigate_skip_symptoms,
    skipsMachine: pickFields(sourcesFields, setup.config).disable_local_probe,
  });
  if (dropped > 0) setup.log('info', 'the queue of investigations is full', { dropped });
  for (const problem of problems) setup.log('warn', 'an investigation could not be queued', { problem });
  return { jobs, problems: problems.map((problem) => `investigation: ${problem}`) };
}

async function explainFindings(setup: TickSetup, { decided, emit, context }: Answered) {
  const own = setup.origin === 'run' ? { origin: 'run' as const } : {};
  const findings: Finding[] = decided.decision.findings.map((finding) => ({
    ...soundFinding(finding),
    ...own,
  }));
  if (setup.explain === undefined || findings.length === 0) return { findings, slots: decided.slots };
  const { rca_budget_s: budget } = pickFields(rcaFields, setup.config);
  const ms = Math.min(budget * 1000, setup.remainingMs() - RESERVE_MS / 2);
  const signal = ms < RCA_MINIMUM_MS ? AbortSignal.abort() : new AbortController().signal;
  const limit = { signal, ms, nowUnix: context.now_unix, tick: decided.tick };
  const keys = decided.decision.emissions.map(({ key }) => key);
  const result = await setup.explain(findings, decided.slots, limit, keys);
  for (const warning of result.warnings) setup.log('warn', 'root cause', { warning });
  const failure = await setup.deliver(result.usage ? { ...emit, llm_usage: result.usage } : emit, true);
  if (failure !== undefined) {
    setup.log('warn', 'the usage could not be added to the answer', { reason: failure.message });
  }
  return { findings: result.findings, slots: withSlots(decided.slots, result.slots) };
}

async function finalizeIfStopped(
  setup: TickSetup,
  context: ReactorContext,
  problems: string[],
): Promise<void> {
  const config = pickFields(reactorFields, setup.config);
  const stopReason = context.shared_state.stop_reason.trim();
  if (!config.finalize_enabled || stopReason === '') return;
  // Once in a session; all other ticks start sooner without it.
  const { finalizeSession } = await import('./postmortem/finalize.js');
  const result = await finalizeSession({
    sessionDir: setup.sessionDir,
    sessionId: setup.sessionId,
    stopReason,
    nowUnix: setup.nowUnix,
    reportsSubdir: config.finalize_reports_subdir,
    maxFindings: config.finalize_max_findings_in_report,
    maxTasksPerAction: config.finalize_max_tasks_per_action,
  });
  for (const error of result.errors) {
    problems.push(`postmortem: ${error}`);
    setup.log('warn', 'postmortem', { error });
  }
}
