import type { Case } from '../cases/case.js';
import { CaseSet } from '../cases/case-set.js';
import { caseText } from '../cases/case-text.js';
import { DEFAULT_SELFEDIT_CONFIG } from '../config/parse-config.js';
import { leakCorpus } from '../guards/leak-lint.js';
import { NO_ARTEFACTS } from '../loop/artefacts.js';
import type {
  LoopParts,
  LoopProgress,
  LoopSettings,
  Proposal,
  ProposeInput,
  ProposeResult,
} from '../loop/parts.js';
import type { RunReport } from '../loop/report.js';
import { runLoop } from '../loop/run-loop.js';
import { NGRAM_DRIFT } from '../prompt/drift-source.js';
import { editIdOf } from '../prompt/edit.js';
import { type CurrentPrompt, PromptRegistry, type WriteStep } from '../registry/registry.js';
import { scoreRca } from '../scorers/rca.js';
import { LedgerStore } from '../store/ledger-store.js';
import type { OpenedStore } from '../store/open-store.js';
import { ReviewStore } from '../store/review-store.js';
import { RunStore } from '../store/run-store.js';
import { DEMO_CLASSES, demoCases } from './demo-cases.js';
import { type DemoEdit, demoEdits } from './demo-edits.js';
import { DEFAULT_CHURN, demoExecutor } from './demo-executor.js';
import { DEMO_PROMPT } from './demo-prompt.js';

/** What a demo is run with. */
export interface DemoOptions {
  readonly seed: number;
  readonly churn?: number;
  /** Confirm cases per test, at most. */
  readonly tasks?: number;
  /** Where its state goes; it must be empty. */
  readonly directory: string;
  readonly db: Extract<OpenedStore, { ok: true }>['db'];
  readonly onProgress?: (progress: LoopProgress) => void;
  /** Told of the durable steps of each promotion. */
  readonly onStep?: (step: WriteStep) => void;
}

/** A fixed time, so that equal seeds leave equal bytes. */
const DEMO_TIME = Date.UTC(2026, 0, 1) / 1000;
const PER_ITERATION = 3;
const DEFAULT_TASKS = 180;

/** The cases of the demo by split; equal for every seed. */
export function demoCaseSet(): CaseSet {
  return new CaseSet(demoCases());
}

/** Runs the real loop, gate, registry and audit with a simulated executor and a scripted analyzer (spec 08 §23). */
export async function runDemo(options: DemoOptions): Promise<RunReport> {
  return runLoop(await demoParts(options), demoSettings(options));
}

/** The real parts of the loop around the simulated ones. */
export async function demoParts(options: DemoOptions): Promise<LoopParts> {
  const { seed, churn = DEFAULT_CHURN, tasks = DEFAULT_TASKS, directory, db } = options;
  const now = (): number => DEMO_TIME;
  const cases = demoCaseSet();
  const registry = new PromptRegistry({
    directory: `${directory}/registry/rca`,
    lock: `${directory}/selfedit.lock`,
    now: () => new Date(DEMO_TIME * 1000),
    ...(options.onStep && { onStep: options.onStep }),
  });
  await registry.initialise(DEMO_PROMPT);
  const edits = demoEdits(seed);
  return {
    promptId: 'rca',
    registry,
    runs: new RunStore(db, now),
    ledger: new LedgerStore(db, 'rca', now),
    reviews: new ReviewStore(db, now),
    cases,
    corpus: leakCorpus(cases.all.map(caseText), {
      ids: cases.all.map(({ case_id }) => case_id),
      values: new Set(),
      vocabulary: new Set(DEMO_CLASSES),
      classes: DEMO_CLASSES,
    }),
    executor: demoExecutor(seed, churn),
    scorer: scoreRca,
    drift: NGRAM_DRIFT,
    judge: null,
    propose: (input) => scripted(edits, cases, input),
    failures: () => [],
    config: {
      ...DEFAULT_SELFEDIT_CONFIG,
      critical_segments: [],
      parallelism: 1,
      confirm_min: Math.min(tasks, DEFAULT_SELFEDIT_CONFIG.confirm_min),
      confirm_target: Math.max(tasks, DEFAULT_SELFEDIT_CONFIG.confirm_target),
    },
    isFree: true,
    artefacts: NO_ARTEFACTS,
    now,
    onProgress: options.onProgress ?? (() => undefined),
  };
}

/** What the text of §23 turns off, and its order of ties. */
export function demoSettings({
  seed,
  tasks = DEFAULT_TASKS,
}: Pick<DemoOptions, 'seed' | 'tasks'>): LoopSettings {
  return {
    runId: `demo-${seed}`,
    seed,
    iterations: Math.ceil(demoEdits(seed).length / PER_ITERATION),
    force: false,
    hasSentinels: false,
    hasPowerCheck: false,
    // The figures of §23 are those of edits that are judged one by one.
    hasSearch: false,
    tieBreak: 'label',
    confirmLimit: tasks,
    budgetUsd: 0,
  };
}

async function scripted(
  edits: readonly DemoEdit[],
  { dev }: CaseSet,
  { base, iteration }: ProposeInput,
): Promise<ProposeResult> {
  const own = edits.slice((iteration - 1) * PER_ITERATION, iteration * PER_ITERATION);
  const proposals = own.map((one) => demoProposal(one, base, dev));
  return { proposals, problems: [], usage: null, model: 'script', isExhausted: false };
}

/** An edit of the script as the loop takes it. */
export function demoProposal(one: DemoEdit, base: CurrentPrompt, dev: readonly Case[]): Proposal {
  const ops = one.ops(base.text, dev);
  return {
    label: one.label,
    edit: {
      edit_id: editIdOf('rca', base.sha256, ops),
      base_version: base.version,
      base_sha256: base.sha256,
      ops,
      section: 'body',
      hypothesis: one.hypothesis,
      intent: one.intent,
      expected: { segments: [one.segment], net: 3 },
      evidence_traces: [],
    },
  };
}
