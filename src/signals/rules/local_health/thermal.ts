import {
  finiteNumber,
  isObject,
  type Json,
  type JsonObject,
  listOr,
  objectOr,
} from '../../../foreign/json.js';
import { scalarText } from '../../shared/bus-row.js';
import type { Symptom } from '../../symptom.js';
import type { ThermalConfig } from './config.js';

interface Reading {
  readonly sensor: 'edge' | 'junction' | 'memory';
  readonly celsius: number;
  readonly warn: number;
  readonly crit: number;
}

/** GPUs that are too hot, each by its worst sensor (spec 03 §8.3, local_health-8). */
export function hotGpus(gpu: Json, config: ThermalConfig): Symptom[] {
  return listOr(objectOr(gpu)['gpus']).flatMap((entry, index) => {
    if (!isObject(entry)) return [];
    const worst = worstReading(readingsOf(entry, config));
    return worst ? [symptomOf(entry, index, worst)] : [];
  });
}

function readingsOf(entry: JsonObject, config: ThermalConfig): Reading[] {
  const source = entry['temperature_source'];
  const plain = finiteNumber(entry['temperature_c']);
  const edge = source === undefined || source === 'edge' ? plain : undefined;
  const junction =
    finiteNumber(entry['temperature_junction_c']) ?? (source === 'junction' ? plain : undefined);
  const memory = finiteNumber(entry['temperature_memory_c']);
  const sensors = [
    { sensor: 'edge', celsius: edge, warn: config.gpu_temp_warn_c, crit: config.gpu_temp_crit_c },
    {
      sensor: 'junction',
      celsius: junction,
      warn: config.gpu_junction_temp_warn_c,
      crit: config.gpu_junction_temp_crit_c,
    },
    {
      sensor: 'memory',
      celsius: memory,
      warn: config.gpu_memory_temp_warn_c,
      crit: config.gpu_memory_temp_crit_c,
    },
  ] as const;
  return sensors.flatMap(({ celsius, ...rest }) => (celsius === undefined ? [] : [{ ...rest, celsius }]));
}

/** The hottest reading that is worth a word: by severity, then by excess over its warn limit, then in sensor order. */
function worstReading(readings: readonly Reading[]): Reading | undefined {
  const hot = readings.filter((reading) => levelOf(reading) > 0);
  return hot.reduce<Reading | undefined>((worst, reading) => {
    if (!worst) return reading;
    const byLevel = levelOf(reading) - levelOf(worst);
    const byExcess = reading.celsius - reading.warn - (worst.celsius - worst.warn);
    return byLevel > 0 || (byLevel === 0 && byExcess > 0) ? reading : worst;
  }, undefined);
}

function levelOf({ celsius, warn, crit }: Reading): 0 | 1 | 2 {
  if (celsius >= crit) return 2;
  return celsius >= warn ? 1 : 0;
}

function symptomOf(entry: JsonObject, index: number, reading: Reading): Symptom {
  const gpuId = entry['gpu_id'] ?? null;
  const label = scalarText(gpuId) ?? String(index);
  return {
    name: 'gpu_thermal_high',
    severity: levelOf(reading) === 2 ? 'high' : 'medium',
    summary: `GPU ${label} is at ${reading.celsius} °C (${reading.sensor}; limits ${reading.warn}/${reading.crit})`,
    evidence: {
      gpu_id: gpuId,
      temperature_c: reading.celsius,
      warn_threshold: reading.warn,
      crit_threshold: reading.crit,
      sensor: reading.sensor,
    },
    subject: { gpu_id: label },
    source: 'local',
    suggestion: 'Change the strategy to relieve the thermal pressure, such as a lower concurrency.',
  };
}
