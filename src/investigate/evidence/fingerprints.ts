import { EVIDENCE_FINGERPRINTS, type Fingerprint, REFERENCE_FINGERPRINTS } from './fingerprint-table.js';

export interface FingerprintHit {
  readonly fingerprint: Fingerprint;
  /** The line of the text that matched. */
  readonly line: string;
}

const NOISE =
  /sending queue is full|failed to export|exporter export timeout|(?:traces|metrics|logs) export:|data refused due to high memory usage/i;
const NEGATION = /(?:^|[^A-Za-z0-9_])(?:no|not|never|without)[ \t]{1,8}$/i;
const MAX_LINE = 2000;
const BY_ID = new Map(EVIDENCE_FINGERPRINTS.map((fingerprint) => [fingerprint.id, fingerprint]));

/** Lines that telemetry exporters write about themselves; never evidence (spec 07 B9.1). */
export function isTelemetryNoise(line: string): boolean {
  return NOISE.test(line);
}

export function fingerprintById(id: string): Fingerprint | undefined {
  return BY_ID.get(id);
}

/** The best fingerprint of an evidence text, line by line; highest confidence, then table order (spec 07 B9.1). */
export function matchEvidence(text: string): FingerprintHit | null {
  let best: FingerprintHit | null = null;
  for (const line of text.split('\n')) {
    const fingerprint = matchLine(line.slice(0, MAX_LINE));
    if (fingerprint === null) continue;
    if (best === null || precedes(fingerprint, best.fingerprint)) best = { fingerprint, line };
  }
  return best;
}

/** The best of several texts of one item. */
export function matchTexts(texts: readonly string[]): FingerprintHit | null {
  let best: FingerprintHit | null = null;
  for (const text of texts) {
    const hit = matchEvidence(text);
    if (hit !== null && (best === null || precedes(hit.fingerprint, best.fingerprint))) best = hit;
  }
  return best;
}

/** The reference's look at a user's words (spec 07 A5). */
export function matchReference(text: string): Fingerprint | null {
  let best: Fingerprint | null = null;
  for (const fingerprint of REFERENCE_FINGERPRINTS) {
    if (text.search(fingerprint.pattern) < 0) continue;
    if (best === null || fingerprint.confidence > best.confidence) best = fingerprint;
  }
  return best;
}

/** Where a fingerprint's own words stand in a line. */
export function matchedSpans(fingerprint: Fingerprint, line: string): { start: number; end: number }[] {
  return [...line.matchAll(fingerprint.pattern)].map((match) => ({
    start: match.index,
    end: match.index + match[0].length,
  }));
}

function matchLine(line: string): Fingerprint | null {
  if (isTelemetryNoise(line)) return null;
  let best: Fingerprint | null = null;
  for (const fingerprint of EVIDENCE_FINGERPRINTS) {
    if (best !== null && fingerprint.confidence <= best.confidence) continue;
    if (fits(fingerprint, line)) best = fingerprint;
  }
  return best;
}

function fits({ pattern, unlessMatch, unlessLine }: Fingerprint, line: string): boolean {
  if (line.search(pattern) < 0) return false;
  if (unlessLine?.test(line)) return false;
  for (const match of line.matchAll(pattern)) {
    if (unlessMatch?.test(match[0])) continue;
    if (!NEGATION.test(line.slice(Math.max(0, match.index - 16), match.index))) return true;
  }
  return false;
}

function precedes(a: Fingerprint, b: Fingerprint): boolean {
  if (a.confidence !== b.confidence) return a.confidence > b.confidence;
  return EVIDENCE_FINGERPRINTS.indexOf(a) < EVIDENCE_FINGERPRINTS.indexOf(b);
}
