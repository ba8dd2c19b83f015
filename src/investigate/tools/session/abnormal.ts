import {
  finiteNumber,
  isObject,
  type Json,
  type JsonObject,
  listOr,
  objectOr,
  objectsOf,
  text,
} from '../../../foreign/json.js';
import { entity } from '../../evidence/entities.js';
import type { EvidenceItem } from '../../model/evidence.js';
import type { AbnormalKind } from '../../model/receipt.js';

/** One look at the machine, as the command's collectors give it; null: that part could not be read (spec 07 B4.2). */
export type SnapshotReading = {
  readonly taken_unix: number;
  readonly gpu: Json;
  readonly processes: Json;
  readonly disk: Json;
  readonly fd: Json;
  /** `{total_mb, available_mb}`, MiB. */
  readonly memory: Json;
  readonly server_health: Json;
  readonly gateway: Json;
};

/** Where a reading becomes abnormal; those that a rule has come from its configuration. */
export interface AbnormalThresholds {
  readonly vramUsedShare: number;
  readonly vramFreeMb: number;
  readonly memoryAvailableShare: number;
  readonly diskUsedPct: number;
  readonly shmUsedPct: number;
  readonly fdUsedPct: number;
  readonly thermalC: number;
}

export const DEFAULT_THRESHOLDS: AbnormalThresholds = {
  vramUsedShare: 0.99,
  vramFreeMb: 500,
  memoryAvailableShare: 0.05,
  diskUsedPct: 95,
  shmUsedPct: 90,
  fdUsedPct: 95,
  thermalC: 95,
};

export type Abnormal = {
  readonly kind: AbnormalKind;
  readonly entity: string;
  readonly value: Json;
  readonly threshold: Json;
};

/** What is out of order in a reading, computed by code alone. */
export function abnormalIn(
  reading: SnapshotReading,
  limits: AbnormalThresholds = DEFAULT_THRESHOLDS,
): Abnormal[] {
  return [
    ...objectsOf(objectOr(reading.gpu)['gpus']).flatMap((gpu) => ofGpu(gpu, limits)),
    ...ofMemory(objectOr(reading.memory), limits),
    ...Object.entries(objectOr(reading.disk)).flatMap(([mount, use]) => ofMount(mount, use ?? null, limits)),
    ...ofFd(objectOr(reading.fd), limits),
    ...objectsOf(reading.server_health).flatMap(ofServer),
    ...ofGateway(objectOr(reading.gateway)),
  ];
}

/** The signal items of abnormal readings. */
export function stateItems(abnormal: readonly Abnormal[], takenUnix: number): EvidenceItem[] {
  return abnormal.map(({ kind, entity: named, value }) => ({
    key: `state:${kind}:${named}:${takenUnix}`,
    cls: 'state' as const,
    tsUnix: takenUnix,
    entities: [named],
    fingerprint: null,
    kind,
    text: `${kind} ${named}: ${JSON.stringify(value)}`,
    frames: [],
    fileHint: null,
    source: 'snapshot',
    line: null,
  }));
}

function ofGpu(gpu: JsonObject, limits: AbnormalThresholds): Abnormal[] {
  const [named] = entity('gpu', gpu['gpu_id'] ?? null);
  if (named === undefined) return [];
  const found: Abnormal[] = [];
  const [used, total] = [finiteNumber(gpu['vram_used_mb']), finiteNumber(gpu['vram_total_mb'])];
  if (used !== undefined && total !== undefined && total > 0) {
    const isFull = used / total >= limits.vramUsedShare || total - used <= limits.vramFreeMb;
    if (isFull)
      found.push({ kind: 'vram', entity: named, value: used, threshold: total * limits.vramUsedShare });
  }
  const heats = ['temperature_junction_c', 'temperature_c'].flatMap((key) => finiteNumber(gpu[key]) ?? []);
  const hottest = Math.max(...heats);
  if (heats.length > 0 && hottest >= limits.thermalC) {
    found.push({ kind: 'thermal', entity: named, value: hottest, threshold: limits.thermalC });
  }
  const dead = objectsOf(gpu['holders']).filter(
    ({ alive, vram_mb: vram }) => alive === false && (finiteNumber(vram) ?? 0) > 0,
  );
  if (dead.length > 0) {
    found.push({
      kind: 'dead_owner',
      entity: named,
      value: dead.map(({ pid }) => pid ?? null),
      threshold: null,
    });
  }
  return found;
}

function ofMemory(memory: JsonObject, limits: AbnormalThresholds): Abnormal[] {
  const [total, available] = [finiteNumber(memory['total_mb']), finiteNumber(memory['available_mb'])];
  if (total === undefined || available === undefined || total <= 0) return [];
  const threshold = total * limits.memoryAvailableShare;
  return available <= threshold ? [{ kind: 'memory', entity: 'session:', value: available, threshold }] : [];
}

function ofMount(mount: string, use: Json, limits: AbnormalThresholds): Abnormal[] {
  const used = isObject(use) ? finiteNumber(use['used_pct']) : undefined;
  const [named] = entity('mount', mount);
  if (used === undefined || named === undefined) return [];
  const isShm = mount === '/dev/shm' || (isObject(use) && listOr(use['roles']).includes('shm'));
  const threshold = isShm ? limits.shmUsedPct : limits.diskUsedPct;
  return used >= threshold ? [{ kind: isShm ? 'shm' : 'disk', entity: named, value: used, threshold }] : [];
}

function ofFd(fd: JsonObject, limits: AbnormalThresholds): Abnormal[] {
  const used = finiteNumber(fd['used_pct']);
  const [named] = entity('pid', fd['pid'] ?? null);
  if (used === undefined || named === undefined || used < limits.fdUsedPct) return [];
  return [{ kind: 'fd', entity: named, value: used, threshold: limits.fdUsedPct }];
}

function ofServer(server: JsonObject): Abnormal[] {
  const [named] = entity('url', server['url'] ?? null);
  if (named === undefined || server['reachable'] !== false) return [];
  return [{ kind: 'server_health', entity: named, value: text(server['error']) ?? null, threshold: null }];
}

function ofGateway(gateway: JsonObject): Abnormal[] {
  const isDown =
    gateway['reachable'] === false || gateway['auth_ok'] === false || gateway['auth_failed'] === true;
  const status = finiteNumber(gateway['status_code']);
  if (!isDown && status !== 401 && status !== 403) return [];
  const named = entity('url', gateway['url'] ?? gateway['base_url'] ?? null)[0] ?? 'session:';
  return [
    { kind: 'gateway', entity: named, value: text(gateway['error']) ?? status ?? null, threshold: null },
  ];
}
