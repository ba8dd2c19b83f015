import { type ParseArgsConfig, parseArgs } from 'node:util';
import { UserError } from '../shared/user-error.js';

/** One option of a command: how it is shown, and how its text becomes a value. */
export interface OptionSpec<T> {
  /** `<n>` and the like; null for a switch. */
  readonly placeholder: string | null;
  readonly help: string;
  readonly fallback: T;
  /** The default as the help shows it; null shows none. */
  readonly shown: string | null;
  readonly multiple: boolean;
  /** Reads what was given, in order; throws the UserError for a wrong one. */
  read(given: readonly string[], name: string): T;
}

export type OptionTable = Readonly<Record<string, OptionSpec<unknown>>>;

/** The values that a table of options gives. */
export type OptionValues<S extends OptionTable> = {
  readonly [K in keyof S]: S[K] extends OptionSpec<infer T> ? T : never;
};

/** A parsed command line. */
export interface ParsedOptions<S extends OptionTable> {
  readonly values: OptionValues<S>;
  readonly positionals: readonly string[];
  /** Names of the options that were given. */
  readonly given: ReadonlySet<string>;
  readonly help: boolean;
}

/** A whole number within bounds, both included. */
export function integerOption<F extends number | null>(
  fallback: F,
  help: string,
  bounds: { readonly min?: number; readonly max?: number } = {},
): OptionSpec<number | F> {
  return single('<n>', help, fallback, (text, name) => {
    const value = /^[+-]?\d{1,16}$/.test(text) ? Number(text) : Number.NaN;
    return within(value, bounds, name, text, 'a whole number');
  });
}

/** A finite number within bounds, both included. */
export function numberOption<F extends number | null>(
  fallback: F,
  help: string,
  bounds: { readonly min?: number; readonly max?: number } = {},
): OptionSpec<number | F> {
  return single('<x>', help, fallback, (text, name) => {
    const value = text.trim() === '' ? Number.NaN : Number(text);
    return within(Number.isFinite(value) ? value : Number.NaN, bounds, name, text, 'a number');
  });
}

/** One of a closed list of words; an alias stands for another word of the list. */
export function choiceOption<C extends string, F extends C | null>(
  choices: readonly C[],
  fallback: F,
  help: string,
  aliases: Readonly<Record<string, C>> = {},
): OptionSpec<C | F> {
  return single(`<${choices.join('|')}>`, help, fallback, (text, name) => {
    const chosen = choices.find((choice) => choice === (aliases[text] ?? text));
    if (chosen === undefined) throw wrongValue(name, text, `one of ${choices.join(', ')}`);
    return chosen;
  });
}

/** Any text. */
export function textOption(placeholder: string, help: string): OptionSpec<string | null> {
  return single(placeholder, help, null, (text) => text);
}

/** Any text, as often as wanted. */
export function textListOption(placeholder: string, help: string): OptionSpec<readonly string[]> {
  return { placeholder, help, fallback: [], shown: null, multiple: true, read: (given) => given };
}

/** A switch; `--no-<name>` turns it off again. */
export function switchOption(help: string, fallback = false): OptionSpec<boolean> {
  return {
    placeholder: null,
    help,
    fallback,
    shown: fallback ? 'on' : null,
    multiple: false,
    read: (given) => given.at(-1) === 'true',
  };
}

/**
 * Parses a command line by a table of options; `--help` and `-h` are always understood.
 *
 * @throws UserError `RA_USAGE` naming what is unknown or wrong
 */
export function parseOptions<S extends OptionTable>(table: S, argv: readonly string[]): ParsedOptions<S> {
  const { values: raw, positionals } = parseRaw(table, argv);
  const given = new Set(Object.keys(raw));
  const values = Object.entries(table).map(([name, spec]) => {
    const texts = [raw[name] ?? []].flat().map(String);
    return [name, texts.length === 0 ? spec.fallback : spec.read(texts, name)] as const;
  });
  return {
    values: Object.fromEntries(values) as OptionValues<S>,
    positionals,
    given,
    help: raw['help'] === true,
  };
}

/** The options as an aligned list for `--help`. */
export function optionHelp(table: OptionTable): string {
  const rows = Object.entries(table).map(([name, spec]) => ({
    left: spec.placeholder === null ? `--${name}` : `--${name} ${spec.placeholder}`,
    right: spec.shown === null ? spec.help : `${spec.help} (${spec.shown})`,
  }));
  return rows.map(({ left, right }) => `  ${left.padEnd(LEFT)}${wrapped(left, right)}`).join('\n');
}

const LEFT = 26;
const WIDTH = 80;

type RawValues = Readonly<Record<string, string | boolean | readonly (string | boolean)[] | undefined>>;

function parseRaw(
  table: OptionTable,
  argv: readonly string[],
): { readonly values: RawValues; readonly positionals: readonly string[] } {
  const options: NonNullable<ParseArgsConfig['options']> = { help: { type: 'boolean', short: 'h' } };
  for (const [name, spec] of Object.entries(table)) {
    options[name] = { type: spec.placeholder === null ? 'boolean' : 'string', multiple: spec.multiple };
  }
  try {
    const args = joinNegativeNumbers(argv);
    return parseArgs({ args, options, allowPositionals: true, allowNegative: true, strict: true });
  } catch (error) {
    const message = error instanceof Error ? (error.message.split('. ')[0] ?? '') : String(error);
    throw new UserError({ code: 'RA_USAGE', happened: message, todo: 'see --help' });
  }
}

/** `--seed -5` means a value, not an option. */
function joinNegativeNumbers(argv: readonly string[]): string[] {
  const joined: string[] = [];
  for (const word of argv) {
    const previous = joined.at(-1);
    const isValue = /^-\d/.test(word) && previous !== undefined && /^--[a-z-]+$/.test(previous);
    if (isValue) joined[joined.length - 1] = `${previous}=${word}`;
    else joined.push(word);
  }
  return joined;
}

function single<T, F>(
  placeholder: string,
  help: string,
  fallback: F,
  read: (text: string, name: string) => T,
): OptionSpec<T | F> {
  return {
    placeholder,
    help,
    fallback,
    shown: fallback === null ? null : String(fallback),
    multiple: false,
    read: (given, name) => read(given.at(-1) ?? '', name),
  };
}

function within(
  value: number,
  {
    min = Number.NEGATIVE_INFINITY,
    max = Number.POSITIVE_INFINITY,
  }: { readonly min?: number; readonly max?: number },
  name: string,
  text: string,
  kind: string,
): number {
  if (value >= min && value <= max) return value;
  const low = Number.isFinite(min) ? ` of at least ${min}` : '';
  const high = Number.isFinite(max) ? `${low === '' ? ' of' : ' and'} at most ${max}` : '';
  throw wrongValue(name, text, `${kind}${low}${high}`);
}

function wrongValue(name: string, text: string, expected: string): UserError {
  return new UserError({ code: 'RA_USAGE', happened: `--${name} is ${JSON.stringify(text)}`, expected });
}

/** Breaks the explanation so that it stays in its column; a long left side pushes it to the next line. */
function wrapped(left: string, text: string): string {
  const indent = `\n${' '.repeat(LEFT + 2)}`;
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= WIDTH - LEFT - 2) {
      lines[lines.length - 1] = `${last} ${word}`;
    } else lines.push(word);
  }
  return (left.length >= LEFT ? indent : '') + lines.join(indent);
}
