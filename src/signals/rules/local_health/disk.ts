import { finiteNumber, isObject, type Json, type JsonObject, objectOr } from '../../../foreign/json.js';
import { roundHalfEven } from '../../../foreign/round.js';
import { type Severity, type Symptom, severityRank } from '../../symptom.js';
import type { DiskConfig } from './config.js';

/** Full disks (spec 03 §8.4, local_health-10). */
export function fullDisks(disk: Json, config: DiskConfig): Symptom[] {
  const shm = new Set(config.shm_mountpoints);
  return mountsOf(disk)
    .filter(({ mountpoint }) => !shm.has(mountpoint))
    .flatMap((mount) => {
      const severity = diskSeverity(mount, config);
      const inodes = inodeSeverity(mount, config);
      if (inodes !== undefined && severityRank(inodes) > (severity ? severityRank(severity) : -1)) {
        return [withoutInodes(mount, inodes, config)];
      }
      return severity ? [diskSymptom(mount, severity, config)] : [];
    });
}

/** Full shared memory (spec 03 §8.4). */
export function fullSharedMemory(disk: Json, config: DiskConfig): Symptom[] {
  const shm = new Set(config.shm_mountpoints);
  return mountsOf(disk)
    .filter(({ mountpoint }) => shm.has(mountpoint))
    .flatMap((mount) => {
      const severity = shmSeverity(mount, config);
      return severity ? [shmSymptom(mount, severity, config)] : [];
    });
}

interface Mount {
  readonly mountpoint: string;
  readonly usedPct: number;
  readonly freeGb: number | undefined;
  readonly stats: JsonObject;
}

function mountsOf(disk: Json): Mount[] {
  return Object.entries(objectOr(disk)).flatMap(([mountpoint, stats]) => {
    if (!isObject(stats)) return [];
    const usedPct = finiteNumber(stats['used_pct']);
    if (usedPct === undefined) return [];
    return [{ mountpoint, usedPct, freeGb: finiteNumber(stats['free_gb']), stats }];
  });
}

function diskSeverity({ usedPct, freeGb }: Mount, config: DiskConfig): Severity | undefined {
  const isScarce = (limitGb: number): boolean => limitGb === 0 || freeGb === undefined || freeGb < limitGb;
  if (usedPct >= config.disk_used_crit_pct && isScarce(config.disk_crit_free_gb)) return 'high';
  return usedPct >= config.disk_used_warn_pct && isScarce(config.disk_warn_free_gb) ? 'medium' : undefined;
}

/** Files need an inode each, however small they are; null where the file system makes them as needed. */
function inodeSeverity({ stats }: Mount, config: DiskConfig): Severity | undefined {
  const used = finiteNumber(stats['inodes_used_pct']);
  if (used === undefined) return undefined;
  const reaches = (limit: number): boolean => limit > 0 && used >= limit;
  if (reaches(config.disk_inodes_crit_pct)) return 'high';
  return reaches(config.disk_inodes_warn_pct) ? 'medium' : undefined;
}

function shmSeverity({ usedPct }: Mount, config: DiskConfig): Severity | undefined {
  if (usedPct >= config.shm_used_crit_pct) return 'high';
  return usedPct >= config.shm_used_warn_pct ? 'medium' : undefined;
}

function diskSymptom({ mountpoint, usedPct, stats }: Mount, severity: Severity, config: DiskConfig): Symptom {
  return {
    name: 'disk_pressure',
    severity,
    summary:
      `${mountpoint} is ${roundHalfEven(usedPct, 0)} % full: ${gib(stats['used_gb'])} of ` +
      `${gib(stats['total_gb'])} used, ${gib(stats['free_gb'])} free`,
    evidence: {
      mountpoint,
      used_pct: usedPct,
      used_gb: sizeOf(stats['used_gb']),
      free_gb: sizeOf(stats['free_gb']),
      total_gb: sizeOf(stats['total_gb']),
      warn_pct: config.disk_used_warn_pct,
      crit_pct: config.disk_used_crit_pct,
    },
    subject: { mountpoint },
    source: 'local',
    suggestion:
      severity === 'high'
        ? 'Prune the profile branch, whose traces dominate the disk, and archive older runs.'
        : 'Watch it, and free space (logs, old runs) if it grows.',
  };
}

/** A disk that has space and takes no more files. */
function withoutInodes(mount: Mount, severity: Severity, config: DiskConfig): Symptom {
  const used = finiteNumber(mount.stats['inodes_used_pct']) ?? 0;
  const plain = diskSymptom(mount, severity, config);
  return {
    ...plain,
    summary:
      `${mount.mountpoint} has used ${roundHalfEven(used, 1)} % of its inodes: it takes hardly any more files, ` +
      `although ${gib(mount.stats['free_gb'])} are free`,
    evidence: {
      ...plain.evidence,
      inodes_used_pct: used,
      inodes_warn_pct: config.disk_inodes_warn_pct,
      inodes_crit_pct: config.disk_inodes_crit_pct,
    },
    suggestion:
      'Delete what consists of many small files: caches of compiled kernels, old runs, downloaded parts.',
  };
}

function shmSymptom({ mountpoint, usedPct, stats }: Mount, severity: Severity, config: DiskConfig): Symptom {
  return {
    name: 'shm_pressure',
    severity,
    summary:
      `${mountpoint} is ${roundHalfEven(usedPct, 0)} % full, ${gib(stats['free_gb'])} of ` +
      `${gib(stats['total_gb'])} free: running out of shared memory is a hard failure for SGLang and vLLM`,
    evidence: {
      mountpoint,
      used_pct: usedPct,
      free_gb: sizeOf(stats['free_gb']),
      total_gb: sizeOf(stats['total_gb']),
      warn_pct: config.shm_used_warn_pct,
      crit_pct: config.shm_used_crit_pct,
    },
    subject: { mountpoint },
    source: 'local',
    suggestion:
      severity === 'high'
        ? 'Lower the tensor parallelism or restart the pod with a larger shm: the next stack validation will ' +
          'likely fail.'
        : 'Watch it, and restart the server concerned if it grows.',
  };
}

function sizeOf(value: Json | undefined): number | null {
  return finiteNumber(value) ?? null;
}

function gib(value: Json | undefined): string {
  const size = finiteNumber(value);
  return size === undefined ? '? GiB' : `${roundHalfEven(size, 1)} GiB`;
}
