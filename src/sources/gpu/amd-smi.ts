import {
  isObject,
  type Json,
  type JsonObject,
  listOr,
  objectOr,
  objectsOf,
  text,
} from '../../foreign/json.js';
import { jsonInOutput } from './json-in-output.js';
import { celsius, mebibytes, percent, presentMetrics, quantity, watts } from './metric-value.js';
import { type GpuObservation, pciAddress, type TemperatureLimits } from './reading.js';

/** Devices more than any host has; what follows is dropped. */
const MAX_DEVICES = 512;

/** A process that holds VRAM of one device, as a tool lists it. */
export type ToolHolder = {
  readonly gpu_id: number;
  readonly pid: number;
  /** MiB, null when the tool does not say. */
  readonly vram_mb: number | null;
};

/**
 * Output of `amd-smi metric … --json` in its three generations: a bare list, an object with `gpu_data` or `gpu`, or one
 * device object (spec 02 §10.2 f). Undefined when no device is listed.
 */
export function parseAmdSmiMetric(output: string): readonly GpuObservation[] | undefined {
  const devices = deviceObjects(jsonInOutput(output)).flatMap(observation);
  return devices.length > 0 ? devices : undefined;
}

function observation(device: JsonObject): GpuObservation[] {
  const gpu_id = deviceId(device.gpu);
  if (gpu_id === undefined) return [];
  const usage = objectOr(device.usage);
  const memory = objectOr(device.mem_usage);
  const temperature = objectOr(device.temperature);
  const power = objectOr(device.power);
  const metrics = presentMetrics({
    util_gpu_pct: percent(usage.gfx_activity),
    mem_activity_pct: percent(usage.umc_activity),
    temperature_edge_c: celsius(temperature.edge),
    temperature_junction_c: celsius(temperature.hotspot),
    temperature_memory_c: celsius(temperature.mem),
    power_watts:
      watts(power.socket_power) ?? watts(power.current_socket_power) ?? watts(power.average_socket_power),
    vram_used_mb: mebibytes(memory.used_vram, 'mb'),
    vram_total_mb: mebibytes(memory.total_vram, 'mb'),
  });
  const pci = pciAddress(text(device.bdf) ?? '');
  const uuid = text(device.uuid);
  return [{ gpu_id, metrics, ...(pci ? { pci } : {}), ...(uuid ? { uuid } : {}) }];
}

/**
 * Output of `amd-smi process --json`: per device a list of `{process_info: {pid, memory_usage: {vram_mem}}}`, or one text
 * when nothing runs. Undefined when the output is no such list.
 */
export function parseAmdSmiProcesses(output: string): readonly ToolHolder[] | undefined {
  const devices = deviceObjects(jsonInOutput(output)).filter((device) => 'process_list' in device);
  if (devices.length === 0) return undefined;
  return devices.flatMap((device) => {
    const gpu_id = deviceId(device.gpu);
    if (gpu_id === undefined) return [];
    return listOr(device.process_list).flatMap((row) => holder(gpu_id, row));
  });
}

function holder(gpu_id: number, row: Json): ToolHolder[] {
  const info = objectOr(objectOr(row).process_info ?? row);
  const pid = quantity(info.pid)?.value;
  if (pid === undefined || !Number.isInteger(pid) || pid <= 0) return [];
  const vram = objectOr(info.memory_usage).vram_mem ?? info.mem_usage;
  return [{ gpu_id, pid, vram_mb: mebibytes(vram, 'b') ?? null }];
}

/** Output of `amd-smi static --limit --json`: what each device states as its critical temperatures. */
export function parseAmdSmiLimits(output: string): ReadonlyMap<number, TemperatureLimits> {
  const limits = new Map<number, TemperatureLimits>();
  for (const device of deviceObjects(jsonInOutput(output))) {
    const gpu_id = deviceId(device.gpu);
    const stated = objectOr(device.limit);
    const edge = celsius(stated.slowdown_edge_temperature);
    const junction = celsius(stated.slowdown_hotspot_temperature);
    const memory = celsius(stated.slowdown_vram_temperature);
    if (gpu_id === undefined) continue;
    const found = {
      ...(edge !== undefined && edge > 0 ? { edge } : {}),
      ...(junction !== undefined && junction > 0 ? { junction } : {}),
      ...(memory !== undefined && memory > 0 ? { memory } : {}),
    };
    if (Object.keys(found).length > 0) limits.set(gpu_id, found);
  }
  return limits;
}

function deviceObjects(value: Json | undefined): JsonObject[] {
  if (Array.isArray(value)) return objectsOf(value).slice(0, MAX_DEVICES);
  if (!isObject(value)) return [];
  if (Array.isArray(value.gpu_data)) return objectsOf(value.gpu_data).slice(0, MAX_DEVICES);
  if (Array.isArray(value.gpu)) return objectsOf(value.gpu).slice(0, MAX_DEVICES);
  return 'gpu' in value ? [value] : [];
}

function deviceId(raw: Json | undefined): number | undefined {
  const value = quantity(raw)?.value;
  return value !== undefined && Number.isInteger(value) && value >= 0 && value < 100_000 ? value : undefined;
}

/** True when the tool refused its arguments: the flags differ by release. */
export function isAmdSmiUsageError(exitCode: number | null, output: string): boolean {
  if (exitCode === 0) return false;
  return /usage:|unrecognized arguments|invalid (?:choice|command|parameter|argument)|not a valid (?:command|argument)|-h, --help/i.test(
    output,
  );
}
