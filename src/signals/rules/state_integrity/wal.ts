import { integer, type JsonObject } from '../../../foreign/json.js';
import type { Symptom } from '../../symptom.js';

const BYTES_PER_GIB = 2 ** 30;

export interface SizeLimits {
  readonly warn: number;
  readonly critical: number;
}

/** The write-ahead log of the Coordinator's database has grown out of proportion (spec 04 §9). */
export function walSymptom(wal: JsonObject, limits: SizeLimits): Symptom | undefined {
  const bytes = integer(wal['wal_bytes']);
  if (bytes === undefined || bytes <= 0) return undefined;
  const isCritical = bytes >= limits.critical;
  if (!isCritical && bytes < limits.warn) return undefined;
  return {
    name: 'coordinator_wal_bloat',
    severity: isCritical ? 'high' : 'medium',
    subject: {},
    source: 'local',
    summary:
      `The write-ahead log of the coordinator database has ${gib(bytes)} GiB ` +
      `(warning from ${gib(limits.warn)}, critical from ${gib(limits.critical)})`,
    suggestion: 'Checkpoint the write-ahead log more often, and expect slow reads until it is done.',
    evidence: {
      wal_bytes: bytes,
      wal_path: wal['wal_path'] ?? null,
      db_bytes: wal['db_bytes'] ?? null,
      warn_threshold: limits.warn,
      critical_threshold: limits.critical,
    },
  };
}

function gib(bytes: number): string {
  return (bytes / BYTES_PER_GIB).toFixed(2);
}
