import { lazy } from '../../foreign/lazy.js';

/** Sizes that an out-of-memory line names, MiB; null when it does not (spec 03 local_health-9). */
export type OutOfMemory = {
  readonly tried_mib: number | null;
  readonly free_mib: number | null;
  readonly total_mib: number | null;
  /** Limit that the process has set itself. */
  readonly cap_mib: number | null;
};

const SIZE = '(\\d{1,12}(?:\\.\\d{1,6})?)\\s?(bytes|b|kib|kb|mib|mb|gib|gb|tib|tb)\\b';
const TRIED = [
  `(?:tried to allocate|failed to allocate|allocating)\\s{1,4}${SIZE}`,
  `\\b${SIZE}\\s(?:asked|requested)`,
];
const FREE = [`of which\\s${SIZE}\\sis free`, `${SIZE}\\s(?:is\\s)?free\\b`, `\\bfree:?\\s${SIZE}`];
const TOTAL = [`total capacity of\\s${SIZE}`, `${SIZE}\\stotal capacity`, `${SIZE}\\stotal\\b`];
const CAP = [`${SIZE}\\sallowed\\b`];

const MIB_PER_UNIT: Readonly<Record<string, number>> = {
  bytes: 2 ** -20,
  b: 2 ** -20,
  kib: 2 ** -10,
  kb: 2 ** -10,
  mib: 1,
  mb: 1,
  gib: 2 ** 10,
  gb: 2 ** 10,
  tib: 2 ** 20,
  tb: 2 ** 20,
};

const expressions = lazy(() =>
  [TRIED, FREE, TOTAL, CAP].map((sources) => sources.map((source) => new RegExp(source, 'i'))),
);

/** What the line says about memory, or null when it names no size at all. */
export function outOfMemorySizes(line: string): OutOfMemory | null {
  const [tried, free, total, cap] = expressions();
  const sizes: OutOfMemory = {
    tried_mib: firstSize(line, tried),
    free_mib: firstSize(line, free),
    total_mib: firstSize(line, total),
    cap_mib: firstSize(line, cap),
  };
  return Object.values(sizes).every((size) => size === null) ? null : sizes;
}

function firstSize(line: string, expressions: readonly RegExp[] = []): number | null {
  for (const expression of expressions) {
    const [, number, unit = ''] = expression.exec(line) ?? [];
    const factor = MIB_PER_UNIT[unit.toLowerCase()];
    if (number !== undefined && factor !== undefined) return Math.round(Number(number) * factor * 100) / 100;
  }
  return null;
}
