import { compareCodePoints } from '../../foreign/order.js';

/** Lines that differ only in what varies: how many, and when. */
export type LogTemplate = {
  readonly template: string;
  readonly count: number;
  readonly first_unix: number | null;
  readonly last_unix: number | null;
};

const MAX_KINDS = 1000;
const MAX_ROWS = 20;
const MAX_CHARACTERS = 200;
/** What varies between lines of one statement, the longest shapes first (spec 07 C2). */
const MASKS: readonly (readonly [RegExp, string])[] = [
  [/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/gi, '<uuid>'],
  [/\b\d{4}[-/]\d{2}[-/]\d{2}[T ]\d{2}:\d{2}:\d{2}(?:[.,]\d{1,9})?(?:Z| ?[+-]\d{2}:?\d{2})?/g, '<time>'],
  [/\b\d{1,2}:\d{2}:\d{2}(?:[.,]\d{1,9})?\b/g, '<time>'],
  [/\b0x[0-9a-f]{1,32}\b/gi, '<hex>'],
  [/\b(?=[0-9a-f]{0,64}\d)(?=[0-9a-f]{0,64}[a-f])[0-9a-f]{8,64}\b/gi, '<hex>'],
  [/\d+(?:\.\d+)*/g, '<n>'],
];

interface Kind {
  readonly example: string;
  count: number;
  first: number | null;
  last: number | null;
}

/** The line with everything that varies replaced by its kind. */
export function maskLine(line: string): string {
  return MASKS.reduce((text, [pattern, mask]) => text.replace(pattern, mask), line.slice(0, 2000)).trim();
}

/** Counts lines by their template; memory is bounded whatever comes (spec 07 C2). */
export class TemplateCounter {
  readonly #kinds = new Map<string, Kind>();

  add(line: string, tsUnix: number | null): void {
    const key = maskLine(line);
    const kind = this.#kinds.get(key);
    if (kind === undefined) {
      if (key !== '' && this.#kinds.size < MAX_KINDS)
        this.#kinds.set(key, { example: line, count: 1, first: tsUnix, last: tsUnix });
      return;
    }
    kind.count += 1;
    kind.first = earliest(kind.first, tsUnix);
    kind.last = latest(kind.last, tsUnix);
  }

  /**
   * The kinds of lines that occur more than once, most frequent first.
   *
   * @param clean hygiene and redaction, which need the line as it was
   */
  rows(clean: (line: string) => string): LogTemplate[] {
    const rows = new Map<string, LogTemplate>();
    for (const { example, count, first, last } of this.#top()) {
      const template = maskLine(clean(example)).slice(0, MAX_CHARACTERS);
      const same = rows.get(template);
      rows.set(template, {
        template,
        count: count + (same?.count ?? 0),
        first_unix: earliest(first, same?.first_unix ?? null),
        last_unix: latest(last, same?.last_unix ?? null),
      });
    }
    return [...rows.values()];
  }

  #top(): Kind[] {
    return [...this.#kinds.values()]
      .filter(({ count }) => count > 1)
      .sort(
        (a, b) =>
          b.count - a.count || (a.first ?? 0) - (b.first ?? 0) || compareCodePoints(a.example, b.example),
      )
      .slice(0, MAX_ROWS);
  }
}

function earliest(a: number | null, b: number | null): number | null {
  return a === null || b === null ? (a ?? b) : Math.min(a, b);
}

function latest(a: number | null, b: number | null): number | null {
  return a === null || b === null ? (a ?? b) : Math.max(a, b);
}
