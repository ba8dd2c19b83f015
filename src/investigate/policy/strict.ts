import { agreement } from '../evidence/agreement.js';
import { serviceEntity } from '../evidence/entities.js';
import type { FileTree } from '../evidence/file-tree.js';
import { isNearLine, pointingItems } from '../evidence/pointing.js';
import { isAmong, type ShownError } from '../evidence/same-error.js';
import { type ConfidenceLevel, lowerOf, oneLower, rankOf } from '../model/confidence.js';
import type { ErrorType } from '../model/error-type.js';
import { countingItems, type Evidence, type EvidenceItem } from '../model/evidence.js';
import { bearingItems, contradicts, speaksOf } from './bears-on.js';
import { type Issue, isRelevant, namesSlowness } from './relevance.js';

/** What is claimed, as far as the policy looks at it. */
export interface PolicyClaim {
  readonly errorType: ErrorType;
  readonly service: string | null;
  readonly filePath: string | null;
  readonly lineNumber: number | null;
}

export interface Reproduction {
  readonly filePath: string;
  /** False: it ran and did not reproduce. */
  readonly verified: boolean;
  /** Line of the file that the failing run named. */
  readonly line?: number | null;
  /** What it failed with. */
  readonly error?: ShownError | null;
}

export interface PolicyContext {
  readonly evidence: readonly Evidence[];
  readonly issue: Issue;
  readonly mode: 'llm' | 'deterministic';
  readonly trees: readonly FileTree[];
  readonly reproductions: readonly Reproduction[];
  readonly maxGapS: number;
}

/** The conditions of spec 07 B11.1 by their letters. */
export interface PolicySignals {
  readonly K: boolean;
  readonly C: boolean;
  readonly S: boolean;
  readonly R: boolean;
  readonly D: boolean;
  /** Trace and log agree, whatever a state item says. */
  readonly traceAndLog: boolean;
}

export interface Support {
  readonly band: ConfidenceLevel;
  readonly signals: PolicySignals;
  /** Why the band is below what the conditions alone would give. */
  readonly caps: readonly string[];
}

export const CORROBORATION_GAP_S = 900;
const LISTING_TRACES = 20;

/** The highest band that the evidence supports for a claim (spec 07 B11.1, strict). */
export function strictSupport(claim: PolicyClaim, context: PolicyContext): Support {
  const support = uncapped(claim, context);
  const caps: string[] = [];
  let band = support.band;
  const cap = (to: ConfidenceLevel, why: string): void => {
    if (rankOf(to) >= rankOf(band)) return;
    band = to;
    caps.push(why);
  };
  if (context.mode === 'deterministic') cap('medium', 'without a model the band is at most medium');
  if (hangsOnSuspects(claim, context, support.band)) {
    cap('medium', 'it rests on a result that holds text like instructions');
  }
  const bearing = bearingOf(claim, context);
  const isSlow = bearing.some(({ kind, entities }) => kind === 'slow' && ofSubject(claim, entities));
  if (!isRelevant(context.issue, claim.errorType, isSlow)) {
    cap('low', 'the errors found do not explain the reported symptom');
  }
  if (isContradicted(claim, context, bearing))
    cap(oneLower(band), 'a full listing of its traces shows no failure');
  return { band, signals: support.signals, caps };
}

/** The band of the conditions alone. */
function uncapped(claim: PolicyClaim, context: PolicyContext): Omit<Support, 'caps'> {
  const K = claim.errorType !== 'unknown';
  const bearing = bearingOf(claim, context);
  const pairs = agreeingPairs(claim, bearing, context.maxGapS);
  const C = pairs.length > 0;
  const D = pairs.some(([a, b]) => a.cls === 'state' || b.cls === 'state');
  const traceAndLog = pairs.some(([a, b]) => a.cls !== 'state' && b.cls !== 'state');
  const pointing = pointingTo(claim, context, bearing);
  const shown = context.reproductions.filter((one) => shows(one, claim));
  const failed = shown.length === 0 && context.reproductions.some(({ verified }) => !verified);
  const S = !(failed && !C) && pointing.length > 0;
  // Beside evidence, a reproduction confirms what that reports, and nothing else.
  const R = shown.some(({ error = null }) => !S || error === null || isAmong(error, pointing));
  const isExhausted = claim.errorType === 'oom' || claim.errorType === 'infra';
  const isHigh = K && ((S && (R || C)) || (D && isExhausted && traceAndLog));
  const isMedium = K && (C || S || R);
  const band = isHigh ? 'high' : isMedium ? 'medium' : 'low';
  return { band, signals: { K, C, S, R, D, traceAndLog } };
}

function bearingOf(claim: PolicyClaim, { evidence, issue }: PolicyContext): EvidenceItem[] {
  return bearingItems(countingItems(evidence), claim.errorType, namesSlowness(issue));
}

function ofSubject({ service }: PolicyClaim, entities: readonly string[]): boolean {
  return service === null || serviceEntity(service).some((one) => entities.includes(one));
}

type Pair = readonly [EvidenceItem, EvidenceItem];

/** Pairs of items of different classes that agree for the claim; one per pair of classes is enough. */
function agreeingPairs(claim: PolicyClaim, bearing: readonly EvidenceItem[], maxGapS: number): Pair[] {
  const found = new Map<string, Pair>();
  for (const [index, a] of bearing.entries()) {
    for (const b of bearing.slice(index + 1)) {
      const classes = [a.cls, b.cls].sort().join();
      if (a.cls === b.cls || found.has(classes)) continue;
      const shared = agreement(a, b, claim.errorType, maxGapS);
      if (shared !== null && isOfClaim(claim, a, b, shared)) found.set(classes, [a, b]);
    }
  }
  return [...found.values()];
}

function isOfClaim(claim: PolicyClaim, a: EvidenceItem, b: EvidenceItem, shared: readonly string[]): boolean {
  if (a.cls !== 'state' && b.cls !== 'state') return ofSubject(claim, shared);
  const other = a.cls === 'state' ? b : a;
  return speaksOf(other, claim.errorType) && ofSubject(claim, other.entities);
}

/** The bearing items of the claimed subject that point to the claimed place, which was read: a linked anchor. */
function pointingTo(
  claim: PolicyClaim,
  { evidence, trees }: PolicyContext,
  bearing: readonly EvidenceItem[],
): EvidenceItem[] {
  const { filePath: path, lineNumber: line } = claim;
  if (path === null) return [];
  const own = bearing.filter(({ cls, entities }) => cls !== 'state' && ofSubject(claim, entities));
  return pointingItems(own, { path, line }, evidence, trees);
}

/** True for a verified reproduction in the claimed file, near the claimed line, of an error of the claimed kind. */
function shows({ verified, filePath, line = null, error = null }: Reproduction, claim: PolicyClaim): boolean {
  if (!verified || filePath !== claim.filePath || !isNearLine(line, claim.lineNumber)) return false;
  return error === null || !contradicts(error, claim.errorType);
}

function hangsOnSuspects(claim: PolicyClaim, context: PolicyContext, band: ConfidenceLevel): boolean {
  const trusted = context.evidence.filter(({ receipt }) => !receipt.injection_suspect);
  if (trusted.length === context.evidence.length) return false;
  return lowerOf(uncapped(claim, { ...context, evidence: trusted }).band, band) !== band;
}

/** A long listing of healthy traces of the service, at the time of the claim, without a failing one (spec 07 B11.1). */
function isContradicted(
  claim: PolicyClaim,
  { evidence }: PolicyContext,
  bearing: readonly EvidenceItem[],
): boolean {
  if (claim.service === null) return false;
  const [own = ''] = serviceEntity(claim.service);
  const times = bearing
    .filter(({ entities }) => entities.includes(own))
    .flatMap(({ tsUnix }) => tsUnix ?? []);
  if (times.length === 0) return false;
  const ends = [Math.min(...times), Math.max(...times)];
  const traces = countingItems(evidence).filter(
    ({ cls, entities }) => cls === 'trace' && entities.includes(own),
  );
  return evidence.some(({ receipt, listing }) => {
    if (receipt.status !== 'ok' || listing === null || !serviceEntity(listing.service).includes(own))
      return false;
    if (listing.listed < LISTING_TRACES || listing.failing > 0) return false;
    const within = (time: number | null): boolean =>
      time !== null && time >= listing.startUnix && time <= listing.endUnix;
    return ends.some(within) && !traces.some(({ tsUnix }) => within(tsUnix));
  });
}
