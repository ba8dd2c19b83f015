import { readFileSync, realpathSync } from 'node:fs';
import { basename, join } from 'node:path';
import { namesIn } from '../tools/list-directory.js';
import { type ReadInChildOptions, readInChild } from '../tools/read-in-child.js';
import { celsius, mebibytes, percent, presentMetrics, quantity, watts } from './metric-value.js';
import { type GpuObservation, hasMetric, pciAddress, type TemperatureLimits } from './reading.js';

const AMD_VENDOR = '0x1002';
const MAX_CARDS = 128;
const SENSORS: ReadonlyMap<string, keyof TemperatureLimits> = new Map([
  ['edge', 'edge'],
  ['junction', 'junction'],
  ['hotspot', 'junction'],
  ['mem', 'memory'],
  ['memory', 'memory'],
]);
const ATTRIBUTES = [
  'gpu_busy_percent',
  'mem_busy_percent',
  'mem_info_vram_used',
  'mem_info_vram_total',
  'unique_id',
] as const;

interface Card {
  readonly directory: string;
  readonly pci: string;
  /** Directory of its sensors, and the numbers that they have there. */
  readonly hwmon: string | undefined;
  readonly sensors: readonly string[];
}

/**
 * The AMD devices as the kernel driver shows them below `<sysRoot>/class/drm` (spec 02 §10.2 g), numbered by PCI address
 * as the tools number them: the card number is no identity. What asks the device itself is read in a child, because a
 * wedged board may never answer. Undefined when there is no such device.
 */
export async function readSysfs(
  sysRoot: string,
  options: ReadInChildOptions,
): Promise<readonly GpuObservation[] | undefined> {
  const drm = join(sysRoot, 'class/drm');
  const names = namesIn(drm).filter((name) => /^card\d+$/.test(name));
  const cards = names.slice(0, MAX_CARDS).flatMap((name) => cardIn(join(drm, name, 'device')));
  if (cards.length === 0) return undefined;
  cards.sort((a, b) => (a.pci < b.pci ? -1 : 1));
  // A child for each, so that a wedged board costs only its own metrics.
  const files = await Promise.all(cards.map((card) => readInChild(pathsOf(card), options)));
  return cards.map((card, gpu_id) => observation(card, gpu_id, files[gpu_id] ?? new Map()));
}

function cardIn(directory: string): Card[] {
  if (cached(join(directory, 'vendor')) !== AMD_VENDOR) return [];
  const pci = slotName(directory);
  if (pci === undefined) return [];
  const monitor = namesIn(join(directory, 'hwmon'))
    .filter((name) => name.startsWith('hwmon'))
    .sort()[0];
  const hwmon = monitor === undefined ? undefined : join(directory, 'hwmon', monitor);
  const inputs = hwmon === undefined ? [] : namesIn(hwmon).filter((name) => /^temp\d{1,2}_input$/.test(name));
  return [{ directory, pci, hwmon, sensors: inputs.sort().map((name) => name.slice(0, -'_input'.length)) }];
}

function pathsOf({ directory, hwmon, sensors }: Card): string[] {
  const attributes = ATTRIBUTES.map((name) => join(directory, name));
  if (hwmon === undefined) return attributes;
  const temperatures = sensors.flatMap((sensor) =>
    ['label', 'crit', 'input'].map((kind) => `${sensor}_${kind}`),
  );
  return [
    ...attributes,
    ...[...temperatures, 'power1_average', 'power1_input'].map((name) => join(hwmon, name)),
  ];
}

function observation(card: Card, gpu_id: number, files: ReadonlyMap<string, string>): GpuObservation {
  const attribute = (name: (typeof ATTRIBUTES)[number]) => files.get(join(card.directory, name))?.trim();
  const { values, limits, power } = sensorReadings(card, files);
  const metrics = presentMetrics({
    util_gpu_pct: percent(attribute('gpu_busy_percent')),
    mem_activity_pct: percent(attribute('mem_busy_percent')),
    vram_used_mb: mebibytes(attribute('mem_info_vram_used'), 'b'),
    vram_total_mb: mebibytes(attribute('mem_info_vram_total'), 'b'),
    temperature_edge_c: values.edge,
    temperature_junction_c: values.junction,
    temperature_memory_c: values.memory,
    power_watts: power,
  });
  const uniqueId = attribute('unique_id');
  return {
    gpu_id,
    pci: card.pci,
    metrics,
    ...(uniqueId !== undefined && /^[0-9a-f]{8,32}$/i.test(uniqueId) ? { uuid: `GPU-${uniqueId}` } : {}),
    ...(Object.keys(limits).length > 0 ? { limits } : {}),
    ...(hasMetric(metrics) ? {} : { failure: { kind: 'unreadable', text: 'the driver gives no metric' } }),
  };
}

interface SensorReadings {
  readonly values: TemperatureLimits;
  readonly limits: TemperatureLimits;
  readonly power: number | undefined;
}

function sensorReadings({ hwmon, sensors }: Card, files: ReadonlyMap<string, string>): SensorReadings {
  const values: { -readonly [K in keyof TemperatureLimits]?: number } = {};
  const limits: { -readonly [K in keyof TemperatureLimits]?: number } = {};
  if (hwmon === undefined) return { values, limits, power: undefined };
  const file = (name: string) => files.get(join(hwmon, name))?.trim();
  for (const sensor of sensors) {
    const name = SENSORS.get((file(`${sensor}_label`) ?? '').toLowerCase());
    if (name === undefined) continue;
    const value = milliCelsius(file(`${sensor}_input`));
    const limit = milliCelsius(file(`${sensor}_crit`));
    if (value !== undefined) values[name] = value;
    if (limit !== undefined && limit > 0) limits[name] = limit;
  }
  const microWatts = quantity(file('power1_average') ?? file('power1_input'))?.value;
  return { values, limits, power: microWatts === undefined ? undefined : watts(microWatts / 1e6) };
}

function milliCelsius(raw: string | undefined): number | undefined {
  const value = quantity(raw)?.value;
  return value === undefined ? undefined : celsius(value / 1000);
}

function slotName(directory: string): string | undefined {
  const slot = /^PCI_SLOT_NAME=(.+)$/m.exec(cached(join(directory, 'uevent')) ?? '')?.[1];
  if (slot !== undefined) return pciAddress(slot);
  try {
    return pciAddress(basename(realpathSync(directory)));
  } catch {
    // No link and no event file: a device without identity can't be numbered.
    return undefined;
  }
}

/** An attribute that the kernel answers by itself, without asking the device. */
function cached(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8').slice(0, 4096).trim();
  } catch {
    return undefined;
  }
}
