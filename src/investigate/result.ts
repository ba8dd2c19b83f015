import { type Conclusion, type ConclusionInput, conclude, leadOf, supportOf } from './engine/conclude.js';
import { summaryOf } from './ledger/receipt-of.js';
import { type ConfidenceLevel, ceilingOf, lowerOf } from './model/confidence.js';
import { countingItems, type Evidence } from './model/evidence.js';
import type { BudgetReport, Claim, HealResult, InvestigationStep } from './model/heal-result.js';
import { type Citations, checkClaim, type Statement } from './policy/claims.js';

/** What a result takes from the run around it. */
export interface Frame {
  readonly investigationId: string;
  readonly issueSummary: string;
  readonly unavailable: readonly string[];
  readonly window: { readonly startUnix: number; readonly endUnix: number };
  readonly budget: BudgetReport;
  readonly warnings: readonly string[];
}

const MAX_WARNINGS = 50;

/** The result of the engine without a model. */
export function deterministicResult(
  input: ConclusionInput,
  frame: Frame,
  payload: Citations['payload'],
): HealResult {
  const conclusion = conclude(input);
  const { claims, warnings } = checkClaims(conclusion.statements, {
    receipts: input.evidence.map(({ receipt }) => receipt),
    payload,
  });
  return {
    ...commonParts(input, frame),
    mode: 'deterministic',
    action_taken: 'fast_path',
    root_cause: {
      description: conclusion.description,
      file_path: conclusion.anchor?.path ?? null,
      line_number: conclusion.anchor?.line ?? null,
      confidence: conclusion.confidence,
      confidence_level: conclusion.level,
      evidence: verifiedTexts(claims),
      error_type: conclusion.errorType,
      service: conclusion.service,
      subject: conclusion.subject,
      claims,
      fingerprints: fingerprintsOf(input.evidence),
    },
    recommended_fix: withAnchor(conclusion),
    fix_code_snippet: null,
    confidence_note: conclusion.note,
    alternatives: conclusion.alternatives,
    propagation: conclusion.propagation,
    supported_band: conclusion.supported,
    claimed_confidence: conclusion.claimed,
    evidence_classes: conclusion.classes,
    warnings: [...frame.warnings, ...ledgerWarnings(input.evidence), ...warnings].slice(0, MAX_WARNINGS),
  };
}

/** Claims with their verdicts, and a warning for each that does not hold. */
export function checkClaims(
  statements: readonly Statement[],
  citations: Citations,
): { readonly claims: Claim[]; readonly warnings: string[]; readonly causeHolds: boolean } {
  const checked = statements.map((statement) => checkClaim(statement, citations));
  const warnings = checked.flatMap(({ claim, problem }) =>
    problem === null ? [] : [`a claim was dropped, because ${problem}: ${claim.text.slice(0, 80)}`],
  );
  return { claims: checked.map(({ claim }) => claim), warnings, causeHolds: checked[0]?.problem === null };
}

/** Fields that code fills in both modes (spec 07 B3). */
export function commonParts(input: ConclusionInput, frame: Frame) {
  return {
    investigation_id: frame.investigationId,
    issue_summary: frame.issueSummary,
    investigation_steps: stepsOf(input),
    tools_used: [...new Set(input.evidence.map(({ receipt }) => receipt.tool))],
    tools_unavailable: [...frame.unavailable],
    time_window: { start_unix: frame.window.startUnix, end_unix: frame.window.endUnix },
    budget: frame.budget,
  };
}

export function verifiedTexts(claims: readonly Claim[]): string[] {
  return claims
    .filter(({ verified }) => verified)
    .map(({ text, quote }) => (quote === null ? text : `${text}: "${quote}"`));
}

/** Ids that matched in counting receipts, in order of first receipt. */
export function fingerprintsOf(evidence: readonly Evidence[]): string[] {
  return [...new Set(countingItems(evidence).flatMap(({ fingerprint }) => fingerprint ?? []))];
}

/** Truncations and suspicions that a reader should know of. */
export function ledgerWarnings(evidence: readonly Evidence[]): string[] {
  const of = (test: (evidence: Evidence) => boolean): string =>
    evidence
      .filter(test)
      .map(({ receipt }) => receipt.receipt_id)
      .join(', ');
  const cut = of(({ receipt }) => receipt.truncated);
  const suspect = of(({ receipt }) => receipt.injection_suspect);
  const failed = of(({ receipt }) => receipt.status === 'error');
  return [
    ...(cut === '' ? [] : [`not everything was looked at: ${cut}`]),
    ...(suspect === '' ? [] : [`text like instructions stands in ${suspect}; it was read as data`]),
    ...(failed === '' ? [] : [`no answer came to ${failed}`]),
  ];
}

/** One step per receipt, with what the evidence so far could support (spec 07 B3). */
function stepsOf(input: ConclusionInput): InvestigationStep[] {
  const steps: InvestigationStep[] = [];
  for (const index of input.evidence.keys()) {
    const step = lastStep({ ...input, evidence: input.evidence.slice(0, index + 1) }, steps.at(-1));
    if (step !== undefined) steps.push(step);
  }
  return steps;
}

/** The step of the newest receipt; undefined without one. */
export function lastStep(input: ConclusionInput, before?: InvestigationStep): InvestigationStep | undefined {
  const last = input.evidence.at(-1);
  if (last === undefined) return undefined;
  const { receipt, items, source } = last;
  // A receipt without items or source changes nothing that is supported.
  const isNews = items.length > 0 || source !== null;
  const ceiling = before?.confidence_after ?? ceilingOf('low', input.bands);
  return {
    round: receipt.seq,
    tool: receipt.tool,
    result_summary: summaryOf(receipt),
    confidence_after: isNews ? ceilingSoFar(input) : ceiling,
  };
}

function ceilingSoFar(input: ConclusionInput): number {
  const { verdict, anchor } = leadOf(input);
  const band: ConfidenceLevel = verdict.winner === null ? 'low' : supportOf(input, verdict, anchor).band;
  return ceilingOf(lowerOf(band, 'medium'), input.bands);
}

function withAnchor({ fix, anchor }: Conclusion): string {
  return anchor === null ? fix : `${fix} Place: ${anchor.path}, line ${anchor.line}.`;
}
