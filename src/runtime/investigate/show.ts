import { showEntity, showTime } from '../../investigate/engine/describe.js';
import type { HealResult } from '../../investigate/model/heal-result.js';
import type { Past } from '../../investigate/store/artefacts.js';
import { wrap } from '../findings/format.js';

/** A result for people; ends with band, type, subject, place and note (spec 07 B14). */
export function showResult(result: HealResult): string {
  const { root_cause: cause, alternatives, propagation, warnings } = result;
  const ok = result.investigation_steps.length;
  return [
    ...block('', result.issue_summary),
    '',
    ...block('cause  ', cause.description),
    ...block('fix    ', result.recommended_fix),
    ...cause.claims
      .filter(({ verified }) => verified)
      .flatMap(({ text, quote, receipt_ids: ids }) => [
        ...block('  - ', `${text} [${ids.join(', ')}]`),
        ...(quote === null ? [] : block('      ', `"${quote}"`)),
      ]),
    ...propagation.flatMap(({ source, target, effect }) =>
      block('then   ', `${showEntity(source)} -> ${showEntity(target)}: ${effect}`),
    ),
    ...alternatives.map(
      ({ error_type: type, subject, score }) => `or     ${type} in ${showEntity(subject)} (${score})`,
    ),
    ...warnings.flatMap((warning) => block('note   ', warning)),
    '',
    `looked ${ok} times, from ${showTime(result.time_window.start_unix)} to ${showTime(result.time_window.end_unix)}`,
    `${cause.confidence_level.toUpperCase()} ${Math.round(cause.confidence * 100)} %  ${cause.error_type}  ${cause.subject ?? '-'}`,
    ...(cause.file_path === null
      ? []
      : [`at     ${cause.file_path}${cause.line_number === null ? '' : `:${cause.line_number}`}`]),
    ...(result.confidence_note === null ? [] : block('       ', result.confidence_note)),
    `stored as ${result.investigation_id}`,
  ].join('\n');
}

/** Past investigations, one line each. */
export function showPast(past: readonly Past[]): string {
  return past
    .map(({ id, createdUnix, state, line }) => {
      const when = showTime(createdUnix);
      if (line === null) return `${when}  ${id}  ${state}`;
      const score = `${line.confidence_level} ${Math.round(line.confidence * 100)} %`;
      return `${when}  ${id}  ${score.padEnd(11)} ${line.error_type} ${line.subject ?? '-'}`;
    })
    .join('\n');
}

function block(head: string, text: string): string[] {
  return wrap(text, head.length).map((line, index) => (index === 0 ? head + line.slice(head.length) : line));
}

/** A stored result; undefined when the file holds none. */
export function parseStored(source: string): HealResult | undefined {
  try {
    const value: HealResult = JSON.parse(source);
    return Array.isArray(value.root_cause.claims) && Array.isArray(value.investigation_steps)
      ? value
      : undefined;
  } catch {
    return undefined;
  }
}
