import { roundHalfEven } from '../../foreign/round.js';
import {
  type GpuFailure,
  type GpuMetrics,
  type GpuObservation,
  hasMetric,
  type TemperatureLimits,
} from './reading.js';
import type { GpuVendor } from './visible.js';

/** The devices that one source listed. */
export interface NamedListing {
  readonly tool: string;
  readonly devices: readonly GpuObservation[];
}

/** All sources of one vendor as one list. */
export interface MergedListing {
  /** The source that listed the devices, then those that filled gaps, joined by `+`. */
  readonly tool: string;
  readonly devices: readonly GpuObservation[];
}

/**
 * Merges the listings of one vendor, most preferred first: the first one decides which devices there are, each metric comes
 * from the first source that has it (spec 02 §10.2). Undefined without a listing.
 */
export function mergeListings(listings: readonly NamedListing[]): MergedListing | undefined {
  const [first, ...others] = listings;
  if (!first) return undefined;
  let devices = [...first.devices].sort((a, b) => a.gpu_id - b.gpu_id);
  const fillers: string[] = [];
  for (const other of others) {
    const filled = devices.map((device) => fill(device, counterpart(device, devices, other.devices)));
    if (filled.some((device, index) => device !== devices[index])) fillers.push(other.tool);
    devices = filled;
  }
  return { tool: [first.tool, ...fillers].join('+'), devices: devices.map(withFailure) };
}

/**
 * The same device in another listing: by address, or by rank when both list equally many. A container may show the tools
 * fewer devices than sysfs, and partitions may show them more: then rank means nothing.
 */
function counterpart(
  device: GpuObservation,
  devices: readonly GpuObservation[],
  others: readonly GpuObservation[],
): GpuObservation | undefined {
  const sameAddress = others.find((other) => other.pci !== undefined && other.pci === device.pci);
  if (sameAddress) return sameAddress;
  if (others.length !== devices.length) return undefined;
  const ranked = [...others].sort((a, b) => a.gpu_id - b.gpu_id);
  const other = ranked[devices.indexOf(device)];
  return other?.pci !== undefined && device.pci !== undefined ? undefined : other;
}

function fill(device: GpuObservation, other: GpuObservation | undefined): GpuObservation {
  if (!other) return device;
  const isGap = Object.keys(other.metrics).some((key) => !(key in device.metrics));
  const isIdentityGap =
    (other.pci !== undefined && device.pci === undefined) ||
    (other.uuid !== undefined && device.uuid === undefined);
  const hasLimits = other.limits !== undefined && device.limits === undefined;
  if (!isGap && !isIdentityGap && !hasLimits) return device;
  return { ...other, ...device, metrics: { ...other.metrics, ...device.metrics } };
}

const UNREADABLE: GpuFailure = { kind: 'unreadable', text: 'listed, but no metric could be read' };

/** A device that one source could not read is readable if another could; a lost one stays lost. */
function withFailure(device: GpuObservation): GpuObservation {
  const { failure, ...readable } = device;
  if (failure && failure.kind !== 'unreadable') return device;
  return hasMetric(device.metrics) ? readable : { ...readable, failure: failure ?? UNREADABLE };
}

/** One entry of `local_gpu.gpus` (spec 02 §2 and §14); what is unknown is absent. */
export type GpuEntry = {
  readonly gpu_id: number;
  readonly vendor: GpuVendor;
  readonly util_gpu_pct?: number;
  /** Occupancy of the VRAM, percent. */
  readonly util_mem_pct?: number;
  readonly mem_activity_pct?: number;
  readonly vram_used_mb?: number;
  readonly vram_total_mb?: number;
  readonly temperature_c?: number;
  readonly temperature_source?: 'edge' | 'junction';
  readonly temperature_junction_c?: number;
  readonly temperature_memory_c?: number;
  readonly temperature_limits_c?: TemperatureLimits;
  readonly power_watts?: number;
  readonly uuid?: string;
  readonly pci?: string;
  readonly mig?: boolean;
  readonly error?: string;
  readonly error_kind?: GpuFailure['kind'];
};

/** A device as it stands in the snapshot; `idOffset` keeps the vendors' numbers apart on a host with both. */
export function gpuEntry(device: GpuObservation, vendor: GpuVendor, idOffset = 0): GpuEntry {
  const { allocated_pct: _allocated, temperature_edge_c: _edge, ...metrics } = device.metrics;
  return {
    gpu_id: device.gpu_id + idOffset,
    vendor,
    ...roundedMetrics(metrics),
    ...occupancy(device.metrics),
    ...temperature(device.metrics),
    ...(device.limits ? { temperature_limits_c: device.limits } : {}),
    ...(device.uuid ? { uuid: device.uuid } : {}),
    ...(device.pci ? { pci: device.pci } : {}),
    ...(device.mig === undefined ? {} : { mig: device.mig }),
    ...(device.failure ? { error: device.failure.text, error_kind: device.failure.kind } : {}),
  };
}

/** `util_mem_pct` means occupancy for every tool: from bytes when both are known. */
function occupancy(metrics: GpuMetrics): Pick<GpuEntry, 'util_mem_pct'> {
  const { vram_used_mb: used, vram_total_mb: total, allocated_pct: allocated } = metrics;
  if (used !== undefined && total !== undefined && total > 0) {
    return { util_mem_pct: roundHalfEven(Math.min(100, (used / total) * 100), 2) };
  }
  return allocated === undefined ? {} : { util_mem_pct: allocated };
}

/** Boards without edge sensor report the junction, which has limits of its own. */
function temperature(metrics: GpuMetrics): Pick<GpuEntry, 'temperature_c' | 'temperature_source'> {
  const { temperature_edge_c: edge, temperature_junction_c: junction } = metrics;
  if (edge !== undefined) return { temperature_c: edge, temperature_source: 'edge' };
  return junction === undefined ? {} : { temperature_c: junction, temperature_source: 'junction' };
}

function roundedMetrics<M extends { readonly [key: string]: number }>(metrics: M): M;
function roundedMetrics(metrics: { readonly [key: string]: number }): { readonly [key: string]: number } {
  return Object.fromEntries(Object.entries(metrics).map(([key, value]) => [key, roundHalfEven(value, 2)]));
}
