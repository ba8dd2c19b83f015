import {
  finiteNumber,
  isObject,
  type Json,
  type JsonObject,
  listOr,
  objectOr,
  text,
} from '../../../foreign/json.js';
import { roundHalfEven } from '../../../foreign/round.js';
import { scalarText } from '../../shared/bus-row.js';
import type { GpuLeakConfig } from './config.js';

/** A card whose memory is below this share is never full, whatever a percentage or a small carve-out says. */
const FULL_SHARE = 0.9;

/** One visible GPU of which something is known. */
export interface JudgedGpu {
  /** Its id in text form, or its place in the list. */
  readonly id: string;
  readonly entry: JsonObject;
  readonly vram: { readonly usedMb: number; readonly totalMb: number } | undefined;
  readonly utilMemPct: number | undefined;
  readonly hasError: boolean;
}

/** The GPUs that can be judged at all: visible, and with a memory metric, holders or an error (spec 03 gpu_leak step 1). */
export function judgedGpus(gpu: Json): JudgedGpu[] {
  return listOr(objectOr(gpu)['gpus']).flatMap((entry, index) => {
    if (!isObject(entry) || entry['visible'] === false) return [];
    const judged: JudgedGpu = {
      id: scalarText(entry['gpu_id']) ?? String(index),
      entry,
      vram: vramOf(entry),
      utilMemPct: finiteNumber(entry['util_mem_pct']),
      hasError: entry['error'] !== undefined && entry['error'] !== null,
    };
    const hasMetric = judged.vram !== undefined || judged.utilMemPct !== undefined;
    return hasMetric || judged.hasError || entry['holders'] !== undefined ? [judged] : [];
  });
}

/** Name of the tool that reports activity where others report occupancy. */
export function reportsActivity(gpu: Json): boolean {
  return (text(objectOr(gpu)['tool']) ?? '').split('+').includes('nvidia-smi');
}

/** Whether the memory of a GPU is taken; bytes decide, a percentage only in their absence (spec 03 gpu_leak-4). */
export function isFull(gpu: JudgedGpu, pctIsActivity: boolean, config: GpuLeakConfig): boolean {
  const threshold = config.gpu_leak_util_mem_pct_threshold;
  if (!gpu.vram) return !pctIsActivity && gpu.utilMemPct !== undefined && gpu.utilMemPct >= threshold;
  const share = gpu.vram.usedMb / gpu.vram.totalMb;
  return (
    share >= FULL_SHARE && (share * 100 >= threshold || freeMb(gpu.vram) <= config.gpu_leak_free_mb_threshold)
  );
}

/** What the evidence says about one GPU (spec 03 §9). */
export function gpuEvidence({ entry, vram, utilMemPct }: JudgedGpu): JsonObject {
  return {
    gpu_id: entry['gpu_id'] ?? null,
    ...(utilMemPct !== undefined && { util_mem_pct: roundHalfEven(utilMemPct, 2) }),
    ...(vram && {
      vram_used_mb: roundHalfEven(vram.usedMb, 1),
      vram_total_mb: roundHalfEven(vram.totalMb, 1),
      free_mb: roundHalfEven(freeMb(vram), 1),
    }),
  };
}

function vramOf(entry: JsonObject): JudgedGpu['vram'] {
  const usedMb = finiteNumber(entry['vram_used_mb']);
  const totalMb = finiteNumber(entry['vram_total_mb']);
  return usedMb !== undefined && totalMb !== undefined && totalMb > 0 ? { usedMb, totalMb } : undefined;
}

function freeMb({ usedMb, totalMb }: { readonly usedMb: number; readonly totalMb: number }): number {
  return Math.max(0, totalMb - usedMb);
}
