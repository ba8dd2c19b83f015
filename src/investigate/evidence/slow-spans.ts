import { groupBy } from '../../foreign/group-by.js';
import type { EvidenceItem } from '../model/evidence.js';
import { serviceEntity } from './entities.js';
import type { Span, Trace } from './span.js';

const LEAST_SPANS = 5;
const TIMES_MEDIAN = 5;
const LEAST_US = 1e6;

/** Spans far slower than others of the same operation (spec 07 B4.1, latency signal). */
export function slowSpans(traces: readonly Trace[]): Span[] {
  const timed = traces.flatMap(({ spans }) => spans).filter(({ durationUs }) => durationUs !== null);
  const groups = groupBy(timed, ({ service, operation }) => JSON.stringify([service, operation]));
  return [...groups.values()].flatMap((spans) => {
    if (spans.length < LEAST_SPANS) return [];
    const median = medianOf(spans.map(({ durationUs }) => durationUs ?? 0));
    return spans.filter(({ durationUs }) => (durationUs ?? 0) >= Math.max(LEAST_US, TIMES_MEDIAN * median));
  });
}

/** The signal item of a slow span. */
export function slowItem(span: Span): EvidenceItem {
  return {
    key: `slow:${span.traceId}:${span.spanId}`,
    cls: 'trace',
    tsUnix: span.startUs === null ? null : span.startUs / 1e6,
    entities: span.service === null ? [] : serviceEntity(span.service),
    fingerprint: null,
    kind: 'slow',
    text: null,
    frames: [],
    fileHint: null,
    source: `trace:${span.traceId}`,
    line: null,
  };
}

function medianOf(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length / 2;
  const upper = sorted[Math.floor(middle)] ?? 0;
  return Number.isInteger(middle) ? ((sorted[middle - 1] ?? 0) + upper) / 2 : upper;
}
