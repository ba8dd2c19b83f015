import { createHash } from 'node:crypto';
import { finiteNumber, type JsonObject, objectOr, text } from '../../foreign/json.js';
import type { Credentials } from '../../llm/credentials.js';
import { isLasting, type LlmFailure } from '../../llm/failure.js';

/** Calls that are not worth trying for a while: a key that was refused, or a wait that the endpoint asked for. */
export interface Suspension {
  readonly untilUnix: number;
  readonly reason: string;
  /** Of endpoint, model and key: with others, the suspension is over. */
  readonly fingerprint: string;
}

const LASTING_S = 3600;

/** What a failure suspends, or null (spec 05 B.12.7). A wait shorter than the cooldown of a symptom suspends nothing. */
export function suspensionAfter(
  failure: LlmFailure,
  credentials: Credentials,
  nowUnix: number,
  cooldownS: number,
): Suspension | null {
  const seconds = isLasting(failure) ? LASTING_S : Math.min(LASTING_S, failure.retryAfterS ?? 0);
  if (!isLasting(failure) && seconds <= cooldownS) return null;
  return { untilUnix: nowUnix + seconds, reason: failure.reason, fingerprint: fingerprintOf(credentials) };
}

/** The suspension of a slot, if it still holds for these credentials. A clock set back by more than it lasts ends it. */
export function activeSuspension(
  stored: unknown,
  credentials: Credentials,
  nowUnix: number,
): Suspension | null {
  const raw = objectOr(stored);
  const untilUnix = finiteNumber(raw['until_unix']);
  if (untilUnix === undefined || nowUnix >= untilUnix || untilUnix - nowUnix > LASTING_S) return null;
  const fingerprint = text(raw['fingerprint']) ?? '';
  if (fingerprint !== fingerprintOf(credentials)) return null;
  return { untilUnix, reason: text(raw['reason']) ?? '', fingerprint };
}

/** The form in the slot. */
export function suspensionJson(suspension: Suspension): JsonObject {
  return {
    until_unix: suspension.untilUnix,
    reason: suspension.reason,
    fingerprint: suspension.fingerprint,
  };
}

/** Thirty-two bits of a hash: enough to see that something changed, too little to tell anything of the key. */
function fingerprintOf({ provider, baseUrl, model, key }: Credentials): string {
  return createHash('sha256').update([provider, baseUrl, model, key].join('\n')).digest('hex').slice(0, 8);
}
