/** Where a text lies in a line: UTF-16 units, `end` exclusive. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/**
 * Finds the next occurrence of what it accepts in a lower-cased line, at or after `from`. Every language here runs in time
 * linear in the line, whatever the line repeats (spec 02 §10.7).
 */
export type Language = (line: string, from: number) => Span | undefined;

/** The text itself, in lower case. */
export function literal(text: string): Language {
  return (line, from) => {
    const start = line.indexOf(text, from);
    return start === -1 ? undefined : { start, end: start + text.length };
  };
}

/** The first of several languages that accepts something. */
export function oneOf(...languages: readonly Language[]): Language {
  return (line, from) => {
    const spans = languages.map((language) => language(line, from)).filter((span) => span !== undefined);
    return spans.sort((a, b) => a.start - b.start)[0];
  };
}

/** The first text, then the second, with at most `within` characters between them. */
export function near(first: string, second: string, within = Number.POSITIVE_INFINITY): Language {
  return (line, from) => {
    let start = line.indexOf(first, from);
    while (start !== -1) {
      const then = line.indexOf(second, start + first.length);
      if (then === -1) return undefined;
      if (then - (start + first.length) <= within) return { start, end: then + second.length };
      // The nearest start before that end is the only one that can still do.
      const last = line.lastIndexOf(first, then - first.length);
      if (last > start && then - (last + first.length) <= within)
        return { start: last, end: then + second.length };
      start = line.indexOf(first, then);
    }
    return undefined;
  };
}

/** The first text, then what the sticky expression accepts right after some later occurrence of the second text. */
export function followedBy(first: string, second: string, rest: RegExp): Language {
  const sticky = new RegExp(rest.source, 'y');
  return (line, from) => {
    const start = line.indexOf(first, from);
    if (start === -1) return undefined;
    for (let at = line.indexOf(second, start + first.length); at !== -1; at = line.indexOf(second, at + 1)) {
      sticky.lastIndex = at + second.length;
      if (sticky.test(line)) return { start, end: sticky.lastIndex };
    }
    return undefined;
  };
}

/** What the sticky expression accepts right after an occurrence of the text; the expression itself must be bounded. */
export function directly(text: string, rest: RegExp): Language {
  const sticky = new RegExp(rest.source, 'y');
  return (line, from) => {
    for (let start = line.indexOf(text, from); start !== -1; start = line.indexOf(text, start + 1)) {
      sticky.lastIndex = start + text.length;
      if (sticky.test(line)) return { start, end: sticky.lastIndex };
    }
    return undefined;
  };
}

/** As the language, where it touches no letter, digit or underscore. */
export function asWord(language: Language): Language {
  return (line, from) => {
    for (let span = language(line, from); span !== undefined; span = language(line, span.start + 1)) {
      if (!isWordCharacter(line[span.start - 1]) && !isWordCharacter(line[span.end])) return span;
    }
    return undefined;
  };
}

/** A configured text, in which `*` stands for at most 80 characters (spec 02 §1.2). */
export function configured(pattern: string): Language | undefined {
  const parts = pattern
    .toLowerCase()
    .split('*')
    .filter((part) => part !== '');
  const [first, ...others] = parts;
  if (first === undefined) return undefined;
  return (line, from) => {
    for (let start = line.indexOf(first, from); start !== -1; start = line.indexOf(first, start + 1)) {
      const end = chainEnd(line, start + first.length, others);
      if (end !== undefined) return { start, end };
    }
    return undefined;
  };
}

const STAR = 80;

function chainEnd(line: string, from: number, parts: readonly string[]): number | undefined {
  let end = from;
  for (const part of parts) {
    const window = line.slice(end, end + STAR + part.length);
    const at = window.indexOf(part);
    if (at === -1) return undefined;
    end += at + part.length;
  }
  return end;
}

export function isWordCharacter(character: string | undefined): boolean {
  return character !== undefined && /[\p{L}\p{N}_]/u.test(character);
}
