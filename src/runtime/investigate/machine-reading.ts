import { pickFields } from '../../foreign/config-field.js';
import { isObject, type Json, objectOr } from '../../foreign/json.js';
import type { AbnormalThresholds, SnapshotReading } from '../../investigate/tools/session/abnormal.js';
import type { ReadSnapshot } from '../../investigate/tools/session/system-snapshot.js';
import type { AgentConfig } from '../../reactor/config/fields.js';
import { diskFields, fdFields, thermalFields } from '../../signals/rules/local_health/config.js';
import { collectSnapshot } from '../../sources/collect.js';
import { sourcesFields } from '../../sources/config.js';

const LIMIT_MS = 10_000;

/** A look at the machine through the tick's own collectors. */
export function machineReading(
  sessionDir: string | null,
  config: AgentConfig,
  env: Readonly<Record<string, string | undefined>>,
): ReadSnapshot {
  return async (signal) => {
    const nowUnix = Date.now() / 1000;
    const end = performance.now() + LIMIT_MS;
    const { snapshot } = await collectSnapshot({
      sessionDir,
      config: pickFields(sourcesFields, config),
      env,
      nowUnix,
      promptDriven: false,
      memory: {},
      deadline: { signal, remainingMs: () => Math.max(0, end - performance.now()) },
    });
    const fd = objectOr(snapshot.local_fd);
    return {
      taken_unix: nowUnix,
      gpu: orNull(snapshot.local_gpu),
      processes: snapshot.local_processes_known ? snapshot.local_processes : null,
      disk: orNull(snapshot.local_disk),
      // Our own descriptors say nothing about the session.
      fd: fd['target'] === 'self' ? null : orNull(fd),
      memory: orNull(snapshot.local_memory),
      server_health: snapshot.local_server_health,
      gateway: orNull(objectOr(snapshot.local_external_deps)['gateway']),
    } satisfies SnapshotReading;
  };
}

/** The thresholds of the rules that judge the same readings (spec 07 B4.2). */
export function abnormalThresholds(config: AgentConfig): AbnormalThresholds {
  const disk = pickFields(diskFields, config);
  return {
    vramUsedShare: 0.99,
    vramFreeMb: 500,
    memoryAvailableShare: 0.05,
    diskUsedPct: disk.disk_used_crit_pct,
    shmUsedPct: disk.shm_used_crit_pct,
    fdUsedPct: pickFields(fdFields, config).fd_crit_used_pct,
    thermalC: pickFields(thermalFields, config).gpu_temp_crit_c,
  };
}

function orNull(slot: Json | undefined): Json {
  return isObject(slot) && Object.keys(slot).length > 0 ? slot : null;
}
