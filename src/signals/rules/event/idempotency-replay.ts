import { compareCodePoints } from '../../../foreign/order.js';
import { isTruthy } from '../../../foreign/python-truth.js';
import type { InboxItem } from '../../../reactor/context.js';
import { trimmedText } from '../../shared/bus-row.js';
import type { Symptom } from '../../symptom.js';
import { payloadHash } from './payload-hash.js';

interface Bucket {
  readonly action: string;
  readonly hash: string;
  readonly keys: Set<string>;
  readonly proposers: Set<string>;
}

/** One payload proposed under several idempotency keys, which dodges the de-duplication (spec 03 §7.4, event-8). */
export function idempotencyReplay(inbox: readonly InboxItem[], threshold: number): Symptom[] {
  const firing = bucketsOf(inbox).filter((bucket) => bucket.keys.size >= threshold);
  const byAction = new Map<string, Bucket[]>();
  for (const bucket of firing) byAction.set(bucket.action, [...(byAction.get(bucket.action) ?? []), bucket]);
  return [...byAction.values()].flatMap((buckets) => {
    const [first, ...others] = buckets;
    if (!first) return [];
    const fullest = others.reduce(
      (best, bucket) => (bucket.keys.size > best.keys.size ? bucket : best),
      first,
    );
    return [symptomOf(fullest, others.length, threshold)];
  });
}

function bucketsOf(inbox: readonly InboxItem[]): Bucket[] {
  const buckets = new Map<string, Bucket>();
  for (const { topic, payload, from_agent: sender } of inbox) {
    if (topic !== 'proposal' && topic !== 'delegate') continue;
    const action = trimmedText(payload['action_name']);
    const key = trimmedText(payload['idempotency_key']);
    if (action === '' || key === '') continue;
    const params = payload['params'];
    const hash = payloadHash(action, params !== undefined && isTruthy(params) ? params : {});
    if (hash === undefined) continue;
    const bucket = buckets.get(hash) ?? { action, hash, keys: new Set(), proposers: new Set() };
    buckets.set(hash, bucket);
    bucket.keys.add(key);
    bucket.proposers.add(sender);
  }
  return [...buckets.values()];
}

function symptomOf(bucket: Bucket, otherBuckets: number, threshold: number): Symptom {
  return {
    name: 'idempotency_replay',
    severity: 'medium',
    summary:
      `${bucket.action} was proposed under ${bucket.keys.size} different keys with an identical payload ` +
      'within one tick',
    evidence: {
      action_name: bucket.action,
      payload_hash: bucket.hash,
      distinct_keys: [...bucket.keys].sort(compareCodePoints),
      threshold,
      other_buckets: otherBuckets,
      proposers: [...bucket.proposers].sort(compareCodePoints),
    },
    subject: { action_name: bucket.action },
    source: 'inbox',
    suggestion:
      'Tell orchestration that the proposer bypasses the de-duplication by minting fresh keys; review its prompt ' +
      'or freeze the key generation.',
  };
}
