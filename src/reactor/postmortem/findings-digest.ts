import type { Finding } from '../findings/finding.js';
import { findingsFiles, readFindings } from '../findings/read-findings.js';

/** What the report needs of the findings; its size does not grow with the file. */
export interface FindingsDigest {
  /** Every row, understood or not. */
  readonly rows: number;
  readonly counts: Readonly<Record<Finding['severity'], number>>;
  /** Earliest HIGH finding by tick, then time, then file order. */
  readonly flashpoint: Finding | undefined;
  /** HIGH findings, latest tick first, at most as many as asked for. */
  readonly latestHigh: readonly Finding[];
  /** Lines that were no row. */
  readonly unreadable: number;
}

/** Streams a session's findings into a digest (spec 01 §8 and P10). */
export async function digestFindings(
  sessionDir: string,
  sessionId: string,
  keep: number,
): Promise<FindingsDigest> {
  const counts = { high: 0, medium: 0, low: 0 };
  let rows = 0;
  let unreadable = 0;
  let flashpoint: Finding | undefined;
  let latestHigh: Finding[] = [];
  for await (const line of readFindings(findingsFiles(sessionDir, sessionId))) {
    if (!line.ok) {
      if (line.isRow) rows += 1;
      else unreadable += 1;
      continue;
    }
    rows += 1;
    const { finding } = line;
    counts[finding.severity] += 1;
    if (finding.severity !== 'high') continue;
    if (flashpoint === undefined || isEarlier(finding, flashpoint)) flashpoint = finding;
    latestHigh.push(finding);
    if (latestHigh.length > 4 * Math.max(1, keep)) latestHigh = newest(latestHigh, keep);
  }
  return { rows, counts, flashpoint, latestHigh: newest(latestHigh, keep), unreadable };
}

function isEarlier(a: Finding, b: Finding): boolean {
  if (a.tick_index !== b.tick_index) return a.tick_index < b.tick_index;
  return a.timestamp_unix < b.timestamp_unix;
}

function newest(findings: readonly Finding[], keep: number): Finding[] {
  return [...findings].sort((a, b) => b.tick_index - a.tick_index).slice(0, Math.max(0, keep));
}
