/** A frozen part of a prompt: from its marker line to the line before the closing one, 0-based, both included. */
export interface FrozenSection {
  readonly name: string;
  readonly start: number;
  readonly end: number;
}

/** The sections, or why the markers cannot be read. */
export type FrozenReading =
  | { readonly ok: true; readonly sections: readonly FrozenSection[]; readonly markers: readonly number[] }
  | { readonly ok: false; readonly line: number };

const MARKER = /<!--[ \t]*frozen(:|(?=[ \t]))(.*?)-->/i;
const MALFORMED_AT_START = /^<!--[ \t]*frozen\b/i;
const MALFORMED_ANYWHERE = /<!--[ \t]*frozen\b/i;

/**
 * Frozen sections by their markers (spec 08 §5): a named marker closes an open section and opens its own, an anonymous one
 * closes the open section or opens `core`. `strict` refuses a malformed marker wherever it stands in its line, so that blanks
 * before it do not hide it.
 */
export function frozenSections(text: string, strict = true): FrozenReading {
  const sections: FrozenSection[] = [];
  const markers: number[] = [];
  let open: { name: string; start: number } | null = null;
  const lines = text.split('\n');
  const malformed = strict ? MALFORMED_ANYWHERE : MALFORMED_AT_START;
  for (const [index, line] of lines.entries()) {
    const marker = MARKER.exec(line);
    if (marker === null) {
      if (malformed.test(line)) return { ok: false, line: index };
      continue;
    }
    markers.push(index);
    if (open !== null) sections.push({ ...open, end: index - 1 });
    const name: string = marker[1] === ':' ? (marker[2] ?? '').trim() : '';
    if (name !== '') open = { name, start: index };
    else open = open === null ? { name: 'core', start: index } : null;
  }
  if (open !== null) sections.push({ ...open, end: lines.length - 1 });
  return { ok: true, sections, markers };
}

/** Lines of a section without its marker. */
export function frozenContent(text: string, { start, end }: FrozenSection): string[] {
  return text.split('\n').slice(start + 1, end + 1);
}

/** Marks every line of a frozen span for a reader, as the reference does before analysis (spec 08 §5). */
export function withFrozenMarks(text: string): string {
  const reading = frozenSections(text);
  if (!reading.ok) return text;
  const isFrozen = (index: number): boolean =>
    reading.sections.some(({ start, end }) => index >= start && index <= end);
  return text
    .split('\n')
    .map((line, index) => (isFrozen(index) ? `[FROZEN] ${line}` : line))
    .join('\n');
}
