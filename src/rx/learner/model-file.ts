import { isObject } from '../../foreign/json.js';
import type { Calibrator } from './calibrator.js';
import { TRACE_FEATURE_NAMES, TRACE_FEATURE_SCHEMA } from './features.js';
import type { TrainedModel } from './trained-model.js';

/** `model.json` of the memory (spec 06 F.7.7). */
export interface ModelFile {
  readonly schema_version: 1;
  readonly feature_schema_version: string;
  readonly mean: readonly number[];
  readonly deviation: readonly number[];
  readonly constant: readonly boolean[];
  readonly weights: readonly number[];
  readonly bias: number;
  readonly l2: number;
  readonly calibration: Calibrator;
  readonly gain: { readonly weights: readonly number[]; readonly bias: number } | null;
  readonly n: number;
  readonly positives: number;
  /** SHA-256 of the rows that it was fitted on. */
  readonly log_hash: string;
}

export function toModelFile(model: TrainedModel, logHash: string): ModelFile {
  const { standardiser, weights, bias, l2 } = model.logistic;
  return {
    schema_version: 1,
    feature_schema_version: TRACE_FEATURE_SCHEMA,
    ...standardiser,
    weights,
    bias,
    l2,
    calibration: model.calibrator,
    gain: model.gain,
    n: model.rows,
    positives: model.positives,
    log_hash: logHash,
  };
}

/** A model read back, or why it must not be used. */
export type ReadModel =
  | { readonly ok: true; readonly model: TrainedModel }
  | { readonly ok: false; readonly reason: string };

/** The boundary parser of `model.json`: a model of another feature schema or shape is refused with a reason. */
export function parseModelFile(value: unknown): ReadModel {
  if (!isObject(value) || value['schema_version'] !== 1)
    return { ok: false, reason: 'model file has an unknown format' };
  const schema = value['feature_schema_version'];
  if (schema !== TRACE_FEATURE_SCHEMA) {
    return {
      ok: false,
      reason: `model file is for the features ${String(schema)}, not ${TRACE_FEATURE_SCHEMA}`,
    };
  }
  const { mean, deviation, constant, weights, bias, l2, n, positives } = value;
  const calibrator = parseCalibrator(value['calibration']);
  const gain = parseGain(value['gain']);
  const flags =
    Array.isArray(constant) && constant.length === WIDTH && constant.every((one) => typeof one === 'boolean');
  const numbers =
    isVector(mean) && isVector(deviation) && isVector(weights) && isNumber(bias) && isNumber(l2);
  if (
    !flags ||
    !numbers ||
    !isNumber(n) ||
    !isNumber(positives) ||
    calibrator === null ||
    gain === undefined
  ) {
    return { ok: false, reason: 'model file is damaged' };
  }
  const logistic = { standardiser: { mean, deviation, constant }, weights, bias, l2 };
  return { ok: true, model: { logistic, calibrator, gain, rows: n, positives } };
}

const WIDTH = TRACE_FEATURE_NAMES.length;

function parseCalibrator(value: unknown): Calibrator | null {
  if (!isObject(value)) return null;
  if (value['kind'] === 'none') return { kind: 'none' };
  if (value['kind'] === 'platt') {
    const { slope, intercept } = value;
    return isNumber(slope) && isNumber(intercept) ? { kind: 'platt', slope, intercept } : null;
  }
  const { knots } = value;
  if (value['kind'] !== 'isotonic' || !Array.isArray(knots)) return null;
  const pairs = knots.flatMap((knot): [number, number][] => {
    if (!Array.isArray(knot) || knot.length !== 2) return [];
    const [x, y]: unknown[] = knot;
    return isNumber(x) && isNumber(y) ? [[x, y]] : [];
  });
  return pairs.length === knots.length && pairs.length > 0 ? { kind: 'isotonic', knots: pairs } : null;
}

/** Undefined when damaged, null when there is no gain model. */
function parseGain(value: unknown): TrainedModel['gain'] | undefined {
  if (value === null) return null;
  if (!isObject(value)) return undefined;
  const { weights, bias } = value;
  return isVector(weights) && isNumber(bias) ? { weights, bias } : undefined;
}

function isVector(value: unknown): value is number[] {
  return Array.isArray(value) && value.length === WIDTH && value.every(isNumber);
}

function isNumber(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value);
}
