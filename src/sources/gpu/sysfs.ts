import { readdir, readFile, realpath } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { celsius, mebibytes, percent, presentMetrics, quantity, watts } from './metric-value.js';
import { type GpuObservation, hasMetric, pciAddress, type TemperatureLimits } from './reading.js';

const AMD_VENDOR = '0x1002';
const MAX_CARDS = 512;
const SENSORS: Readonly<Record<string, keyof TemperatureLimits>> = {
  edge: 'edge',
  junction: 'junction',
  hotspot: 'junction',
  mem: 'memory',
  memory: 'memory',
};

/**
 * The AMD devices as the kernel driver shows them below `<sysRoot>/class/drm` (spec 02 §10.2 g), numbered by PCI address
 * as the tools number them: the card number is no identity. Reads are asynchronous, because a hung board answers late.
 * Undefined when there is no such device.
 */
export async function readSysfs(sysRoot: string): Promise<readonly GpuObservation[] | undefined> {
  const drm = join(sysRoot, 'class/drm');
  const cards = (await names(drm)).filter((name) => /^card\d+$/.test(name)).slice(0, MAX_CARDS);
  const devices = (await Promise.all(cards.map((card) => readDevice(join(drm, card, 'device'))))).flat();
  if (devices.length === 0) return undefined;
  devices.sort((a, b) => (a.pci < b.pci ? -1 : 1));
  return devices.map((device, gpu_id) => ({ ...device, gpu_id }));
}

async function readDevice(
  directory: string,
): Promise<(Omit<GpuObservation, 'gpu_id'> & { readonly pci: string })[]> {
  if ((await read(join(directory, 'vendor'))) !== AMD_VENDOR) return [];
  const pci = await slotName(directory);
  if (pci === undefined) return [];
  const [busy, memoryBusy, used, total, uniqueId, sensors] = await Promise.all([
    read(join(directory, 'gpu_busy_percent')),
    read(join(directory, 'mem_busy_percent')),
    read(join(directory, 'mem_info_vram_used')),
    read(join(directory, 'mem_info_vram_total')),
    read(join(directory, 'unique_id')),
    readSensors(join(directory, 'hwmon')),
  ]);
  const metrics = presentMetrics({
    util_gpu_pct: percent(busy),
    mem_activity_pct: percent(memoryBusy),
    vram_used_mb: mebibytes(used, 'b'),
    vram_total_mb: mebibytes(total, 'b'),
    temperature_edge_c: sensors.values.edge,
    temperature_junction_c: sensors.values.junction,
    temperature_memory_c: sensors.values.memory,
    power_watts: sensors.power,
  });
  const uuid = uniqueId !== undefined && /^[0-9a-f]{8,32}$/i.test(uniqueId) ? `GPU-${uniqueId}` : undefined;
  return [
    {
      pci,
      metrics,
      ...(uuid ? { uuid } : {}),
      ...(Object.keys(sensors.limits).length > 0 ? { limits: sensors.limits } : {}),
      ...(hasMetric(metrics) ? {} : { failure: { kind: 'unreadable', text: 'the driver gives no metric' } }),
    },
  ];
}

async function slotName(directory: string): Promise<string | undefined> {
  const slot = /^PCI_SLOT_NAME=(.+)$/m.exec((await read(join(directory, 'uevent'))) ?? '')?.[1];
  if (slot !== undefined) return pciAddress(slot);
  try {
    return pciAddress(basename(await realpath(directory)));
  } catch {
    // No link and no event file: a device without identity can't be numbered.
    return undefined;
  }
}

interface Sensors {
  readonly values: TemperatureLimits;
  readonly limits: TemperatureLimits;
  readonly power: number | undefined;
}

async function readSensors(hwmon: string): Promise<Sensors> {
  const first = (await names(hwmon)).filter((name) => name.startsWith('hwmon')).sort()[0];
  if (first === undefined) return { values: {}, limits: {}, power: undefined };
  const directory = join(hwmon, first);
  const values: { -readonly [K in keyof TemperatureLimits]?: number } = {};
  const limits: { -readonly [K in keyof TemperatureLimits]?: number } = {};
  for (const file of (await names(directory)).filter((name) => /^temp\d{1,2}_input$/.test(name)).sort()) {
    const prefix = join(directory, file.slice(0, -'input'.length));
    const sensor = SENSORS[((await read(`${prefix}label`)) ?? '').toLowerCase()];
    if (sensor === undefined) continue;
    const value = await milliCelsius(`${prefix}input`);
    const limit = await milliCelsius(`${prefix}crit`);
    if (value !== undefined) values[sensor] = value;
    if (limit !== undefined && limit > 0) limits[sensor] = limit;
  }
  return { values, limits, power: await microWatts(directory) };
}

async function milliCelsius(path: string): Promise<number | undefined> {
  const raw = quantity(await read(path))?.value;
  return raw === undefined ? undefined : celsius(raw / 1000);
}

async function microWatts(directory: string): Promise<number | undefined> {
  const raw =
    (await read(join(directory, 'power1_average'))) ?? (await read(join(directory, 'power1_input')));
  const value = quantity(raw)?.value;
  return value === undefined ? undefined : watts(value / 1e6);
}

async function read(path: string): Promise<string | undefined> {
  try {
    return (await readFile(path, 'utf8')).slice(0, 4096).trim();
  } catch {
    // A missing or unreadable attribute is an absent metric.
    return undefined;
  }
}

async function names(directory: string): Promise<string[]> {
  try {
    return await readdir(directory);
  } catch {
    // A host without this driver has no such directory.
    return [];
  }
}
