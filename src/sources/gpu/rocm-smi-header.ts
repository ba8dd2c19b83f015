import type { Json } from '../../foreign/json.js';
import { celsius, mebibytes, percent, presentMetrics, watts } from './metric-value.js';
import type { GpuMetrics } from './reading.js';

/** What a column or key of rocm-smi means. */
export type RocmSmiField =
  | { readonly kind: 'use' | 'allocated' | 'activity' | 'power' }
  | { readonly kind: 'edge' | 'junction' | 'memory_temperature' | 'hbm' }
  | { readonly kind: 'vram_used' | 'vram_total'; readonly unit: VramUnit };

type VramUnit = 'b' | 'kb' | 'mb';

/** One header with the cell that belongs to it. */
export type RocmSmiCell = readonly [header: string, value: Json | undefined];

/**
 * The meaning of a header text, whatever the release: letter case, repeated blanks and the unit in parentheses do not
 * matter. "GPU memory use" is activity of the memory controller, not occupancy (spec 02 §10.2 a). Undefined: not needed.
 */
export function rocmSmiField(header: string): RocmSmiField | undefined {
  const name = header.trim().toLowerCase().replace(/\s+/g, ' ');
  if (name.length > 120) return undefined;
  if (/^(?:gpu use|gfx activity)(?: \(%\))?$/.test(name)) return { kind: 'use' };
  if (/^gpu memory allocated(?: \(vram ?%\))?$/.test(name)) return { kind: 'allocated' };
  if (/^gpu memory (?:use|read\/write activity)(?: \(%\))?$/.test(name)) return { kind: 'activity' };
  if (/ package power(?: \(w\))?$/.test(name)) return { kind: 'power' };
  return temperatureField(name) ?? vramField(name);
}

function temperatureField(name: string): RocmSmiField | undefined {
  const sensor = /^temperature \(sensor ([a-z]+ ?\d?)\)(?: \(c\))?$/.exec(name)?.[1];
  if (sensor === undefined) return undefined;
  if (sensor === 'edge') return { kind: 'edge' };
  if (sensor === 'junction' || sensor === 'hotspot') return { kind: 'junction' };
  if (sensor === 'memory' || sensor === 'mem') return { kind: 'memory_temperature' };
  return /^hbm ?[0-3]$/.test(sensor) ? { kind: 'hbm' } : undefined;
}

function vramField(name: string): RocmSmiField | undefined {
  const match = /^vram total (used )?memory(?: \((b|kb|mb|mib)\))?$/.exec(name);
  if (!match) return undefined;
  const unit = match[2] === 'kb' ? 'kb' : match[2] === 'mb' || match[2] === 'mib' ? 'mb' : 'b';
  return { kind: match[1] ? 'vram_used' : 'vram_total', unit };
}

/** The metrics of one device; of columns with one meaning the last usable one counts, of HBM stacks the hottest. */
export function rocmSmiMetrics(cells: Iterable<RocmSmiCell>): GpuMetrics {
  const found = new Map<string, number>();
  for (const [header, value] of cells) {
    const field = rocmSmiField(header);
    if (field === undefined) continue;
    const reading = read(field, value);
    if (reading === undefined) continue;
    const before = field.kind === 'hbm' ? found.get('hbm') : undefined;
    found.set(field.kind, Math.max(before ?? reading, reading));
  }
  return presentMetrics({
    util_gpu_pct: found.get('use'),
    mem_activity_pct: found.get('activity'),
    allocated_pct: found.get('allocated'),
    temperature_edge_c: found.get('edge'),
    temperature_junction_c: found.get('junction'),
    temperature_memory_c: found.get('memory_temperature') ?? found.get('hbm'),
    power_watts: found.get('power'),
    vram_used_mb: found.get('vram_used'),
    vram_total_mb: found.get('vram_total'),
  });
}

function read(field: RocmSmiField, value: Json | undefined): number | undefined {
  switch (field.kind) {
    case 'use':
    case 'allocated':
    case 'activity':
      return percent(value);
    case 'power':
      return watts(value);
    case 'vram_used':
    case 'vram_total':
      return mebibytes(value, field.unit);
    default:
      return celsius(value);
  }
}
