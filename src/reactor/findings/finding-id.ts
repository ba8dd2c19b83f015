import { createHash } from 'node:crypto';
import type { Finding } from './finding.js';

/** Eight hex digits that name a finding for people; the same finding has the same id in every process. */
export function findingId(finding: Finding): string {
  const subject = Object.entries(finding.subject).sort(([a], [b]) => (a < b ? -1 : 1));
  const identity = JSON.stringify([
    finding.tick_index,
    finding.timestamp_unix,
    finding.symptom_name,
    subject,
    finding.origin,
  ]);
  return createHash('sha1').update(identity).digest('hex').slice(0, 8);
}
