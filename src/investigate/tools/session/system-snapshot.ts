import type { JsonObject } from '../../../foreign/json.js';
import { stringsOf } from '../arguments.js';
import type { Tool, ToolOutcome } from '../tool.js';
import { type AbnormalThresholds, abnormalIn, type SnapshotReading, stateItems } from './abnormal.js';

export const SNAPSHOT_PARTS = ['gpu', 'processes', 'disk', 'fd', 'memory', 'server_health'] as const;

/** Looks at the machine now; handed in by the command, which owns the collectors. */
export type ReadSnapshot = (signal: AbortSignal) => Promise<SnapshotReading>;

/** `system_snapshot` (spec 07 B4.2). `incidentUnix`: how late a reading may be to say anything about it. */
export function systemSnapshot(
  read: ReadSnapshot,
  limits: AbnormalThresholds,
  incidentUnix: number,
  stateMaxAgeS: number,
): Tool {
  return {
    name: 'system_snapshot',
    capability: 'snapshot',
    family: 'snapshot',
    description: 'GPU, process, disk, file-descriptor, memory and server readings of this machine, now.',
    parameters: {
      parts: {
        type: 'strings',
        maxItems: 6,
        values: SNAPSHOT_PARTS,
        optional: true,
        doc: 'which; all when left out',
      },
    },
    async run(args, { signal }) {
      const parts = stringsOf(args, 'parts');
      const reading = await read(signal);
      return snapshotOutcome(withParts(reading, parts), limits, incidentUnix, stateMaxAgeS);
    },
  };
}

/** A reading as a tool's outcome; one that is too far from the incident says nothing about it. */
export function snapshotOutcome(
  reading: SnapshotReading,
  limits: AbnormalThresholds,
  incidentUnix: number,
  stateMaxAgeS: number,
  note?: string,
): ToolOutcome {
  const abnormal = abnormalIn(reading, limits);
  const unknown = SNAPSHOT_PARTS.filter((part) => reading[part] === null);
  const age = Math.abs(reading.taken_unix - incidentUnix);
  const isTimely = age <= stateMaxAgeS;
  const late = isTimely
    ? undefined
    : `taken ${Math.round(age)} s from the incident; it says nothing about it`;
  const notes = [note, late].filter((one) => one !== undefined).join('; ');
  const data: JsonObject = { ...reading, abnormal, unknown };
  return {
    status: unknown.length === SNAPSHOT_PARTS.length ? 'empty' : 'ok',
    cls: isTimely ? 'state' : 'none',
    data,
    count: abnormal.length,
    items: isTimely ? stateItems(abnormal, reading.taken_unix) : [],
    errorSignal: 'resource_abnormal',
    ...(notes === '' ? {} : { note: notes }),
  };
}

function withParts(reading: SnapshotReading, parts: readonly string[]): SnapshotReading {
  if (parts.length === 0) return reading;
  const kept = SNAPSHOT_PARTS.map((part) => [part, parts.includes(part) ? reading[part] : null]);
  return { ...reading, ...Object.fromEntries(kept) };
}
