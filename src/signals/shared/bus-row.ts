import { isObject, type Json, type JsonObject } from '../../foreign/json.js';
import { trimPython } from '../../foreign/python-space.js';
import { pythonText } from '../../foreign/python-text.js';
import { usableUnixSeconds } from '../../foreign/timestamps.js';
import type { BusRow } from '../bus.js';

/** Topic as it stands in the row; topics are compared case-sensitively and untrimmed (spec 03 §7). */
export function topicOf({ row }: BusRow): Json | undefined {
  return row['topic'];
}

/** The payload when it is an object. */
export function payloadOf({ row }: BusRow): JsonObject | undefined {
  const payload = row['payload'];
  return isObject(payload) ? payload : undefined;
}

/** Sender in text form, untrimmed; `''` when the row names none. */
export function senderOf({ row, origin }: BusRow): string {
  return scalarText(row[origin === 'event' ? 'agent' : 'from_agent']) ?? '';
}

/** A scalar in text form; null, absent, lists and objects are undefined (spec 03 event-5). */
export function scalarText(value: Json | undefined): string | undefined {
  if (value === null || value === undefined || typeof value === 'object') return undefined;
  return pythonText(value);
}

/** Any value in text form, trimmed; absent and null are `''`. */
export function trimmedText(value: Json | undefined): string {
  return value === null || value === undefined ? '' : trimPython(pythonText(value));
}

/** When the row was put on the bus, unix s. Only rows that our collector read have an addressee, and a stamp that is surely the bus's own. */
export function stampOf({ row }: BusRow, nowUnix: number): number | undefined {
  return row['to_agent'] === undefined ? undefined : usableUnixSeconds(row['ts'], nowUnix);
}
