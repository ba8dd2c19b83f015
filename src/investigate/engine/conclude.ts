import { type Anchor, anchorOf, isRead, locatedFrames } from '../evidence/anchors.js';
import { kindOf, leadingEntity, normalizeService } from '../evidence/entities.js';
import type { FileTree } from '../evidence/file-tree.js';
import { type BandLimits, type ConfidenceLevel, lowerOf, rankOf } from '../model/confidence.js';
import type { ErrorType } from '../model/error-type.js';
import { countingItems, type Evidence } from '../model/evidence.js';
import type { Alternative, Propagation } from '../model/heal-result.js';
import type { Statement } from '../policy/claims.js';
import { type Means, missingEvidence } from '../policy/missing.js';
import type { Issue } from '../policy/relevance.js';
import { type Reproduction, strictSupport } from '../policy/strict.js';
import { bestItem, describe } from './describe.js';
import { nextEvidence, proposedFix } from './fixes.js';
import { effectsOf, propagationOf, statementsOf, untypedStatements } from './statements.js';
import { type EngineVerdict, engineSignals, judge, limited } from './verdict.js';

export interface ConclusionInput {
  readonly evidence: readonly Evidence[];
  readonly issue: Issue;
  readonly trees: readonly FileTree[];
  readonly maxGapS: number;
  readonly bands: BandLimits;
  readonly means: Means;
  readonly unavailable: readonly string[];
  /** Runs of the sandbox; only a model starts them. */
  readonly reproductions: readonly Reproduction[];
}

/** What code alone concludes; claims are not yet checked. */
export interface Conclusion {
  readonly errorType: ErrorType;
  readonly subject: string | null;
  readonly service: string | null;
  readonly anchor: Anchor | null;
  readonly description: string;
  readonly fix: string;
  readonly statements: readonly Statement[];
  readonly propagation: readonly Propagation[];
  readonly alternatives: readonly Alternative[];
  readonly confidence: number;
  readonly level: ConfidenceLevel;
  readonly supported: ConfidenceLevel;
  readonly claimed: number;
  readonly classes: readonly string[];
  readonly note: string | null;
}

/** The leading hypothesis and its anchor, read or not. */
export interface Lead {
  readonly verdict: EngineVerdict;
  readonly anchor: Anchor | null;
}

/** The winner on the evidence so far, and the place it points to (spec 07 B9.3). */
export function leadOf({ evidence, issue, trees, maxGapS, bands }: ConclusionInput): Lead {
  const located = locatedFrames(evidence);
  let anchor: Anchor | null = null;
  const signals = engineSignals(countingItems(evidence), issue);
  const verdict = judge(
    signals,
    issue,
    (winner) => {
      anchor = anchorOf(winner.own, located, trees);
      return anchor !== null && isRead(evidence, anchor.path, anchor.line);
    },
    maxGapS,
    bands,
  );
  return { verdict, anchor };
}

/** The answer of the engine without a model (spec 07 B9.3-10 to 14). */
export function conclude(input: ConclusionInput): Conclusion {
  const { verdict, anchor } = leadOf(input);
  const { winner } = verdict;
  if (winner === null) return inconclusive(input, verdict);
  const service = spelledService(verdict.subject, input.evidence);
  const support = supportOf(input, verdict, anchor);
  const supported = lowerOf(verdict.supported, support.band);
  return {
    errorType: verdict.errorType,
    subject: verdict.subject,
    service,
    anchor,
    description: describe(winner, effectsOf(winner)),
    fix: proposedFix(verdict.errorType, bestItem(winner.own)?.fingerprint ?? null),
    statements: statementsOf(winner, input.evidence),
    propagation: propagationOf(winner, input.evidence),
    alternatives: verdict.alternatives,
    ...limited(verdict.claimed, supported, input.bands),
    supported,
    claimed: verdict.claimed,
    classes: verdict.classes,
    note: noteOf(verdict, missingEvidence({ ...support, band: supported }, input.means)),
  };
}

/** The band that the policy supports for the leading hypothesis. */
export function supportOf(input: ConclusionInput, verdict: EngineVerdict, anchor: Anchor | null) {
  const isVerified = anchor !== null && isRead(input.evidence, anchor.path, anchor.line);
  return strictSupport(
    {
      errorType: verdict.errorType,
      service: spelledService(verdict.subject, input.evidence),
      filePath: isVerified ? anchor.path : null,
      lineNumber: isVerified ? anchor.line : null,
    },
    {
      evidence: input.evidence,
      issue: input.issue,
      mode: 'deterministic',
      trees: input.trees,
      reproductions: [],
      maxGapS: input.maxGapS,
    },
  );
}

/** A `service:` subject as its source spells it. */
export function spelledService(subject: string | null, evidence: readonly Evidence[]): string | null {
  if (subject === null || kindOf(subject) !== 'service') return null;
  const wanted = subject.slice('service:'.length);
  const names = evidence.flatMap(({ receipt }) => (receipt.signal ? receipt.services : []));
  return names.find((name) => normalizeService(name) === wanted) ?? null;
}

function inconclusive({ evidence, unavailable }: ConclusionInput, verdict: EngineVerdict): Conclusion {
  const items = countingItems(evidence);
  const failed = items.filter(({ cls, kind }) => cls === 'trace' && kind !== 'slow');
  const units = [...new Set(failed.flatMap(({ entities }) => leadingEntity([entities]) ?? []))];
  const read = evidence.filter(({ receipt }) => receipt.status === 'ok').length;
  const seen =
    failed.length === 0
      ? 'No failure was found'
      : `${units.length || failed.length} failures were found that do not say why`;
  return {
    errorType: 'unknown',
    subject: null,
    service: null,
    anchor: null,
    description: `${seen}; ${read} of ${evidence.length} looks had an answer.`,
    fix: nextEvidence(unavailable, units),
    statements: untypedStatements(items, evidence),
    propagation: [],
    alternatives: [],
    confidence: verdict.confidence,
    level: verdict.level,
    supported: 'low',
    claimed: verdict.claimed,
    classes: [],
    note:
      evidence.length === 0
        ? `nothing could be looked at; configure one of ${unavailable.join(', ')}`
        : 'no line, span or result names a cause',
  };
}

function noteOf(verdict: EngineVerdict, missing: string): string {
  const notes = [
    ...(verdict.isRelevant ? [] : ['errors were found that do not explain the reported symptom']),
    ...(verdict.isAmbiguous ? ['another, unrelated failure is nearly as likely'] : []),
    ...(missing === '' ? [] : [missing]),
  ];
  return notes.join('; ') || `supported: ${rankOf(verdict.supported) > 0 ? 'medium' : 'low'}`;
}
