import { frozenSections } from '../prompt/frozen.js';

const MARKER_LIKE = /<!--[ \t]*frozen\b/i;
const OVERRIDE =
  /\b(?:disregard|ignore|override|forget|bypass)\b[^.!?]{0,80}?\b(?:above|previous|earlier|prior|rules?|instructions?|frozen)\b/i;
const FENCE = /^\s*(?:```|~~~)/;

/**
 * Why an edit touches what is frozen, or null (spec 08 W11, W13, §24.2): spans with their markers must be the same bytes in
 * the same order, none may be added, moved or wrapped into a code block, and no added text may void the rules.
 *
 * @param added texts that the edit brings in
 */
export function frozenProblem(base: string, candidate: string, added: readonly string[]): string | null {
  const before = frozenSections(base);
  const after = frozenSections(candidate);
  if (!before.ok) return `the current prompt has a malformed marker in line ${before.line + 1}`;
  if (!after.ok) return `a malformed marker in line ${after.line + 1}`;
  if (added.some((text) => MARKER_LIKE.test(text) || /<!--|-->/.test(text)))
    return 'the edit brings in a marker';
  if (added.some((text) => OVERRIDE.test(text.replace(/\s+/g, ' ')))) return 'the edit voids rules';

  const spansBefore = spans(base, before.sections);
  const spansAfter = spans(candidate, after.sections);
  if (markerLines(base, before.markers) !== markerLines(candidate, after.markers)) {
    return 'a frozen marker was changed, moved or removed';
  }
  if (spansBefore.join('\0') !== spansAfter.join('\0')) return 'a frozen text was changed';
  if (spansBefore.some((span) => occurrences(candidate, span) !== occurrences(base, span))) {
    return 'a frozen text was repeated';
  }
  if (fenceStates(base, before.markers) !== fenceStates(candidate, after.markers)) {
    return 'a frozen text was put into, or taken out of, a code block';
  }
  return null;
}

/** True when an operation's old text would take a frozen line with it, even to put it back elsewhere. */
export function touchesFrozen(base: string, oldText: string): boolean {
  const reading = frozenSections(base);
  if (!reading.ok) return true;
  const lines = base.split('\n');
  const frozen = new Set<number>(reading.markers);
  for (const { start, end } of reading.sections) for (let i = start; i <= end; i += 1) frozen.add(i);
  const at = base.indexOf(oldText);
  if (at < 0) return MARKER_LIKE.test(oldText);
  const first = base.slice(0, at).split('\n').length - 1;
  const last = first + oldText.replace(/\n$/, '').split('\n').length - 1;
  for (let i = first; i <= Math.min(last, lines.length - 1); i += 1) if (frozen.has(i)) return true;
  return false;
}

function spans(text: string, sections: readonly { start: number; end: number }[]): string[] {
  const lines = text.split('\n');
  return sections.map(({ start, end }) => lines.slice(start, end + 1).join('\n'));
}

function markerLines(text: string, markers: readonly number[]): string {
  const lines = text.split('\n');
  return markers.map((index) => lines[index]).join('\n');
}

/** For every marker whether an odd number of code fences stands before it. */
function fenceStates(text: string, markers: readonly number[]): string {
  const lines = text.split('\n');
  return markers
    .map((marker) => lines.slice(0, marker).filter((line) => FENCE.test(line)).length % 2)
    .join('');
}

function occurrences(text: string, part: string): number {
  const content = part.split('\n').slice(1).join('\n').trim();
  return content === '' ? 0 : text.split(content).length - 1;
}
