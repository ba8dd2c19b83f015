/** What no edit may carry over from the cases (spec 08 §24.9). */
export interface LeakCorpus {
  /** Ids of cases, groups and sessions. */
  readonly ids: readonly string[];
  /** All case inputs as texts, known names masked. */
  readonly text: string;
  readonly numbers: ReadonlySet<string>;
  /** Paths and hosts. */
  readonly places: ReadonlySet<string>;
  /** Evidence values as quoted in a rule: strings and numbers. */
  readonly values: ReadonlySet<string>;
  /** Closed vocabularies: symptom, class, segment, evidence-key and action names. */
  readonly vocabulary: ReadonlySet<string>;
  readonly classes: readonly string[];
}

const WINDOW = 12;
const NUMBER = /(?<![\w.])\d[\d,]*(?:\.\d+)?/g;
const PLACE = /(?:\/[\w.@-]+){2,}|\b[\w-]+(?:\.[\w-]+){2,}\b|\b[\w.-]+:\d{2,5}\b/g;
const WORD = /[A-Za-z][A-Za-z0-9_]*/g;
/** Takes the place of a known name; no prompt contains it. */
const MASK = '\u0000';

/** Collects what the inputs of cases hold. `ids` are compared as words, whatever their length. */
export function leakCorpus(
  inputs: readonly string[],
  known: Pick<LeakCorpus, 'ids' | 'values' | 'vocabulary' | 'classes'>,
): LeakCorpus {
  const joined = inputs.join('\n\n');
  return {
    ...known,
    text: masked(joined, known.vocabulary),
    numbers: new Set(numbersOf(joined).filter(hasThreeDigits)),
    places: new Set(joined.match(PLACE) ?? []),
  };
}

/**
 * Why a new text leaks, or null: an id, path, host, long number or a string of twelve characters of some case input, or a
 * line that pairs an evidence value with a class. Exempt: closed vocabularies and text that the base prompt already has.
 */
export function leakProblem(newText: string, base: string, corpus: LeakCorpus): string | null {
  const id = corpus.ids.find((one) => containsWord(newText, one) && !containsWord(base, one));
  if (id !== undefined) return `it names ${JSON.stringify(id)}`;
  const isNew = (part: string): boolean => !base.includes(part);
  const place = (newText.match(PLACE) ?? []).find((one) => corpus.places.has(one) && isNew(one));
  if (place !== undefined) return `it names ${JSON.stringify(place)}`;
  const number = numbersOf(newText).find((one) => corpus.numbers.has(one) && isNew(one));
  if (number !== undefined) return `the number ${number} is one of a case`;
  const pair = newText.split('\n').find((line) => pairsValueWithClass(line, base, corpus));
  if (pair !== undefined) return 'it pairs an evidence value with a class';
  const copied = copiedWindow(newText, base, corpus);
  return copied === null ? null : `${JSON.stringify(copied)} stands in a case`;
}

function pairsValueWithClass(line: string, base: string, { classes, values }: LeakCorpus): boolean {
  if (base.includes(line) || !classes.some((name) => containsWord(line, name))) return false;
  const quoted = [...line.matchAll(/["'`]([^"'`]{2,})["'`]/g)].map(([, inner = '']) => inner);
  return [...numbersOf(line).filter((one) => Number(one) > 10), ...quoted].some((value) => values.has(value));
}

function copiedWindow(newText: string, base: string, { text, vocabulary }: LeakCorpus): string | null {
  const maskedBase = masked(base, vocabulary);
  for (const piece of masked(newText, vocabulary).split(MASK)) {
    for (let at = 0; at + WINDOW <= piece.length; at += 1) {
      const window = piece.slice(at, at + WINDOW);
      if (window.trim().length < WINDOW - 2 || maskedBase.includes(window)) continue;
      if (text.includes(window)) return window;
    }
  }
  return null;
}

function masked(text: string, vocabulary: ReadonlySet<string>): string {
  return text.replace(WORD, (word) => (vocabulary.has(word) ? MASK : word));
}

/** Numbers of a text, thousands separators removed. */
function numbersOf(text: string): string[] {
  return (text.match(NUMBER) ?? []).map((one) => one.replaceAll(',', ''));
}

function hasThreeDigits(number: string): boolean {
  return number.replace(/\D/g, '').length >= 3;
}

function containsWord(text: string, word: string): boolean {
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1)) {
    const isWordChar = (char: string | undefined): boolean => char !== undefined && /[\w-]/.test(char);
    if (!isWordChar(text[at - 1]) && !isWordChar(text[at + word.length])) return true;
  }
  return false;
}
