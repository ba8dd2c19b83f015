import { integer, type Json, type JsonObject, objectOr } from '../../../foreign/json.js';
import { trimPython } from '../../../foreign/python-space.js';
import { pythonText } from '../../../foreign/python-text.js';
import { isTruthy } from '../../../foreign/python-truth.js';

/** What the rule reads of `manifest.json`: integral numbers are integers, anything else counts as absent. */
export interface ModelManifest {
  readonly modelName: string;
  readonly modelClass: string;
  readonly gpuType: string;
  readonly precision: string;
  readonly tp: number | undefined;
  readonly maxModelLen: number | undefined;
  readonly conc: number | undefined;
  readonly expertParallel: number | undefined;
  /** As written, for evidence. */
  readonly raw: JsonObject;
}

export function readManifest(manifest: JsonObject): ModelManifest {
  const workload = objectOr(manifest['workload']);
  return {
    modelName: textOf(manifest['model_name']),
    modelClass: textOf(manifest['model_class']),
    gpuType: textOf(manifest['gpu_type']),
    precision: textOf(workload['precision']),
    tp: integer(manifest['tp']),
    maxModelLen: integer(workload['max_model_len']),
    conc: integer(workload['conc']),
    expertParallel: integer(manifest['ep']),
    raw: {
      model_name: manifest['model_name'] ?? null,
      model_class: manifest['model_class'] ?? null,
      gpu_type: manifest['gpu_type'] ?? null,
      tp: manifest['tp'] ?? null,
      precision: workload['precision'] ?? null,
      max_model_len: workload['max_model_len'] ?? null,
      conc: workload['conc'] ?? null,
    },
  };
}

/** Identity of what is judged: three texts, an integer, a text and two integers in the order of spec 04 §3. */
export function fingerprintOf(manifest: ModelManifest): readonly (string | number)[] {
  return [
    manifest.modelName,
    manifest.modelClass,
    manifest.gpuType,
    manifest.tp ?? 0,
    manifest.precision,
    manifest.maxModelLen ?? 0,
    manifest.conc ?? 0,
  ];
}

/** Table key of a name: trimmed, lower case. */
export function tableKey(name: string): string {
  return trimPython(name).toLowerCase();
}

function textOf(value: Json | undefined): string {
  return isTruthy(value) ? pythonText(value) : '';
}
