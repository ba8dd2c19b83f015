import { isObject, type JsonObject, objectOr, text } from '../../foreign/json.js';
import { deadlineIn } from '../../llm/deadline.js';
import type { UsageReport } from '../../llm/usage.js';
import type { Severity, Symptom } from '../../signals/symptom.js';
import { createRcaEngine } from './engine.js';
import type { RcaEngineOptions, RcaOutcome, RcaQuestion } from './rca-engine.js';

/** Slot of the detector state that the engine owns. */
export const RCA_SLOT = 'rca_throttle';

/** What of a finding the step reads and writes (spec 05 A.7). */
export interface ExplainableFinding {
  readonly symptom_name: string;
  readonly severity: Severity;
  readonly summary: string;
  readonly intents: readonly { readonly intent_type: string; readonly payload: JsonObject }[];
  readonly evidence: JsonObject;
  readonly rca_text: string;
  readonly subject: Readonly<Record<string, string>>;
  readonly rca_class?: string;
}

/** Findings with their texts, and what the calls left behind. */
export interface RcaStepResult<F extends ExplainableFinding> {
  readonly findings: readonly F[];
  /** The changed slot by name; empty without a model, so that what is stored stays. */
  readonly slots: Readonly<Record<string, JsonObject>>;
  readonly usage?: UsageReport;
  readonly warnings: readonly string[];
}

/** How long the step may take, and for which tick. */
export interface RcaStepLimit {
  readonly signal: AbortSignal;
  readonly ms: number;
  readonly tick: number;
}

/**
 * The root-cause step of a tick: makes the engine, asks about the findings, and closes it whatever happened. Never throws,
 * and ends with its limit.
 *
 * @returns a step; its last argument are the ladder's keys of the findings, in the same order. Without them keys are made of
 *   the findings, which differs where a subject was redacted or a symptom has a cooldown subject
 */
export function createRcaStep(options: Omit<RcaEngineOptions, 'slot'>) {
  return async <F extends ExplainableFinding>(
    findings: readonly F[],
    slots: Readonly<Record<string, JsonObject>>,
    limit: RcaStepLimit,
    keys: readonly string[] = [],
  ): Promise<RcaStepResult<F>> => {
    const engine = createRcaEngine({ ...options, slot: objectOr(slots[RCA_SLOT]) });
    if (engine.choice.kind === 'off') return { findings, slots: {}, warnings: engine.choice.warnings };

    const deadline = deadlineIn(limit.ms, { signal: limit.signal, remainingMs: () => limit.ms });
    try {
      engine.onTick(limit.tick);
      const questions = findings.map((finding, index) => questionOf(finding, keys[index]));
      const outcomes = await engine.summarize(questions, deadline);
      const usage = engine.drainUsage();
      return {
        findings: findings.map((finding, index) => withOutcome(finding, outcomes[index])),
        slots: { [RCA_SLOT]: engine.slot() },
        ...(usage && { usage }),
        warnings: engine.choice.warnings,
      };
    } finally {
      deadline.clear();
      await engine.close();
    }
  };
}

/** The question behind a finding; its suggestion and a destructive intent that is held back stand in its alert. */
function questionOf(finding: ExplainableFinding, key: string | undefined): RcaQuestion {
  const details = finding.intents.map(({ payload }) => objectOr(payload['detail']));
  const isDestructive =
    finding.intents.some(({ intent_type }) => intent_type === 'delegate' || intent_type === 'prune_branch') ||
    details.some((detail) => isObject(detail['pending_action']));
  const symptom: Symptom = {
    name: finding.symptom_name,
    severity: finding.severity,
    summary: finding.summary,
    evidence: finding.evidence,
    subject: finding.subject,
    source: 'unknown',
    suggestion:
      details.map((detail) => text(detail['suggestion'])).find((words) => words !== undefined) ?? '',
  };
  return { symptom, isDestructive, ...(key !== undefined && { key }) };
}

function withOutcome<F extends ExplainableFinding>(finding: F, outcome: RcaOutcome | undefined): F {
  if (outcome === undefined) return finding;
  const { text: rca_text, causeClass } = outcome;
  return { ...finding, rca_text, ...(causeClass && { rca_class: causeClass }) };
}
