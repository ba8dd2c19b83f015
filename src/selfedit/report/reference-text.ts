import type { ReferenceReport } from '../demo/run-reference.js';

/** What the reference's gate did with the same edits, one line each. */
export function referenceText(report: ReferenceReport, auditAccuracy: number): string {
  const rows = report.edits.map(({ label, truth, right_before, right_after, p, verdict }) =>
    [
      label.padEnd(6),
      truth.padEnd(14),
      `${right_before} -> ${right_after}`.padEnd(14),
      p.toFixed(4).padEnd(10),
      verdict,
    ]
      .join('')
      .trimEnd(),
  );
  return [
    `The reference's gate on the same edits, ${report.tasks} tasks`,
    '',
    ['edit'.padEnd(6), 'kind'.padEnd(14), 'right'.padEnd(14), 'p'.padEnd(10), 'verdict'].join(''),
    ...rows,
    '',
    `audit: ${(auditAccuracy * 100).toFixed(1)} % after; ${report.calls} calls`,
    '',
  ].join('\n');
}
