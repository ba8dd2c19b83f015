import { isObject, type Json, type JsonObject } from '../../../foreign/json.js';
import { canonicalJson } from '../../shared/canonical-json.js';

const EXPLORED = ['params.grid', 'params.extra_envs', 'params.config_path'];

/** What makes two attempts of a family the same attempt (spec 04 §1). */
const PATHS: Readonly<Record<string, readonly string[]>> = {
  validate_stack: [
    'params.optimization_stack',
    'params.config_path',
    'params.benchmark_script',
    'params.result_dir',
  ],
  backends: EXPLORED,
  params: EXPLORED,
  sweep: EXPLORED,
  integrate: ['params.kernel_id', 'params.patch_path', 'params.extra_server_args', 'params.extra_envs'],
  baseline: [
    'params.benchmark_script',
    'params.result_dir',
    'params.extra_server_args',
    'params.extra_envs',
    'params.model_path',
    'params.gpu_type',
    'params.config_path',
    'params.disable_run_eval',
  ],
};

const WHOLE_PARAMS = ['params'];

/** Keys that differ from attempt to attempt and say nothing about what was tried. */
const VOLATILE = new Set([
  'idempotency_key',
  'task_id',
  'ts',
  'timestamp',
  'started_at',
  'finished_at',
  'submitted_at',
  'msg_id',
  'in_reply_to',
  'target_proposal_msg_id',
]);

/** Further ones where no table says what matters (spec 04 repeated_payload-7). */
const VOLATILE_DIRECTORIES = new Set([
  ...VOLATILE,
  'result_dir',
  'output_dir',
  'workspace',
  'log_dir',
  'run_dir',
]);

export interface Projection {
  /** The paths that were compared, in table order. */
  readonly fields: readonly string[];
  /** Equal for attempts that are the same; it never leaves the process. */
  readonly fingerprint: string;
  /** False when every compared value is null. */
  readonly saysAnything: boolean;
}

/** What of a payload identifies the attempt; undefined when its params are nested too deeply to compare. */
export function project(family: string, payload: JsonObject): Projection | undefined {
  const listed = Object.hasOwn(PATHS, family) ? PATHS[family] : undefined;
  const fields = listed ?? WHOLE_PARAMS;
  const volatile = listed ? VOLATILE : VOLATILE_DIRECTORIES;
  const whole = Object.fromEntries(fields.map((path) => [path, valueAt(payload, path.split('.'))]));
  if (canonicalJson(whole) === undefined) return undefined;
  const values = without(whole, volatile);
  const fingerprint = canonicalJson(values);
  if (fingerprint === undefined || !isObject(values)) return undefined;
  return { fields, fingerprint, saysAnything: Object.values(values).some((value) => value !== null) };
}

function valueAt(root: JsonObject, path: readonly string[]): Json {
  let value: Json = root;
  for (const key of path) {
    if (!isObject(value)) return null;
    value = (Object.hasOwn(value, key) ? value[key] : null) ?? null;
  }
  return value;
}

function without(value: Json, keys: ReadonlySet<string>): Json {
  if (Array.isArray(value)) return value.map((item: Json) => without(item, keys));
  if (!isObject(value)) return value;
  const kept = Object.entries(value).filter(([key]) => !keys.has(key));
  return Object.fromEntries(kept.map(([key, item]) => [key, without(item ?? null, keys)]));
}
