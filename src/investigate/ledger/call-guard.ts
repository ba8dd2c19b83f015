import type { Receipt } from '../model/receipt.js';
import type { ArgumentValues } from '../tools/arguments.js';

const MAX_REPEATS = 2;

export type Guard =
  | { readonly kind: 'go' }
  /** Answered before: the receipt of the first call stands. */
  | { readonly kind: 'repeat'; readonly receiptId: string }
  | { readonly kind: 'refused'; readonly advice: string };

interface Window {
  readonly service: string;
  readonly startUnix: number;
  readonly endUnix: number;
}

/** Remembers what was asked, so that no call is made twice and none that cannot find anything (spec 07 B6). */
export class CallGuard {
  readonly #calls = new Map<string, { receiptId: string; times: number }>();
  readonly #emptyLogs: Window[] = [];

  check(tool: string, values: ArgumentValues, now: number): Guard {
    const known = this.#calls.get(keyOf(tool, values));
    if (known !== undefined) {
      known.times += 1;
      if (known.times <= MAX_REPEATS) return { kind: 'repeat', receiptId: known.receiptId };
      const advice = `this call was made before; its answer is ${known.receiptId}; ask something else`;
      return { kind: 'refused', advice };
    }
    const window = tool === 'query_logs' && isFiltered(values) ? windowOf(values, now) : null;
    const isInside = this.#emptyLogs.some(
      (empty) =>
        window !== null &&
        empty.service === window.service &&
        empty.startUnix <= window.startUnix &&
        empty.endUnix >= window.endUnix,
    );
    if (!isInside) return { kind: 'go' };
    return {
      kind: 'refused',
      advice: 'without a filter there was no line in this window; widen it, or check the name',
    };
  }

  remember(tool: string, values: ArgumentValues, receipt: Receipt, now: number): void {
    this.#calls.set(keyOf(tool, values), { receiptId: receipt.receipt_id, times: 1 });
    if (tool !== 'query_logs' || receipt.status !== 'empty' || isFiltered(values)) return;
    const window = windowOf(values, now);
    if (window !== null) this.#emptyLogs.push(window);
  }
}

function keyOf(tool: string, values: ArgumentValues): string {
  const entries = Object.entries(values).filter(([, value]) => value !== undefined);
  return JSON.stringify([tool, entries.sort(([a], [b]) => (a < b ? -1 : 1))]);
}

function isFiltered({ query, any_of: words }: ArgumentValues): boolean {
  return (typeof query === 'string' && query.trim() !== '') || (Array.isArray(words) && words.length > 0);
}

function windowOf(values: ArgumentValues, now: number): Window | null {
  const { service, time_window_minutes: minutes, end_unix: end } = values;
  if (typeof service !== 'string' || typeof minutes !== 'number') return null;
  const endUnix = typeof end === 'number' ? Math.min(end, now) : now;
  // The clock moves on between two calls without an end; a minute of it makes no other window.
  const slack = typeof end === 'number' ? 0 : 60;
  return { service, startUnix: endUnix - minutes * 60 - slack, endUnix: endUnix + slack };
}
