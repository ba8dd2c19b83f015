import { cutCodePoints, outgoingLine } from '../../foreign/hygiene.js';
import type { Finding } from '../../reactor/findings/finding.js';
import { findingId } from '../../reactor/findings/finding-id.js';

const WIDTH = 80;
const ANSI: Readonly<Record<Finding['severity'], string>> = { high: '31', medium: '33', low: '2' };

/** A severity of fixed width; coloured only where the caller's terminal shows colour. */
export function severityLabel(severity: Finding['severity'], colour: boolean): string {
  const label = severity.toUpperCase().padEnd(6);
  return colour ? `\u001b[${ANSI[severity]}m${label}\u001b[0m` : label;
}

/** UTC to the second, as it stands in every listing. */
export function utc(unix: number): string {
  const time = new Date(unix * 1000);
  return Number.isNaN(time.getTime()) ? String(unix) : `${time.toISOString().slice(0, 19)}Z`;
}

/** Two lines per finding: what and where, then the summary; 80 columns. */
export function listing(finding: Finding, colour: boolean): string {
  const subject = subjectText(finding);
  const head = `${findingId(finding)} ${utc(finding.timestamp_unix)} ${severityLabel(finding.severity, colour)} tick ${finding.tick_index}`;
  const name = subject === '' ? finding.symptom_name : `${finding.symptom_name} (${subject})`;
  return [head, ...wrap(`${name}: ${outgoingLine(finding.summary)}`, 2)].join('\n');
}

/** `key=value` pairs of the subject. */
export function subjectText(finding: Finding): string {
  return Object.entries(finding.subject)
    .map(([key, value]) => `${key}=${outgoingLine(value)}`)
    .join(' ');
}

/** Everything about one finding. */
export function detail(finding: Finding, colour: boolean): string {
  const lines = [listing(finding, colour), ''];
  if (finding.policy !== undefined) lines.push(`policy: ${finding.policy.join(', ')}`);
  if (finding.cooldown_until_tick > 0)
    lines.push(`next reminder: tick ${finding.cooldown_until_tick} at the earliest`);
  for (const { intent_type, payload } of finding.intents) {
    const target =
      payload['action_name'] ?? payload['family'] ?? payload['topic'] ?? payload['severity'] ?? '';
    lines.push(`sent: ${intent_type} ${String(target)}`.trimEnd());
  }
  lines.push(
    'evidence:',
    ...JSON.stringify(finding.evidence, null, 2)
      .split('\n')
      .map((line) => `  ${clip(line, 2)}`),
  );
  if (finding.rca_text !== '') lines.push('root cause (model):', ...wrap(outgoingLine(finding.rca_text), 2));
  return lines.join('\n');
}

function clip(line: string, indent: number): string {
  return line.length > 4 * WIDTH ? `${cutCodePoints(line, 4 * WIDTH - indent)}…` : line;
}

/** Text broken at blanks into lines of at most 80 columns, each indented. */
export function wrap(text: string, indent: number): string[] {
  const room = WIDTH - indent;
  const lines: string[] = [];
  let current = '';
  for (const word of text.split(' ')) {
    if (current !== '' && current.length + 1 + word.length > room) {
      lines.push(current);
      current = word;
    } else current = current === '' ? word : `${current} ${word}`;
  }
  return [...lines, current].map((line) => `${' '.repeat(indent)}${line}`);
}
