import type { CaseSet } from '../cases/case-set.js';
import type { SelfeditConfig } from '../config/fields.js';
import type { CallUsage, ErrorKind, Executor } from '../executor/executor.js';
import type { LeakCorpus } from '../guards/leak-lint.js';
import type { Judge } from '../judge/judge.js';
import type { DriftSource } from '../prompt/drift-source.js';
import type { Edit } from '../prompt/edit.js';
import type { CurrentPrompt, PromptRegistry } from '../registry/registry.js';
import type { Scorer } from '../scorers/scorer.js';
import type { LedgerStore } from '../store/ledger-store.js';
import type { ReviewStore } from '../store/review-store.js';
import type { RunStore } from '../store/run-store.js';
import type { LabelSource } from '../store/trace-store.js';
import type { Artefacts } from './artefacts.js';

/** A failure of the current prompt on a case that the analyzer may see. */
export type Failure = {
  readonly trace_id: string;
  readonly segment: string;
  readonly input: string;
  readonly output: string;
  readonly expected: string;
  readonly reason: string;
  readonly source: LabelSource;
};

/** An edit on its way, with the name that a script gives it. */
export interface Proposal {
  readonly edit: Edit;
  readonly label: string | null;
}

export interface ProposeInput {
  readonly base: CurrentPrompt;
  readonly iteration: number;
  /** Failures of the base on dev cases and in labelled traces; asking may cost calls. */
  readonly failures: () => Promise<readonly Failure[]>;
  /** What became of earlier edits; dev-side reasons, of confirmations only whether promoted (spec 08 §24.9). */
  readonly feedback: readonly string[];
}

/** What an analyzer came up with. */
export interface ProposeResult {
  readonly proposals: readonly Proposal[];
  /** Why there are none, or fewer. */
  readonly problems: readonly string[];
  readonly usage: CallUsage | null;
  readonly model: string;
  /** What was asked and answered, for the traffic log. */
  readonly exchange?: { readonly system: string; readonly question: string; readonly answer: string };
  /** Nothing more will come. */
  readonly isExhausted: boolean;
  /** The provider cannot be used: the run ends. */
  readonly outage?: { readonly kind: ErrorKind; readonly message: string };
}

/** What the loop works with. */
export interface LoopParts {
  readonly promptId: string;
  readonly registry: PromptRegistry;
  readonly runs: RunStore;
  readonly ledger: LedgerStore;
  readonly reviews: ReviewStore;
  readonly cases: CaseSet;
  readonly corpus: LeakCorpus;
  readonly executor: Executor;
  readonly scorer: Scorer;
  readonly drift: DriftSource;
  /** Rates the audit's answers; null: none is configured. */
  readonly judge: Judge | null;
  readonly propose: (input: ProposeInput) => Promise<ProposeResult>;
  /** Labelled failures from traces, beside those of the dev cases. */
  readonly failures: () => readonly Failure[];
  readonly config: SelfeditConfig;
  /** No price is known, or it is 0: the run has a limit of time in place of one of money (spec 08 §24.8). */
  readonly isFree: boolean;
  readonly artefacts: Artefacts;
  /** Unix seconds. */
  readonly now: () => number;
  readonly onProgress: (progress: LoopProgress) => void;
}

/** Where a run is. */
export interface LoopProgress {
  readonly what: string;
  readonly calls: number;
  readonly usd: number;
}

/** What differs between a demo and a run. */
export interface LoopSettings {
  readonly runId: string;
  readonly seed: number;
  readonly iterations: number;
  /** Confirm although the power is below one half. */
  readonly force: boolean;
  readonly hasSentinels: boolean;
  readonly hasPowerCheck: boolean;
  /** Racing, merging and Pareto selection among the edits of an iteration (spec 08 §24.5). */
  readonly hasSearch: boolean;
  /** How ties of the screen are broken: by cost, or by the script's names. */
  readonly tieBreak: 'cost' | 'label';
  /** Units of a confirmation, at most. */
  readonly confirmLimit: number;
  readonly budgetUsd: number;
}
