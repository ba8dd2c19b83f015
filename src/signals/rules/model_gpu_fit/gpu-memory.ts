import { finiteNumber, objectOr, objectsOf } from '../../../foreign/json.js';
import { trimPython } from '../../../foreign/python-space.js';
import type { Snapshot } from '../../../sources/snapshot.js';

/** Memory of one device as the tools list it, GiB (spec 04 §3, model_gpu_fit-6). */
const MEMORY_GIB: Readonly<Record<string, number>> = {
  mi210: 64,
  mi250: 64,
  mi250x: 64,
  mi300a: 128,
  mi300x: 192,
  mi308x: 192,
  mi325x: 256,
  mi350x: 288,
  mi355x: 288,
  a100: 80,
  a800: 80,
  h100: 80,
  h800: 80,
  h20: 96,
  h200: 141,
  b200: 192,
  gb200: 192,
};

const MIB_PER_GIB = 1024;

export interface GpuMemory {
  readonly gib: number;
  readonly source: 'table' | 'measured';
}

/**
 * Memory of one GPU: by its name, else by that of the model name contained in it as a word, else the median of what the
 * visible GPUs report; undefined when nothing is known.
 */
export function gpuMemory(gpuType: string, snapshot: Snapshot): GpuMemory | undefined {
  const name = trimPython(gpuType).toLowerCase();
  const listed = Object.hasOwn(MEMORY_GIB, name) ? MEMORY_GIB[name] : memoryOfWord(name);
  if (listed !== undefined) return { gib: listed, source: 'table' };
  const measured = medianOfVisible(snapshot);
  return measured === undefined ? undefined : { gib: measured, source: 'measured' };
}

/** The longest known model among the words of the name. */
function memoryOfWord(name: string): number | undefined {
  const known = name.split(/[^\p{L}\p{N}]+/u).filter((word) => Object.hasOwn(MEMORY_GIB, word));
  const longest = known.toSorted((a, b) => b.length - a.length)[0];
  return longest === undefined ? undefined : MEMORY_GIB[longest];
}

function medianOfVisible(snapshot: Snapshot): number | undefined {
  const totals = objectsOf(objectOr(snapshot.local_gpu)['gpus'])
    .filter((gpu) => gpu['visible'] !== false)
    .flatMap((gpu) => finiteNumber(gpu['vram_total_mb']) ?? [])
    .filter((mib) => mib >= MIB_PER_GIB)
    .toSorted((a, b) => a - b);
  const upper = totals[Math.floor(totals.length / 2)];
  const lower = totals[Math.floor((totals.length - 1) / 2)];
  return upper === undefined || lower === undefined ? undefined : (lower + upper) / 2 / MIB_PER_GIB;
}
