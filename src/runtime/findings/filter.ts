import type { Finding } from '../../reactor/findings/finding.js';
import { severityRank } from '../../signals/symptom.js';
import { UserError } from '../shared/user-error.js';

export interface FindingFilter {
  readonly atLeast: Finding['severity'];
  /** Names; empty = all. */
  readonly symptoms: readonly string[];
  /** Unix s, inclusive. */
  readonly since: number;
  /** Unix s, inclusive. */
  readonly until: number;
}

/** True when a finding passes every part of the filter. */
export function passes(filter: FindingFilter, finding: Finding): boolean {
  return (
    severityRank(finding.severity) >= severityRank(filter.atLeast) &&
    (filter.symptoms.length === 0 || filter.symptoms.includes(finding.symptom_name)) &&
    finding.timestamp_unix >= filter.since &&
    finding.timestamp_unix <= filter.until
  );
}

/** @throws UserError `RA_USAGE` for anything but low, medium, high */
export function parseSeverity(text: string): Finding['severity'] {
  const lower = text.toLowerCase();
  if (lower === 'low' || lower === 'medium' || lower === 'high') return lower;
  throw new UserError({
    code: 'RA_USAGE',
    happened: `there is no severity ${text}`,
    expected: 'low, medium or high',
  });
}

const UNIT_SECONDS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400 };

/**
 * A moment: `90m`, `2h`, `3d` before now, an ISO date-time (UTC unless it says otherwise), or unix seconds.
 *
 * @throws UserError `RA_USAGE`
 */
export function parseMoment(text: string, nowUnix: number): number {
  const ago = /^(\d+(?:\.\d+)?)([smhd])$/.exec(text);
  if (ago) return nowUnix - Number(ago[1]) * (UNIT_SECONDS[ago[2] ?? ''] ?? 1);
  if (/^\d{9,}(?:\.\d+)?$/.test(text)) return Number(text);
  const hasZone = /(?:Z|[+-]\d{2}:?\d{2})$/i.test(text);
  const parsed = Date.parse(text.includes('T') && !hasZone ? `${text}Z` : text);
  if (Number.isFinite(parsed)) return parsed / 1000;
  throw new UserError({
    code: 'RA_USAGE',
    happened: `${text} is no moment`,
    expected: '30m, 2h, 3d, an ISO time such as 2026-03-02T09:00Z, or unix seconds',
  });
}
