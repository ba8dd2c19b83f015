import type { Case } from '../cases/case.js';
import { caseText } from '../cases/case-text.js';
import type { SegmentRow } from '../gate/segments.js';
import type { Check } from '../guards/check.js';
import { type StaticContext, type StaticOutcome, staticChecks } from '../guards/static-checks.js';
import { DriftUnavailable, type DriftUsage, NGRAM_DRIFT } from '../prompt/drift-source.js';
import { type Edit, normaliseLines } from '../prompt/edit.js';
import { appendAudit, readAuditTail } from '../registry/audit-log.js';
import type { CurrentPrompt } from '../registry/registry.js';
import { baselineOf } from './baseline.js';
import { Measurer, ProviderOutage } from './measure.js';
import type { Failure, LoopParts, LoopSettings, Proposal } from './parts.js';
import { mapLimited } from './pool.js';
import type {
  Baseline,
  ConfirmReport,
  Decision,
  EditReport,
  ResultClass,
  SentinelReport,
  Tally,
  Verdict,
} from './report.js';
import { budgetStop, LimitStop } from './stops.js';

/** How an edit ended, before it is written down. */
export interface Ending {
  readonly stage: EditReport['stage'];
  readonly verdict: Verdict;
  readonly reason: string;
  readonly checks: readonly Check[];
  readonly decision?: Decision;
  readonly screen?: Tally;
  readonly confirm?: ConfirmReport;
  readonly segments?: readonly SegmentRow[];
  readonly sentinels?: SentinelReport | null;
  readonly version?: number;
}

const MAX_FEEDBACK = 20;
const DAY_S = 86_400;

/** What the stages of a run share. */
export class RunContext {
  readonly parts: LoopParts;
  readonly settings: LoopSettings;
  readonly measurer: Measurer;
  readonly isResumed: boolean;
  readonly notes: string[] = [];
  /** How the first base did on the dev cases, once the analyzer's material was gathered. */
  baseline: Baseline | null = null;
  readonly #feedback: string[];
  readonly #began: number;

  constructor(parts: LoopParts, settings: LoopSettings, isResumed: boolean) {
    this.parts = parts;
    this.settings = settings;
    this.isResumed = isResumed;
    this.measurer = new Measurer(parts, settings.runId);
    this.#began = parts.now();
    this.#feedback = earlierFeedback(parts, settings.runId);
  }

  get replicates(): number {
    const { deterministic, sampled } = this.parts.config.replicates;
    return this.parts.executor.isDeterministic ? deterministic : sampled;
  }

  get feedback(): readonly string[] {
    return this.#feedback.slice(-MAX_FEEDBACK);
  }

  say(what: string): void {
    this.parts.onProgress({ what, calls: this.measurer.calls, usd: this.measurer.usd });
  }

  /** What may still be spent, by the limits of the run and of the day. */
  remainingUsd(): number {
    const { runs, config, now } = this.parts;
    const spent = runs.run(this.settings.runId)?.spent_usd ?? 0;
    return Math.min(this.settings.budgetUsd - spent, config.budget_usd_day - runs.spentSince(now() - DAY_S));
  }

  /** Makes sure that a stage may begin. @throws LimitStop when it could cost more than is left, or the time is used up */
  demand(costUsd: number): void {
    const left = this.remainingUsd();
    if (costUsd > left) throw budgetStop(costUsd, left);
    const hours = (this.parts.now() - this.#began) / 3600;
    const { budget_h_run: most } = this.parts.config;
    if (this.parts.isFree && hours >= most) {
      throw new LimitStop('time', `the run has taken ${hours.toFixed(1)} h of the ${most} h that it may`);
    }
  }

  /** Upper bound of a stage's cost: every case on every given prompt, in every replicate. */
  worstCaseUsd(prompts: readonly string[], cases: readonly Case[]): number {
    const { executor } = this.parts;
    const once = prompts.reduce(
      (total, prompt) => total + cases.reduce((sum, one) => sum + executor.worstCaseUsd(prompt, one), 0),
      0,
    );
    return once * this.replicates;
  }

  /**
   * The checks that need no answer of the prompt. Where drift is measured by a provider, it is asked only about edits that pass
   * all other checks.
   *
   * @throws LimitStop, or ProviderOutage when the measure is not to be had
   */
  async judgeStatically(
    edit: Edit,
    base: string,
    duplicate?: StaticContext['duplicate'],
  ): Promise<StaticOutcome> {
    const { registry, corpus, config, drift } = this.parts;
    const first = normaliseLines(registry.text(registry.versions()[0] ?? 1) ?? base);
    const context = { base, first, corpus, config, ...(duplicate && { duplicate }) };
    if (drift === NGRAM_DRIFT) return staticChecks(edit, context);
    const otherwise = staticChecks(edit, { ...context, driftOf: () => 0 });
    if (otherwise.candidate === null) return otherwise;
    await this.#loadDrift([first, normaliseLines(base), otherwise.candidate], edit.edit_id);
    return staticChecks(edit, { ...context, driftOf: (before, after) => drift.between(before, after) });
  }

  async #loadDrift(texts: readonly string[], editId: string): Promise<void> {
    const { drift, runs } = this.parts;
    this.demand(drift.worstCaseUsd(texts));
    const book = (usage: DriftUsage): void =>
      runs.spend(this.settings.runId, { ...usage, role: 'embedding' }, { stage: 'static', editId });
    try {
      book(await drift.load(texts));
    } catch (error) {
      if (!(error instanceof DriftUnavailable)) throw error;
      book(error.usage);
      throw new ProviderOutage(error.kind, error.message);
    }
  }

  /** Failures in labelled traces, then those of a prompt on the dev cases. @throws LimitStop, ProviderOutage */
  async failuresOf(base: CurrentPrompt): Promise<Failure[]> {
    const { cases, config, failures } = this.parts;
    if (cases.dev.length > 0) this.demand(this.worstCaseUsd([base.text], cases.dev) / this.replicates);
    this.measurer.begin('baseline');
    const measured = await mapLimited(cases.dev, config.parallelism, async (one) => ({
      one,
      answer: await this.measurer.reusable(base.text, base.sha256, one, 0),
    }));
    this.measurer.settle();
    this.baseline ??= baselineOf(
      base.version,
      measured.flatMap(({ one: { segment }, answer: { passed } }) =>
        passed === null ? [] : [{ segment, pass: Number(passed) }],
      ),
    );
    const own = measured.flatMap(({ one, answer }): Failure[] =>
      answer.passed === false
        ? [
            {
              trace_id: one.case_id,
              segment: one.segment,
              input: caseText(one),
              output: answer.output,
              expected: one.expected.class,
              reason: answer.faults.join('; '),
              source: 'case',
            },
          ]
        : [],
    );
    return [...failures(), ...own];
  }

  /** Writes down how an edit ended: audit line, row, feedback, review. The row comes last, so a crash repeats the rest. */
  finish(proposal: Proposal, iteration: number, ending: Ending): EditReport {
    const { parts, settings } = this;
    const { edit, label } = proposal;
    this.measurer.settle();
    const decision = ending.decision ?? (ending.verdict === 'promote' ? 'promote' : 'reject');
    const report: EditReport = {
      edit_id: edit.edit_id,
      label,
      iteration,
      intent: edit.intent,
      segment: edit.expected.segments[0] ?? 'all',
      hypothesis: edit.hypothesis,
      stage: ending.stage,
      decision,
      verdict: ending.verdict,
      reason: ending.reason,
      class: classOf(ending),
      screen: ending.screen ?? null,
      confirm: ending.confirm ?? null,
      segments: ending.segments ?? [],
      sentinels: ending.sentinels ?? null,
      checks: ending.checks,
      version: ending.version ?? null,
      costs: parts.runs.editCosts(settings.runId, edit.edit_id),
    };
    if (!this.isResumed || !this.#isAudited(edit.edit_id)) {
      appendAudit(parts.registry.auditPath, {
        at: new Date(parts.now() * 1000).toISOString(),
        edit_id: edit.edit_id,
        run_id: settings.runId,
        epoch: parts.ledger.epoch,
        alpha: ending.confirm?.alpha ?? null,
        decision,
        verdict: ending.verdict,
        reason: ending.reason,
        checks: ending.checks,
      });
    }
    if (decision === 'near_miss')
      parts.reviews.open(parts.promptId, edit.edit_id, 'near_miss', ending.reason);
    if (ending.verdict === 'blocked_polarity') {
      parts.reviews.open(parts.promptId, edit.edit_id, 'polarity', ending.reason);
    }
    this.#feedback.push(feedbackLine(report));
    parts.runs.updateEdit(settings.runId, edit.edit_id, {
      stage: ending.stage,
      verdict: ending.verdict,
      decision,
      reason: ending.reason,
      report_json: JSON.stringify(report),
    });
    return report;
  }

  /** Takes up the feedback of an edit that an interrupted run had finished. */
  remember(report: EditReport): void {
    this.#feedback.push(feedbackLine(report));
  }

  #isAudited(editId: string): boolean {
    const { entries } = readAuditTail(this.parts.registry.auditPath, 200);
    return entries.some((entry) => entry['edit_id'] === editId && entry['run_id'] === this.settings.runId);
  }
}

/** What became of the edits of earlier runs of this epoch, so that a new one does not begin from nothing. */
function earlierFeedback({ runs, promptId, ledger }: LoopParts, runId: string): string[] {
  return runs
    .reportsOfEpoch(promptId, ledger.epoch, runId, MAX_FEEDBACK)
    .map((json): EditReport => JSON.parse(json))
    .map(feedbackLine);
}

/** From a confirmation only promoted or not flows back; what dev cases and static checks say may be given freely. */
function feedbackLine({ hypothesis, segment, intent, verdict, stage, reason, screen }: EditReport): string {
  const about = `${intent} for ${segment} (${hypothesis})`;
  if (stage === 'static') return `${about}: ${verdict}, ${reason}`;
  if (stage === 'screen' && screen !== null) {
    return `${about}: ${verdict}, ${screen.wins} wins and ${screen.losses} losses on dev cases`;
  }
  return `${about}: ${verdict === 'promote' ? 'promoted' : 'not promoted'}`;
}

function classOf({ stage, verdict, screen, confirm }: Ending): ResultClass {
  if (verdict === 'promote') return 'promoted';
  if (verdict === 'invalid_run' || verdict === 'stale_base') return 'invalid';
  if (stage === 'static' || verdict.startsWith('blocked_')) return 'blocked';
  const { wins, losses } = confirm ?? screen ?? { wins: 0, losses: 0 };
  if (verdict === 'harm' || wins < losses) return 'harmful';
  if (wins === 0) return 'null';
  return wins === losses ? 'net-zero' : 'weak positive';
}
