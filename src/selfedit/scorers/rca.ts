import type { Json } from '../../foreign/json.js';
import type { Case } from '../cases/case.js';
import type { Scorer } from './scorer.js';

const CAUSE = /^[ \t]*cause[ \t]*:[ \t]*([A-Za-z_]+)[ \t.]*$/i;
const INSUFFICIENT = /^insufficient evidence\.?$/i;
const NUMBER = /(?<![\w.])[+-]?\d[\d,]*(?:\.\d+)?(?:e[+-]?\d+)?(?![\w])/gi;
const SENTENCE_END = /[.!?]+(?=\s|$)/g;
const MAX_SENTENCES = 6;

/**
 * `rca_v1` (spec 08 §21): 0.7 class + 0.2 grounding + 0.1 format; passed when the class is right, every quoted number is
 * supported by the input, and the format holds. Where the evidence does not suffice, only saying so passes.
 */
export const scoreRca: Scorer = (testCase, answer) => {
  const lines = answer.trimEnd().split('\n');
  const named = CAUSE.exec(lines.at(-1) ?? '')?.[1]?.toLowerCase();
  const prose = (named === undefined ? lines : lines.slice(0, -1)).join('\n').trim();
  const { expected } = testCase;
  if (expected.insufficient) {
    const passed = named === 'insufficient_evidence' || INSUFFICIENT.test(prose);
    return {
      score: passed ? 1 : 0,
      passed,
      faults: passed ? [] : ['the evidence does not suffice, and the answer names a cause'],
      violation: named === undefined && !passed,
    };
  }
  const c = named === expected.class ? 1 : named !== undefined && expected.also_ok.includes(named) ? 0.5 : 0;
  const g = grounding(testCase, prose);
  const f = hasFormat(prose) ? 1 : 0;
  const passed = c === 1 && g >= 0.99 && f === 1;
  const faults = [
    ...(c === 1 ? [] : [named === undefined ? 'no line "cause: <class>" at the end' : `names ${named}`]),
    ...(g >= 0.99 ? [] : ['quotes numbers that the evidence does not have, or none of those it must cite']),
    ...(f === 1 ? [] : ['more than six sentences, a table or a code block']),
  ];
  return { score: 0.7 * c + 0.2 * g + 0.1 * f, passed, faults, violation: named === undefined };
};

/** Share of the quoted numbers that the input supports. */
function grounding(testCase: Case, prose: string): number {
  const quoted = (prose.match(NUMBER) ?? []).filter((text) => !isCount(text));
  if (quoted.length === 0)
    return testCase.expected.must_cite.length > 0 && !citesText(testCase, prose) ? 0 : 1;
  const known = inputNumbers(testCase);
  const unsupported = quoted.filter((text) => !isSupported(text, known)).length;
  return 1 - unsupported / quoted.length;
}

/** Numbers 0 to 10 are ignored: mostly they count things. */
function isCount(text: string): boolean {
  return /^\d{1,2}$/.test(text) && Number(text) <= 10;
}

function isSupported(text: string, known: readonly number[]): boolean {
  const plain = text.replaceAll(',', '');
  const value = Number(plain);
  const mantissa = /^[+-]?\d+(?:\.(\d+))?(?:e([+-]?\d+))?$/i.exec(plain);
  const decimals = Math.max(0, (mantissa?.[1]?.length ?? 0) - Number(mantissa?.[2] ?? 0));
  const tolerance = 0.5 * 10 ** -decimals * (1 + 1e-9);
  return known.some((one) => Math.abs(one - value) <= tolerance);
}

function citesText(testCase: Case, prose: string): boolean {
  const wanted = new Set(testCase.expected.must_cite);
  return testCase.input.findings.some((finding) =>
    valuesAt(finding, wanted).some((value) => value !== '' && prose.includes(value)),
  );
}

/** Values under the given keys, at any depth. */
function valuesAt(value: Json | undefined, keys: ReadonlySet<string>): string[] {
  if (Array.isArray(value)) return value.flatMap((item) => valuesAt(item, keys));
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, item]) => {
    const own = keys.has(key) && (typeof item === 'string' || typeof item === 'number') ? [String(item)] : [];
    return [...own, ...valuesAt(item, keys)];
  });
}

const numbersOfCase = new WeakMap<Case, readonly number[]>();

function inputNumbers(testCase: Case): readonly number[] {
  const known = numbersOfCase.get(testCase);
  if (known !== undefined) return known;
  const text = JSON.stringify(testCase.input);
  const numbers = (text.match(/[+-]?\d[\d,]*(?:\.\d+)?(?:e[+-]?\d+)?/gi) ?? []).flatMap((part) => {
    const whole = Number(part.replaceAll(',', ''));
    // A list of numbers without blanks looks like thousands separators: take its members, too.
    const members = part.includes(',') ? part.split(',').map(Number) : [];
    return [whole, Math.abs(whole), ...members].filter(Number.isFinite);
  });
  numbersOfCase.set(testCase, numbers);
  return numbers;
}

function hasFormat(prose: string): boolean {
  if (/^\s*(?:```|~~~)/m.test(prose) || /^\s*\|.*\|\s*$/m.test(prose)) return false;
  return (prose.match(SENTENCE_END) ?? []).length <= MAX_SENTENCES;
}
