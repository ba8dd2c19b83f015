import type { ConclusionInput } from '../engine/conclude.js';
import { isRead } from '../evidence/anchors.js';
import { kindOf, leadingEntity, normalizeService, serviceEntity } from '../evidence/entities.js';
import { bandOf, type ConfidenceLevel, clampTo } from '../model/confidence.js';
import { isCounting } from '../model/evidence.js';
import type { HealResult } from '../model/heal-result.js';
import { type GovernorDecision, govern, governReference } from '../policy/governor.js';
import { missingEvidence } from '../policy/missing.js';
import { referenceBand, referenceSignals } from '../policy/reference.js';
import { safeFix } from '../policy/safe-fix.js';
import { type Support, strictSupport } from '../policy/strict.js';
import {
  checkClaims,
  commonParts,
  type Frame,
  fingerprintsOf,
  ledgerWarnings,
  verifiedTexts,
} from '../result.js';
import type { Submission } from './submission.js';

/** A submission after code has taken out what the evidence does not hold (spec 07 B11.2). */
export interface CheckedSubmission {
  readonly submission: Submission;
  readonly claims: ReturnType<typeof checkClaims>['claims'];
  readonly causeHolds: boolean;
  readonly warnings: readonly string[];
  readonly support: Support;
  readonly supported: ConfidenceLevel;
  readonly missing: string;
}

export type Payload = (receiptId: string) => string | undefined;

/** Checks claims, place and service, and asks the policy. */
export function checkSubmission(
  given: Submission,
  input: ConclusionInput,
  payload: Payload,
  profile: 'strict' | 'reference',
): CheckedSubmission {
  const receipts = input.evidence.map(({ receipt }) => receipt);
  const { claims, warnings, causeHolds } = checkClaims(given.statements, { receipts, payload });
  const submission = withKnownParts(given, input);
  const dropped = (['service', 'filePath', 'lineNumber'] as const).filter(
    (part) => given[part] !== null && submission[part] === null,
  );
  const support = strictSupport(
    {
      errorType: submission.errorType,
      service: submission.service,
      filePath: submission.filePath,
      lineNumber: submission.lineNumber,
    },
    {
      evidence: input.evidence,
      issue: input.issue,
      mode: 'llm',
      trees: input.trees,
      reproductions: input.reproductions,
      maxGapS: input.maxGapS,
    },
  );
  const policy = profile === 'strict' ? support.band : referenceOf(submission, input);
  const supported = causeHolds ? policy : 'low';
  return {
    submission,
    claims,
    causeHolds,
    warnings: [...warnings, ...dropped.map((part) => `${NAMES[part]} is in no receipt and was dropped`)],
    support,
    supported,
    missing: causeHolds
      ? missingEvidence({ ...support, band: supported }, input.means)
      : 'the claim that names the cause could not be verified',
  };
}

/** The governor's word on a checked submission. */
export function decide(
  { submission, supported, missing }: CheckedSubmission,
  input: ConclusionInput,
  mayRetry: boolean,
  reference: number | null,
): GovernorDecision {
  const asked = { claimed: submission.confidence, supported, missing, note: submission.note, mayRetry };
  return reference === null ? govern(asked, input.bands) : governReference(asked, reference, input.bands);
}

/** The stored result of a submission; what code knows better, code fills in (spec 07 B3). */
export function modelResult(
  checked: CheckedSubmission,
  decision: { readonly confidence: number; readonly note: string | null },
  input: ConclusionInput,
  frame: Frame,
  payload: Payload,
): HealResult {
  const { submission, claims, supported } = checked;
  // A band is never above what is supported, whoever decided the number.
  const confidence =
    bandOf(decision.confidence, input.bands) === supported
      ? decision.confidence
      : clampTo(decision.confidence, supported, input.bands);
  const known = (url: string): boolean =>
    input.evidence.some(({ receipt }) => payload(receipt.receipt_id)?.includes(url) === true);
  const fix = safeFix(submission.fix, known);
  const snippet = submission.snippet === null ? null : safeFix(submission.snippet, known);
  const ids = new Set(input.evidence.map(({ receipt }) => receipt.receipt_id));
  const cited = new Set(claims.filter(({ verified }) => verified).flatMap(({ receipt_ids: of }) => of));
  const counting = input.evidence.filter((one) => isCounting(one) && cited.has(one.receipt.receipt_id));
  return {
    ...commonParts(input, frame),
    mode: 'llm',
    action_taken: input.reproductions.some(({ verified }) => verified) ? 'sandbox_enriched' : 'explained',
    issue_summary: submission.issueSummary,
    root_cause: {
      description: submission.description,
      file_path: submission.filePath,
      line_number: submission.lineNumber,
      confidence,
      confidence_level: bandOf(confidence, input.bands),
      evidence: verifiedTexts(claims),
      error_type: submission.errorType,
      service: submission.service,
      subject: subjectOf(
        submission,
        counting.map(({ receipt }) => receipt.entities),
      ),
      claims,
      fingerprints: fingerprintsOf(input.evidence),
    },
    recommended_fix: fix.text,
    fix_code_snippet: snippet?.text ?? null,
    confidence_note: decision.note,
    alternatives: submission.alternatives,
    propagation: submission.propagation.map((step) => ({
      ...step,
      receipt_ids: step.receipt_ids.filter((id) => ids.has(id)),
    })),
    supported_band: supported,
    claimed_confidence: submission.confidence,
    evidence_classes: [...new Set(counting.map(({ receipt }) => receipt.evidence_class))].sort(),
    warnings: [
      ...new Set([
        ...frame.warnings,
        ...ledgerWarnings(input.evidence),
        ...checked.warnings,
        ...fix.warnings,
        ...(snippet?.warnings ?? []),
      ]),
    ].slice(0, 50),
  };
}

const NAMES = { service: 'the service', filePath: 'the file', lineNumber: 'the line' } as const;

/** Drops a service, file or line that no receipt knows (spec 07 B11.2). */
function withKnownParts(given: Submission, { evidence, trees }: ConclusionInput): Submission {
  const counting = evidence.filter(isCounting);
  const wanted = given.service === null ? '' : normalizeService(given.service);
  const service =
    given.service !== null &&
    counting.some(
      ({ receipt }) =>
        receipt.services.some((name) => normalizeService(name) === wanted) ||
        serviceEntity(given.service ?? '').some((one) => receipt.entities.includes(one)),
    )
      ? given.service
      : null;
  const path = given.filePath;
  const wasRead = path !== null && isRead(evidence, path, null);
  const filePath = wasRead || (path !== null && trees.some((tree) => tree.has(path))) ? path : null;
  const line = given.lineNumber;
  const lineNumber = filePath !== null && line !== null && isRead(evidence, filePath, line) ? line : null;
  return { ...given, service, filePath, lineNumber };
}

function referenceOf(
  { errorType }: Submission,
  { evidence, reproductions }: ConclusionInput,
): ConfidenceLevel {
  const receipts = evidence.map(({ receipt }) => ({
    family:
      receipt.family === 'jaeger' || receipt.family === 'loki' || receipt.family === 'github'
        ? receipt.family
        : ('other' as const),
    success: receipt.success,
    service: receipt.service,
    file_path: receipt.file_path,
  }));
  const isReproduced = reproductions.some(({ verified }) => verified);
  return referenceBand(errorType, referenceSignals(receipts), isReproduced);
}

/** `service:` and the verified service, else the most telling entity of what was cited. */
function subjectOf({ service }: Submission, entities: readonly (readonly string[])[]): string | null {
  if (service !== null) return serviceEntity(service)[0] ?? null;
  return leadingEntity(entities.map((list) => list.filter((one) => kindOf(one) !== 'session')));
}
