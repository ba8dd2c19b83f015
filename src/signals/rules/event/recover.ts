import { isObject, type JsonObject, nonBlank } from '../../../foreign/json.js';
import { pythonText } from '../../../foreign/python-text.js';
import { isTruthy } from '../../../foreign/python-truth.js';
import type { BusRow } from '../../bus.js';
import { payloadOf, topicOf, trimmedText } from '../../shared/bus-row.js';
import type { Symptom } from '../../symptom.js';

/** The latest recover ended in review: GPU memory is still unhealthy (spec 03 §7.3, event-3). */
export function recoverUnsuccessful(bus: readonly BusRow[], lookback: number): Symptom | undefined {
  const window = lookback > 0 ? bus.slice(-lookback) : bus;
  const latest = window.findLast(
    (row) => topicOf(row) === 'delegated_result' && isRecover(payloadOf(row) ?? {}),
  );
  const payload = latest && payloadOf(latest);
  if (!payload) return undefined;

  const verdict = verdictOf(payload);
  if (trimmedText(verdict['state']) !== 'needs_review') return undefined;
  const errorClass = trimmedText(verdict['error_class']);
  return {
    name: 'recover_unsuccessful',
    severity: 'high',
    summary:
      `The last recover ended in needs_review (${errorClass || 'unknown error class'}): GPU memory is still ` +
      'unhealthy and the session cannot progress on this budget',
    evidence: {
      task_id: payload['task_id'] ?? null,
      kind: isTruthy(payload['kind']) ? pythonText(payload['kind']) : 'recover',
      state: 'needs_review',
      error_class: errorClass,
      force_gpu_cleanup: verdict['force_gpu_cleanup'] ?? null,
      mid_free_mb_per_gpu: verdict['mid_free_mb_per_gpu'] ?? null,
    },
    subject: {},
    source: 'coordinator_events',
    suggestion: 'Propose the final report at the last validated gain.',
  };
}

function isRecover(payload: JsonObject): boolean {
  if (['kind', 'action_name', 'family'].some((key) => trimmedText(payload[key]) === 'recover')) return true;
  return Object.hasOwn(payload, 'force_gpu_cleanup') && Object.hasOwn(payload, 'mid_free_mb_per_gpu');
}

/** The keys that judge: the runner's own state says only that the task ran; the recover's verdict lies in its result. */
function verdictOf(payload: JsonObject): JsonObject {
  if (trimmedText(payload['state']) === 'needs_review') return payload;
  const result = payload['result'];
  return isObject(result) && nonBlank(result['state']) !== undefined ? { ...payload, ...result } : payload;
}
