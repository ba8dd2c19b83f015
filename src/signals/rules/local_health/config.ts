import type { ConfigFields, ConfigValues } from '../../../foreign/config-field.js';

export const serverFields = {
  benchmark_client_patterns: {
    type: 'string_list',
    default: ['benchmark_serving'],
    doc: 'Texts in a command line that mark a benchmark client.',
  },
  server_min_fail_streak: {
    type: 'integer',
    default: 2,
    unit: 'probes',
    doc: 'Consecutive failing probes of a URL from which it counts as unreachable.',
  },
  server_min_timeout_streak: {
    type: 'integer',
    default: 3,
    unit: 'probes',
    doc: 'Consecutive timeouts of a URL from which they are urgent.',
  },
  server_timeout_quiet_s: {
    type: 'number',
    default: 900,
    unit: 's',
    doc: 'Fewer timeouts than that are not told before the URL has been silent for so long; 0 = at once.',
  },
  server_loading_grace_s: {
    type: 'number',
    default: 3600,
    unit: 's',
    doc: 'Time a started server may need before it answers for the first time.',
  },
} as const satisfies ConfigFields;

export const thermalFields = {
  gpu_temp_warn_c: { type: 'number', default: 85, unit: '°C', doc: 'Edge temperature worth a warning.' },
  gpu_temp_crit_c: { type: 'number', default: 100, unit: '°C', doc: 'Edge temperature that is urgent.' },
  gpu_junction_temp_warn_c: {
    type: 'number',
    default: 100,
    unit: '°C',
    doc: 'Junction temperature worth a warning.',
  },
  gpu_junction_temp_crit_c: {
    type: 'number',
    default: 105,
    unit: '°C',
    doc: 'Junction temperature that is urgent.',
  },
  gpu_memory_temp_warn_c: {
    type: 'number',
    default: 100,
    unit: '°C',
    doc: 'Memory temperature worth a warning.',
  },
  gpu_memory_temp_crit_c: {
    type: 'number',
    default: 105,
    unit: '°C',
    doc: 'Memory temperature that is urgent.',
  },
} as const satisfies ConfigFields;

export const diskFields = {
  disk_used_warn_pct: { type: 'number', default: 85, unit: '%', doc: 'Used disk space worth a warning.' },
  disk_used_crit_pct: { type: 'number', default: 95, unit: '%', doc: 'Used disk space that is urgent.' },
  disk_warn_free_gb: {
    type: 'number',
    default: 200,
    unit: 'GiB',
    doc: 'With at least this much free no percentage is worth a warning; 0 = percentage alone.',
  },
  disk_crit_free_gb: {
    type: 'number',
    default: 50,
    unit: 'GiB',
    doc: 'With at least this much free no percentage is urgent; 0 = percentage alone.',
  },
  disk_inodes_warn_pct: {
    type: 'number',
    default: 90,
    unit: '%',
    doc: 'Used inodes worth a warning; 0 = off.',
  },
  disk_inodes_crit_pct: {
    type: 'number',
    default: 98,
    unit: '%',
    doc: 'Used inodes that are urgent; 0 = off.',
  },
  shm_mountpoints: {
    type: 'string_list',
    default: ['/dev/shm'],
    doc: 'Mount points that hold shared memory and are judged as such.',
  },
  shm_used_warn_pct: { type: 'number', default: 75, unit: '%', doc: 'Used shared memory worth a warning.' },
  shm_used_crit_pct: { type: 'number', default: 90, unit: '%', doc: 'Used shared memory that is urgent.' },
} as const satisfies ConfigFields;

export const fdFields = {
  fd_warn_used_pct: {
    type: 'number',
    default: 80,
    unit: '%',
    doc: 'Used file descriptors worth a warning.',
  },
  fd_crit_used_pct: { type: 'number', default: 95, unit: '%', doc: 'Used file descriptors that are urgent.' },
} as const satisfies ConfigFields;

export type ServerConfig = ConfigValues<typeof serverFields>;
export type ThermalConfig = ConfigValues<typeof thermalFields>;
export type DiskConfig = ConfigValues<typeof diskFields>;
export type FdConfig = ConfigValues<typeof fdFields>;
