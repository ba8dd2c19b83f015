import type { ToolHolder } from './amd-smi.js';
import { celsius, mebibytes, percent, presentMetrics, quantity, watts } from './metric-value.js';
import { type GpuFailure, type GpuListing, type GpuObservation, hasMetric, pciAddress } from './reading.js';
import { csvCells } from './rocm-smi.js';

/** The columns that are asked for; releases that do not know the last four get the first six only. */
export const NVIDIA_COLUMNS = [
  'index',
  'utilization.gpu',
  'utilization.memory',
  'temperature.gpu',
  'memory.used',
  'memory.total',
  'uuid',
  'power.draw',
  'mig.mode.current',
  'pci.bus_id',
] as const;

/** The first six columns: what every release knows. */
export const NVIDIA_BASIC_COLUMNS = NVIDIA_COLUMNS.slice(0, 6);

const MAX_LINES = 2000;
const LOST_DEVICE =
  /unable to determine the device handle for gpu\s*(?:(\d{1,4}):\s+)?([0-9a-f]{4,8}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7])/i;

/**
 * Output of `nvidia-smi --query-gpu=… --format=csv,noheader,nounits`: each cell on its own, so that one `[N/A]` costs one
 * metric (spec 02 §10.2 h). Lines that are no row are ignored, except those that name a lost device.
 */
export function parseNvidiaQuery(output: string, columns: readonly string[] = NVIDIA_COLUMNS): GpuListing {
  const devices = new Map<number, GpuObservation>();
  const lost: LostDevice[] = [];
  for (const line of output.split(/\r\n|\n|\r/, MAX_LINES)) {
    const gone = lostDevice(line);
    if (gone) lost.push(gone);
    else {
      const device = observation(csvCells(line), columns);
      if (device) devices.set(device.gpu_id, device);
    }
  }
  const listed = withLost([...devices.values()], lost);
  return { devices: listed.sort((a, b) => a.gpu_id - b.gpu_id), lost: lost.map((device) => device.pci) };
}

function observation(cells: readonly string[], columns: readonly string[]): GpuObservation | undefined {
  if (cells.length < columns.length || !/^\d{1,5}$/.test(cells[0] ?? '')) return undefined;
  const cell = (name: string) => {
    const at = columns.indexOf(name);
    return at < 0 ? undefined : cells[at];
  };
  const metrics = presentMetrics({
    util_gpu_pct: percent(cell('utilization.gpu')),
    mem_activity_pct: percent(cell('utilization.memory')),
    temperature_edge_c: celsius(cell('temperature.gpu')),
    vram_used_mb: mebibytes(cell('memory.used'), 'mb'),
    vram_total_mb: mebibytes(cell('memory.total'), 'mb'),
    power_watts: watts(cell('power.draw')),
  });
  const uuid = cell('uuid');
  const pci = pciAddress(cell('pci.bus_id') ?? '');
  const mig = cell('mig.mode.current')?.toLowerCase();
  return {
    gpu_id: Number(cells[0]),
    metrics,
    ...(uuid?.startsWith('GPU-') ? { uuid } : {}),
    ...(pci ? { pci } : {}),
    ...(mig === 'enabled' || mig === 'disabled' ? { mig: mig === 'enabled' } : {}),
    ...failureOf(cells, hasMetric(metrics)),
  };
}

function failureOf(cells: readonly string[], isReadable: boolean): { readonly failure?: GpuFailure } {
  const text = cells.slice(1).join(', ').slice(0, 200);
  if (/gpu requires reset/i.test(text)) return { failure: { kind: 'reset_required', text } };
  if (/gpu is lost/i.test(text)) return { failure: { kind: 'lost', text } };
  return isReadable ? {} : { failure: { kind: 'unreadable', text } };
}

interface LostDevice {
  readonly pci: string;
  readonly index: number | undefined;
  readonly text: string;
}

function lostDevice(line: string): LostDevice | undefined {
  if (line.length > 2000) return undefined;
  const match = LOST_DEVICE.exec(line);
  const pci = pciAddress(match?.[2] ?? '');
  if (!pci) return undefined;
  return {
    pci,
    index: match?.[1] === undefined ? undefined : Number(match[1]),
    text: line.trim().slice(0, 200),
  };
}

/**
 * Lost devices as entries of their own: the driver numbers devices by PCI address, so a lost one has the printed index, or
 * its rank among all addresses, or the first number that nobody has.
 */
function withLost(devices: GpuObservation[], lost: readonly LostDevice[]): GpuObservation[] {
  const addresses = [
    ...devices.flatMap((device) => device.pci ?? []),
    ...lost.map((device) => device.pci),
  ].sort();
  const everyAddressKnown = devices.every((device) => device.pci !== undefined);
  const all = devices.map((device) =>
    lost.some((gone) => gone.pci === device.pci)
      ? { ...device, failure: lostFailure(lost, device.pci) }
      : device,
  );
  for (const gone of lost) {
    if (devices.some((device) => device.pci === gone.pci)) continue;
    const rank = everyAddressKnown ? addresses.indexOf(gone.pci) : undefined;
    const taken = new Set(all.map((device) => device.gpu_id));
    const gpu_id = [gone.index, rank].find((id) => id !== undefined && !taken.has(id)) ?? firstFree(taken);
    all.push({ gpu_id, metrics: {}, pci: gone.pci, failure: { kind: 'lost', text: gone.text } });
  }
  return all;
}

function lostFailure(lost: readonly LostDevice[], pci: string | undefined): GpuFailure {
  return { kind: 'lost', text: lost.find((gone) => gone.pci === pci)?.text ?? '' };
}

function firstFree(taken: ReadonlySet<number>): number {
  let id = 0;
  while (taken.has(id)) id += 1;
  return id;
}

/** One process of `--query-compute-apps`; devices are named by UUID. */
export type NvidiaApp = Omit<ToolHolder, 'gpu_id'> & { readonly uuid: string };

/**
 * Output of `nvidia-smi --query-compute-apps=gpu_uuid,pid,used_memory --format=csv,noheader,nounits`. Empty output is an
 * answer: nothing runs. Undefined when the output is something else.
 */
export function parseNvidiaApps(output: string): readonly NvidiaApp[] | undefined {
  const apps: NvidiaApp[] = [];
  for (const line of output.split(/\r\n|\n|\r/, MAX_LINES)) {
    const [uuid = '', pid = '', memory] = csvCells(line);
    if (uuid === '' && pid === '') continue;
    if (/^(?:no running|warning\b)/i.test(uuid)) continue;
    if (!/^(?:GPU|MIG)-[\w/-]{4,80}$/.test(uuid) || !/^\d{1,10}$/.test(pid)) return undefined;
    apps.push({ uuid, pid: quantity(pid)?.value ?? 0, vram_mb: mebibytes(memory, 'mb') ?? null });
  }
  return apps;
}
