import { isObject } from '../../foreign/json.js';
import { jsonInOutput } from './json-in-output.js';
import type { GpuObservation } from './reading.js';
import { type RocmSmiCell, rocmSmiMetrics } from './rocm-smi-header.js';

const MAX_DEVICES = 512;
const MAX_LINES = 20_000;
const HEADER_START = /^(?:device|gpu|card)$/i;
const DEVICE = /^(?:card\s*|gpu\s*\[?\s*)?(\d{1,5})\s*\]?$/i;

/**
 * Output of `rocm-smi … --csv`, old and new (spec 02 §5.6, §10.2 a and b): blocks under a header line, in any number and
 * with any noise around them. Undefined when no device is listed.
 */
export function parseRocmSmiCsv(output: string): readonly GpuObservation[] | undefined {
  const cells = new Map<number, RocmSmiCell[]>();
  let header: readonly string[] | undefined;
  for (const line of output.replace(/^\ufeff/, '').split(/\r\n|\n|\r/, MAX_LINES)) {
    const row = csvCells(line);
    const first = row[0] ?? '';
    if (row.length === 1 && first === '') {
      header = undefined;
    } else if (row.length > 1 && HEADER_START.test(first)) {
      header = row;
    } else if (header !== undefined) {
      const id = deviceId(first);
      if (id !== undefined && (cells.has(id) || cells.size < MAX_DEVICES)) {
        const known = cells.get(id) ?? [];
        cells.set(id, [...known, ...pairs(header, row)]);
      }
    }
  }
  return observations(cells);
}

/**
 * Output of `rocm-smi … --json`: one object, key `card<N>` to an object of the same header texts. Undefined when no device
 * is listed.
 */
export function parseRocmSmiJson(output: string): readonly GpuObservation[] | undefined {
  const root = jsonInOutput(output);
  if (!isObject(root)) return undefined;
  const cells = new Map<number, RocmSmiCell[]>();
  for (const [key, device] of Object.entries(root)) {
    const id = deviceId(key);
    if (id === undefined || !isObject(device) || cells.size >= MAX_DEVICES) continue;
    cells.set(id, Object.entries(device));
  }
  return observations(cells);
}

function observations(
  cells: ReadonlyMap<number, readonly RocmSmiCell[]>,
): readonly GpuObservation[] | undefined {
  if (cells.size === 0) return undefined;
  const ids = [...cells.keys()].sort((a, b) => a - b);
  return ids.map((gpu_id) => ({ gpu_id, metrics: rocmSmiMetrics(cells.get(gpu_id) ?? []) }));
}

function deviceId(cell: string): number | undefined {
  const digits = DEVICE.exec(cell.trim())?.[1];
  return digits === undefined ? undefined : Number(digits);
}

function pairs(header: readonly string[], row: readonly string[]): RocmSmiCell[] {
  return header.slice(1).map((name, index) => [name, row[index + 1]]);
}

/** The cells of one line, trimmed; a quoted cell may hold commas, a doubled quote stands for one. */
export function csvCells(line: string): string[] {
  const cells: string[] = [];
  let cell = '';
  let quoted = false;
  for (let i = 0; i < line.length; i += 1) {
    const char = line.charAt(i);
    if (quoted) {
      if (char !== '"') cell += char;
      else if (line.charAt(i + 1) === '"') {
        cell += '"';
        i += 1;
      } else quoted = false;
    } else if (char === '"' && cell.trim() === '') {
      cell = '';
      quoted = true;
    } else if (char === ',') {
      cells.push(cell.trim());
      cell = '';
    } else cell += char;
  }
  cells.push(cell.trim());
  return cells;
}
