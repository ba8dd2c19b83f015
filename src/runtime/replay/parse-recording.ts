import {
  finiteNumber,
  isObject,
  type Json,
  type JsonObject,
  objectOr,
  parseJson,
  text,
} from '../../foreign/json.js';
import { readRequest, type TickRequest } from '../../reactor/request/parse-request.js';
import type { Slots } from '../../reactor/store/slots.js';
import { COLLECTOR_NAMES, emptySnapshot, REASONS, type Snapshot, STATUSES } from '../../sources/snapshot.js';

/** One recorded tick. */
export interface Recording {
  readonly request: TickRequest;
  readonly snapshot: Snapshot;
  /** The state in which the recording began; `{}` when it does not say. */
  readonly slots: Slots;
}

export type RecordingReading =
  | { readonly ok: true; readonly recording: Recording }
  | { readonly ok: false; readonly reason: string };

/** Reads one line of a recording: request and snapshot are taken as they are, with defaults for what is missing (spec 02 §2). */
export function parseRecording(line: string): RecordingReading {
  const parsed = parseJson(line);
  if (!parsed.ok) return { ok: false, reason: `no JSON: ${parsed.message}` };
  if (!isObject(parsed.value)) return { ok: false, reason: 'no object' };
  const reading = readRequest(parsed.value['request'], { allowBlankPrompt: true });
  if (!reading.ok) return { ok: false, reason: `request: ${reading.refusal.happened}` };
  return {
    ok: true,
    recording: {
      request: reading.request,
      snapshot: recordedSnapshot(objectOr(parsed.value['sources'])),
      slots: slotsOf(objectOr(parsed.value['state'])),
    },
  };
}

/**
 * A snapshot as recorded. Slots may hold anything, rules guard themselves; the frame is made sound. A snapshot that does
 * not say whether the process list is known counts as knowing it, as recordings of the reference do.
 */
export function recordedSnapshot(sources: JsonObject): Snapshot {
  const {
    sources_used: used,
    degraded_reason: degraded,
    local_processes_known: known,
    collectors,
    collected_unix: collected,
    ...slots
  } = sources;
  const reports = isObject(collectors) ? recordedReports(collectors) : undefined;
  const collectedUnix = finiteNumber(collected);
  return {
    ...emptySnapshot(),
    ...(slots satisfies JsonObject),
    local_processes_known: known === undefined ? true : known === true,
    sources_used: Array.isArray(used) ? used.filter((name: Json) => typeof name === 'string') : [],
    degraded_reason: text(degraded) ?? null,
    ...(reports && { collectors: reports }),
    ...(collectedUnix !== undefined && { collected_unix: collectedUnix }),
  };
}

/** The reports that are such; what a foreign recording says otherwise counts as not said. */
function recordedReports(collectors: JsonObject): NonNullable<Snapshot['collectors']> {
  const reports = COLLECTOR_NAMES.flatMap((name) => {
    const report = objectOr(collectors[name]);
    const status = STATUSES.find((known) => known === report['status']);
    const reason = REASONS.find((known) => known === report['reason']) ?? '';
    if (status === undefined) return [];
    const ms = finiteNumber(report['ms']) ?? 0;
    return [[name, { status, reason, ms, detail: text(report['detail']) ?? '' }] as const];
  });
  return Object.fromEntries(reports);
}

function slotsOf(value: JsonObject): Slots {
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, slot]) => (isObject(slot) ? [[name, slot]] : [])),
  );
}
