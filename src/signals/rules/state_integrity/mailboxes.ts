import { integer, isObject, type Json, objectOr } from '../../../foreign/json.js';
import type { Symptom } from '../../symptom.js';
import type { SizeLimits } from './wal.js';

const BYTES_PER_MIB = 2 ** 20;

/** Mailbox files of agents that have grown out of proportion, in the order given, inbox before outbox (spec 04 §9). */
export function mailboxSymptoms(agents: Json | undefined, limits: SizeLimits): Symptom[] {
  return Object.entries(objectOr(agents)).flatMap(([role, boxes]) => {
    if (!isObject(boxes)) return [];
    return (['inbox', 'outbox'] as const).flatMap((kind) => {
      const bytes = integer(boxes[`${kind}_bytes`]);
      const symptom = bytes === undefined ? undefined : bloated(role, kind, bytes, limits);
      if (!symptom) return [];
      return [{ ...symptom, evidence: { ...symptom.evidence, path: boxes[`${kind}_path`] ?? null } }];
    });
  });
}

function bloated(
  role: string,
  kind: 'inbox' | 'outbox',
  bytes: number,
  { warn, critical }: SizeLimits,
): Symptom | undefined {
  if (bytes <= 0 || (bytes < critical && bytes < warn)) return undefined;
  return {
    name: 'inbox_bloat',
    severity: bytes >= critical ? 'medium' : 'low',
    subject: { role, kind },
    source: 'local',
    summary:
      `The ${kind} file of ${role} has ${(bytes / BYTES_PER_MIB).toFixed(0)} MiB ` +
      `(warning from ${(warn / BYTES_PER_MIB).toFixed(0)} MiB)`,
    suggestion: `Roll the ${kind} log of ${role}.`,
    evidence: { role, kind, size_bytes: bytes, warn_bytes: warn, critical_bytes: critical },
  };
}
