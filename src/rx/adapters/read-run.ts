import { isFailure, type TraceEvent, UNCLASSIFIED } from '../trace/event.js';
import { MAX_LINE_BYTES, readLines } from '../trace/lines.js';
import { parseTraceEvent } from '../trace/parse-event.js';
import type { Metrics } from '../types.js';
import type { TracedRun } from './system.js';

/**
 * Reads the events that a run wrote (06 A.1). Strict: one bad line, no event at all or an unreadable file is a failed run,
 * because a count over part of a run would be a wrong count.
 */
export async function readRun(path: string): Promise<TracedRun> {
  const events: TraceEvent[] = [];
  try {
    for await (const lines of readLines(path, { max_line_bytes: MAX_LINE_BYTES })) {
      for (const line of lines) {
        const problem = 'reason' in line ? line.reason : takeLine(line.text, events);
        if (problem !== null) return { ok: false, reason: `line ${line.number} of RX_OUT: ${problem}` };
      }
    }
  } catch (error) {
    return { ok: false, reason: `RX_OUT cannot be read: ${error instanceof Error ? error.message : error}` };
  }
  return events.length === 0 ? { ok: false, reason: 'RX_OUT holds no event' } : { ok: true, events };
}

/** Counts of a run. */
export function metricsOf(events: readonly TraceEvent[]): Metrics {
  const byClass = new Map<string, number>();
  let failures = 0;
  for (const event of events) {
    if (!isFailure(event)) continue;
    failures += 1;
    const name = event.failure_classification ?? UNCLASSIFIED;
    byClass.set(name, (byClass.get(name) ?? 0) + 1);
  }
  return { actions: events.length, failures, by_class: Object.fromEntries(byClass) };
}

function takeLine(text: string, events: TraceEvent[]): string | null {
  if (text.trim() === '') return null;
  let row: unknown;
  try {
    row = JSON.parse(text);
  } catch {
    return 'not valid JSON';
  }
  const parsed = parseTraceEvent(row);
  if (!parsed.ok) return `${parsed.field}: ${parsed.reason}`;
  events.push(parsed.value);
  return null;
}
