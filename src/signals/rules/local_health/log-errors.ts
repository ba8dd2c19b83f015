import {
  finiteNumber,
  isObject,
  type Json,
  type JsonObject,
  objectOr,
  objectsOf,
  text,
} from '../../../foreign/json.js';
import type { BusLists } from '../../bus.js';
import { payloadOf, scalarText, stampOf, topicOf } from '../../shared/bus-row.js';
import { type LogPattern, logPattern, UNHANDLED_EXCEPTION } from '../../shared/log-patterns.js';
import type { Severity, Symptom } from '../../symptom.js';

const MAX_SAMPLES = 3;
const MAX_FILES = 5;
/** Detectors of memory that could not be had: 18–20 and 25 of spec 03 §8.2. */
const MEMORY_PATTERNS: ReadonlySet<number> = new Set([18, 19, 20, 25]);
/** With this many times the wanted memory free, a limit was hit, not the end of memory. */
const PLENTY = 2;

/** `limit`: one that the process set itself; `allocator`: fragmentation or a reservation. */
type OomKind = 'limit' | 'allocator';

/** What the kernel says of GPUs that hang or are reset, as lines of a log named after it. */
export function kernelHits(kernel: Json | undefined): JsonObject[] {
  return objectsOf(objectOr(kernel)['gpu_faults']).map((fault) => ({
    pattern: fault['pattern'] ?? null,
    line: `[kernel] ${text(fault['line']) ?? ''}`,
    file: 'kernel',
    new: fault['new'] === true,
  }));
}

/** How long after a failure an exception in a log may be its reason, s: looks may be half an hour apart. */
const FAILED_LATELY_S = 1800;

/** Whether a task of the session has failed of late, as far as the bus tells. */
export function hasFailedLately(bus: BusLists, nowUnix: number): boolean {
  return bus.eventsFirst.some((row) => {
    if (topicOf(row) !== 'delegated_result' || payloadOf(row)?.['state'] !== 'failed') return false;
    const stamp = stampOf(row, nowUnix);
    return stamp !== undefined && nowUnix - stamp <= FAILED_LATELY_S;
  });
}

/** New error lines in the logs, one symptom per detector in first-seen order (spec 03 §8.2, local_health-7, -9). */
export function logErrors(
  hits: Json,
  more: readonly JsonObject[] = [],
  { taskFailed = false }: { readonly taskFailed?: boolean } = {},
): Symptom[] {
  const groups = new Map<string, JsonObject[]>();
  for (const hit of [...objectsOf(hits), ...more]) {
    const pattern = scalarText(hit['pattern']) ?? '';
    if (pattern === '' || (pattern === UNHANDLED_EXCEPTION && !taskFailed)) continue;
    const group = groups.get(pattern);
    if (group) group.push(hit);
    else groups.set(pattern, [hit]);
  }
  return [...groups].flatMap(([pattern, entries]) => symptomOf(pattern, entries) ?? []);
}

function symptomOf(pattern: string, entries: readonly JsonObject[]): Symptom | undefined {
  const fresh = entries.filter((entry) => entry['new'] === undefined || entry['new'] === true);
  if (fresh.length === 0) return undefined;
  const detector = logPattern(pattern);
  const oomKind = detector && MEMORY_PATTERNS.has(detector.number) ? oomKindOf(fresh) : undefined;
  // Whoever goes on serving is not dead: it was the text of a request, or a failure that was handled.
  const survived = fresh.every((entry) => entry['survived'] === true);
  const isOutlived = survived && detector?.stays !== true;
  const told = severityOf(detector?.severity ?? 'medium', oomKind);
  const severity = isOutlived ? outlivedSeverity(told, detector) : told;
  const files = new Set(entries.flatMap((entry) => text(entry['file']) ?? []));
  return {
    name: 'log_error_pattern',
    severity,
    summary: `${entries.length === 1 ? 'One log line matches' : `${entries.length} log lines match`} "${pattern}"${remark(oomKind, isOutlived)}`,
    evidence: {
      pattern,
      count: entries.length,
      samples: fresh.slice(0, MAX_SAMPLES).map((entry) => entry['line'] ?? null),
      new_count: fresh.length,
      files: [...files].slice(0, MAX_FILES),
      role: detector?.role ?? 'own',
      ...(oomKind && { oom_kind: oomKind }),
      ...(survived && { survived }),
    },
    subject: { pattern },
    source: 'local',
    suggestion: isOutlived ? OUTLIVED : suggestionOf(severity, oomKind),
  };
}

const OUTLIVED =
  'Nothing to do for the engine; whoever sent the request or tried the variant may want to know.';

function remark(oomKind: OomKind | undefined, isOutlived: boolean): string {
  const remarks = [
    ...(oomKind ? [OOM_WORDS[oomKind]] : []),
    ...(isOutlived ? ['the engine went on working'] : []),
  ];
  return remarks.length === 0 ? '' : ` (${remarks.join('; ')})`;
}

const OOM_WORDS: Readonly<Record<OomKind, string>> = {
  limit: 'a memory limit that the process set itself',
  allocator: 'much memory was free: an allocator limit, not exhaustion',
};

function oomKindOf(entries: readonly JsonObject[]): OomKind | undefined {
  const sizes = entries.map((entry) => entry['oom']);
  if (!sizes.every(isObject) || !sizes.every(hasPlenty)) return undefined;
  return sizes.every((size) => finiteNumber(size['cap_mib']) !== undefined) ? 'limit' : 'allocator';
}

function hasPlenty(size: JsonObject): boolean {
  const tried = finiteNumber(size['tried_mib']);
  const free = finiteNumber(size['free_mib']);
  return tried !== undefined && free !== undefined && free >= PLENTY * tried;
}

function severityOf(severity: Severity, oomKind: OomKind | undefined): Severity {
  if (oomKind === undefined) return severity;
  return oomKind === 'limit' ? 'low' : 'medium';
}

/** What ends an engine did not happen to one that works; the rest may have cost a request or a file. */
function outlivedSeverity(told: Severity, detector: LogPattern | undefined): Severity {
  if (detector?.ends === true) return 'low';
  return told === 'high' ? 'medium' : told;
}

function suggestionOf(severity: Severity, oomKind: OomKind | undefined): string {
  if (oomKind)
    return 'Memory was free when it happened: check memory fractions and limits before restarting anything.';
  return severity === 'high'
    ? 'Delegate recover with forced GPU cleanup, or escalate.'
    : 'Have the root-cause analysis look at the lines before acting.';
}
