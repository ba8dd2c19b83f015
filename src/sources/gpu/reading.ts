/** Metrics of one device as one tool gave them; a metric that could not be read is absent. */
export type GpuMetrics = {
  /** Compute activity, percent. */
  readonly util_gpu_pct?: number;
  /** Activity of the memory controller, percent: never occupancy. */
  readonly mem_activity_pct?: number;
  /** Occupancy of the VRAM as the tool rounds it, percent; used only where bytes are unknown. */
  readonly allocated_pct?: number;
  readonly temperature_edge_c?: number;
  readonly temperature_junction_c?: number;
  readonly temperature_memory_c?: number;
  readonly power_watts?: number;
  /** MiB. */
  readonly vram_used_mb?: number;
  /** MiB. */
  readonly vram_total_mb?: number;
};

/** What the device itself calls critical, °C per sensor. */
export type TemperatureLimits = {
  readonly edge?: number;
  readonly junction?: number;
  readonly memory?: number;
};

/** Why a device cannot be read (spec 04 §14). */
export type GpuFailure = {
  readonly kind: 'lost' | 'reset_required' | 'unreadable';
  readonly text: string;
};

/** One device in the answer of one source; ids count per vendor. */
export type GpuObservation = {
  readonly gpu_id: number;
  readonly metrics: GpuMetrics;
  readonly uuid?: string;
  /** PCI address `dddd:bb:dd.f`, lower case. */
  readonly pci?: string;
  readonly mig?: boolean;
  readonly limits?: TemperatureLimits;
  readonly failure?: GpuFailure;
};

/** What a source said: the devices it listed and those that it named as lost. */
export type GpuListing = {
  readonly devices: readonly GpuObservation[];
  /** PCI addresses, or ids where no address was printed. */
  readonly lost: readonly string[];
};

/** True when at least one metric was read. */
export function hasMetric(metrics: GpuMetrics): boolean {
  return Object.values(metrics).some((value) => value !== undefined);
}

/**
 * A PCI address in the kernel's form: `00000000:3B:00.0`, `0000:3b:00.0` and `3B:00.0` are the same device.
 * Undefined for anything else.
 */
export function pciAddress(raw: string): string | undefined {
  const match = /^(?:([0-9a-f]{4,8}):)?([0-9a-f]{2}):([0-9a-f]{2})\.([0-7])$/i.exec(raw.trim());
  if (!match) return undefined;
  const domain = (match[1] ?? '0000').replace(/^0+(?=[0-9a-f]{4})/i, '');
  return `${domain}:${match[2]}:${match[3]}.${match[4]}`.toLowerCase();
}
