import type { Trace } from '../../fakes/corpus.js';
import type { Turn } from '../../loop/scripted-model.js';
import { ask, burst, claim, NOW, type Scene, traceOf } from './scene.js';

/** A made-up Python service whose line 14 fails on an empty cart; line 31 fails on a blank amount. */
export const FILE = 'shop/prices.py';
export const FAULTY_LINE = 14;
export const OTHER_LINE = 31;
const CAUSE = '    currency = items[0]["currency"]';
const ERROR = 'IndexError: list index out of range';
const FRAME = `  File "/srv/app/${FILE}", line ${FAULTY_LINE}, in total`;

function sourceText(): string {
  const lines = Array.from({ length: 60 }, (_, index) => `RATE_${index + 1} = ${index + 1}`);
  lines[11] = 'def total(items):';
  lines[12] = '    """The sum of some items, and its currency."""';
  lines[13] = CAUSE;
  lines[14] = '    return sum(item["price"] for item in items), currency';
  lines[29] = 'def amount(text):';
  lines[30] = '    return int(text)';
  return `${lines.join('\n')}\n`;
}

export const SHOP: Readonly<Record<string, string>> = {
  'shop/__init__.py': '',
  [FILE]: sourceText(),
  'shop/stock.py': 'LEVELS = []\n\ndef first():\n    return LEVELS[0]\n',
};

/** What the service writes when it fails. */
export function failureLines(at: number, last = ERROR): (readonly [number, string])[] {
  return burst(at, ['ERROR request failed', 'Traceback (most recent call last):', FRAME, CAUSE, last]);
}

/** A call that fails in pricing, and therefore in the frontend that made it. */
export function failingTrace(at: number, id = 'fa11'): Trace {
  const stack = `Traceback (most recent call last):\n${FRAME}\n${CAUSE}\n${ERROR}`;
  const error = { message: ERROR, stack };
  return traceOf(id, [
    { id: `${id}a`, service: 'frontend', at, error: { message: 'upstream answered 500', stack: '' } },
    { id: `${id}b`, service: 'pricing', parent: `${id}a`, at: at + 0.01, error },
  ]);
}

/** Looks that a careful model takes. */
export const LOOKS: readonly Turn[] = [
  ask('query_logs', { service: 'pricing', time_window_minutes: 30 }),
  ask('read_source_slice', { path: FILE, line: FAULTY_LINE }),
];

export const CLAIM = {
  type: 'index_out_of_bounds',
  text: 'the first of no items is read',
  quote: 'list index out of range',
  service: 'pricing',
  file: FILE,
  line: FAULTY_LINE,
} as const;

/** Trace and log of one failure, two minutes ago, and the line read. */
export const EARNED = {
  name: 'trace, log and source line',
  trap: null,
  honest: 'high',
  isInWorld: true,
  needsSandbox: false,
  issue: 'The pricing service fails on some carts.',
  service: 'pricing',
  truth: {
    types: ['index_out_of_bounds', 'runtime_error', 'code_logic'],
    subject: 'service:pricing',
    file: FILE,
    line: FAULTY_LINE,
  },
  traces: [failingTrace(NOW - 120)],
  logs: { pricing: failureLines(NOW - 119) },
  source: SHOP,
  script: [...LOOKS, claim(CLAIM)],
} as const satisfies Scene;
