import { createHash } from 'node:crypto';
import { nonBlank } from '../../foreign/json.js';
import type { Symptom } from '../../signals/symptom.js';

/** The destructive intent that belongs to a HIGH symptom (spec 05 A.5). */
export type RemedyAction =
  | { readonly kind: 'recover'; readonly reason: string; readonly idempotencyKey: string }
  | { readonly kind: 'prune'; readonly family: string };

/** Symptoms that always concern the same family. */
const FIXED_FAMILY: Readonly<Record<string, string>> = {
  kernel_opt_no_progress: 'kernel_opt',
  geak_budget_starvation: 'kernel_opt',
  amdahl_kernel_ceiling_low: 'kernel_opt',
};

const NAMED_FAMILY: ReadonlySet<string> = new Set(['repeated_failure', 'same_payload_loop']);

/** Every symptom that has a destructive intent at HIGH. */
export const REMEDY_SYMPTOMS: readonly string[] = [
  'gpu_memory_leaked',
  'local_server_unreachable',
  ...Object.keys(FIXED_FAMILY),
  ...NAMED_FAMILY,
];

/** The destructive intent of a symptom, undefined below HIGH and for symptoms that have none. */
export function remedyAction(symptom: Symptom, tick: number): RemedyAction | undefined {
  if (symptom.severity !== 'high') return undefined;
  const { name } = symptom;
  if (name === 'gpu_memory_leaked') {
    return { kind: 'recover', reason: name, idempotencyKey: `recover-gpu-leak-tick-${tick}` };
  }
  if (name === 'local_server_unreachable') {
    const idempotencyKey = `recover-server-unreachable-tick-${tick}-${targetHash(symptom)}`;
    return { kind: 'recover', reason: name, idempotencyKey };
  }
  const family = Object.hasOwn(FIXED_FAMILY, name) ? FIXED_FAMILY[name] : namedFamily(symptom);
  return family === undefined ? undefined : { kind: 'prune', family };
}

function namedFamily(symptom: Symptom): string | undefined {
  if (!NAMED_FAMILY.has(symptom.name)) return undefined;
  return nonBlank(symptom.subject['family']) ?? nonBlank(symptom.evidence['family']);
}

/** Tells the targets of one tick apart, because the host rejects a repeated idempotency key. */
function targetHash(symptom: Symptom): string {
  const urls = [symptom.subject['url'], symptom.evidence['url']];
  const target = urls.find((url) => typeof url === 'string' && url !== '') ?? 'unknown';
  return createHash('sha1').update(String(target), 'utf8').digest('hex').slice(0, 8);
}
